"""A table that is not there: dice that tumble, pictures of them, and drivers that obey the hardware ports."""
