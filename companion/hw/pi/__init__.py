"""The pi layer."""
