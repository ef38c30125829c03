"""The table layer."""
