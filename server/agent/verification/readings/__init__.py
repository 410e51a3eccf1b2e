"""What a sentence says in words that no fixed form has: every plain reading of it, and whether one holds."""
