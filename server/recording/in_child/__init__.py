"""What runs inside the program that is recorded: files that its own Python or Node reads."""
