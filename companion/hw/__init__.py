"""The physical world behind protocols: cameras, buttons, lamps and buzzers, one driver a module."""
