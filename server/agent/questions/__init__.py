"""Questions over many recordings: one closed schema, rules that make it of words, checks, and what is answered."""
