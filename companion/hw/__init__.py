"""The hw layer."""
