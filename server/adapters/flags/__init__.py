"""Flags by OpenFeature: from a file, or from whatever provider a team uses."""
