"""Tools over what is kept beyond the trace: earlier findings, memories, documents, and facts to remember."""
