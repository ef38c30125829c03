"""The hub layer."""
