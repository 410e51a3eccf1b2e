"""What the application needs from the world, as small Protocols, and the values that cross them.

Each port has an in-memory twin (in `testing`, or in `adapters/in_process` where a server uses it) and one contract
suite in `tests/contracts` that every adapter passes.
"""
