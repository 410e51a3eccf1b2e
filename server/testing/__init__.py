"""In-memory twins of the ports, a scripted model and a clock that is set by hand. Not in the wheel."""
