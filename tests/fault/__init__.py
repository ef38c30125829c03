"""Faults: the plug, the disk, the camera."""
