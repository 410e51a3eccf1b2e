"""The agent: a LangGraph graph (setup -> agent <-> tools -> finish) that answers one prompt about one trace.

Start at `turn` (what goes in, what comes out), then `graph`. `model` is the port to a language model, `tools/` the
tool table, `prompts/` the system prompt, `checks` holds an answer against its tool results.
"""
