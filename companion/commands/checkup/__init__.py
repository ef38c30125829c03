"""The checks of `companion doctor`: one module for the machine, one for the rig, findings as codes and values."""
