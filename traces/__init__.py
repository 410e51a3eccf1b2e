"""The trace room: what a trace is and what it says.

Bytes in, values out: no I/O, no framework, no other room. Start at `door.read_trace`, then `model.Trace`.
bytes -> door (decompress, detect) -> importers/<format> -> builder -> model.Trace -> analysis (questions) | cache
(bytes again)
"""
