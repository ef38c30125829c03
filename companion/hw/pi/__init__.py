"""Drivers that need a Raspberry Pi: its camera, its GPIO lines, its screen light and its power supply."""
