"""The session layer."""
