"""The lines around a function: of a folder on this machine, or of the account's repository at the trace's commit."""
