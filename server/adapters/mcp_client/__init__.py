"""Other servers' tools over the Model Context Protocol: only those that a file of the administrator's names."""
