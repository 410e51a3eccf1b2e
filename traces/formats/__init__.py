"""How files are read: a folder a family, in which a file a format feeds the builder. A family's `__init__` says how its
formats are recognised; `detection` asks them in order.
"""
