"""The whole machine, emulated: see docs/do.md."""
