"""What people said and had remembered: which of it is near to a prompt."""
