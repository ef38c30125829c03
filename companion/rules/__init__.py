"""The rules layer."""
