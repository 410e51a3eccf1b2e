"""A module for each kind of program: its recorders. `all_recorders.py` lists them in the order of choosing."""
