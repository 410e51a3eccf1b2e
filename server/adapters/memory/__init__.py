"""The in-memory twin of each port; for one process some of them are the real thing (queue, relay, clock, local
identity).
"""
