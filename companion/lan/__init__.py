"""The lan layer."""
