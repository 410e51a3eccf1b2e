"""What an answer claims, and what the trace says of it. Start at `answer_checks`; links of figures: `references`."""
