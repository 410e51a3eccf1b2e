"""Where the addresses of routes begin. Each router begins with it itself, so that a route is analysed once, where it is
written, and not again by every application that has it."""

API = "/api/v1"
COMPATIBLE = "/api"
"""For clients that know no version."""
