"""The graph of one turn: what its state holds, its nodes, and how they follow each other (`compiled_graph`)."""
