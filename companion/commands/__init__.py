"""The commands layer."""
