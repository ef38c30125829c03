"""The companion layer."""
