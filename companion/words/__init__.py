"""The words layer."""
