"""What the analyst does for each kind of question: which tools it calls, and what it writes from their results."""
