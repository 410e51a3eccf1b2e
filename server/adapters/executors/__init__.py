"""Where graphs run."""
