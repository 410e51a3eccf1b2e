"""The use cases: a conversation and its trace. `trace_library` takes traces in and opens them, `conversation` accepts
prompts and lets clients listen, `runner` runs accepted turns to exactly one end, `access` is the only way to
another's objects.
"""
