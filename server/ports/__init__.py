"""What the application needs from the world, as small Protocols, and the values that cross them.

Each port has an in-memory twin in `adapters/memory` (the command line and the tests run on it) and one contract suite
in `tests/contracts` that every adapter passes.
"""
