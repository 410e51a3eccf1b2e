"""Adapters that need nothing beside this process: its clock, its queue and relay, its one local user."""
