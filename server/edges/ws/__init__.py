"""The conversation's socket `/api/v1/chat`: `socket` reads and writes it, `answers` is its table from error to
message or close code.
"""
