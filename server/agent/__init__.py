"""The agent: a LangGraph graph (setup -> agent <-> tools -> finish) that answers one prompt about one trace.

Start at `turn` (what goes in, what comes out), then `graph/`. `model_call/` is one call of a language model and
the port to it, `tools/` what it may ask, `prompts/` the system prompt, `verification/` what an answer claims and what
the trace says of it.
"""
