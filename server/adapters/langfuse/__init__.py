"""Langfuse: the system prompt, traces of every model call, scores. Every module here imports `langfuse`, which takes
seconds: only a server that is configured for it imports them.
"""
