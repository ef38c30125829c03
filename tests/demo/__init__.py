"""The demonstration as a test."""
