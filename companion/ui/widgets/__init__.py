"""The widgets layer."""
