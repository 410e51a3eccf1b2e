"""What every tool shares: its type, its arguments and context, how it is run, and how it fails."""
