"""Corners of the composition root, each built from the settings in a file of its own. Only `server.app` and tools
next to the server use them.
"""
