"""Prompts that are understood word by word: what is measured, of what, within what, by what and how, as one value."""
