"""Adapters that need no other process: the clock, a queue, a relay, the one local user."""
