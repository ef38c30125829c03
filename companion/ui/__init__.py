"""The ui layer."""
