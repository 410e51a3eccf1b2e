"""How the calls of a round end: those that a worker answers, and those that the page does."""
