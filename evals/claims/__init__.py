"""Statements about traces, half of them false, to measure the marks of answers with: `python -m evals.claims`."""
