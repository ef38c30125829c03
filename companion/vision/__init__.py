"""The vision layer."""
