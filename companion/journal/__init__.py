"""The journal layer."""
