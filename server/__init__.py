"""The application. `app` is the composition root; below it, in this order, each knowing only what comes after it:
settings, edges and adapters, turns, agent, ports, protocol, errors.

To follow a prompt: edges/ws -> turns/conversation -> turns/runner -> agent/graph. To follow an upload:
edges/http -> turns/library.
"""
