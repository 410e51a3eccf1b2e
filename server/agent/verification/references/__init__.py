"""Figures by reference: their addresses, what these stand for, and what became of each."""
