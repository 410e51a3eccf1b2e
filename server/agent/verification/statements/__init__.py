"""Sentences read by rule: of what they speak, and whether the trace agrees (`bound_figures`, `relations`)."""
