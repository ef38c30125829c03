"""The systems layer."""
