"""What makes vectors of texts: encoders on this machine, each in a process of its own, and services."""
