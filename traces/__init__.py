"""The trace room: what a trace is and what it says.

Bytes in, values out: no I/O, no framework, no other room. Start at `reader.read_trace`, then `model.Trace`.
bytes -> reader (decompress, detect) -> formats/<family>/<format> -> builder -> model.Trace -> analysis (questions) |
cache (bytes again)
"""
