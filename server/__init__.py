"""The application. `app` is the composition root; below it, in this order, each knowing only what comes after it:
settings, edges and adapters, turns, analyst, agent, ports, protocol, errors. `testing` is for tests alone.

To follow a prompt: edges/ws -> turns/conversation -> turns/runner -> agent/graph. To follow an upload:
edges/http -> turns/trace_library.
"""
