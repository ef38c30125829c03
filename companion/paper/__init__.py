"""The paper layer."""
