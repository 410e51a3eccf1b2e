"""Ceilings of a socket, each with its reason."""

MAX_MESSAGE_BYTES = 256 << 10
"""Largest message from a client: a prompt of 16,000 characters in the longest JSON escapes (6 bytes each) fits twice
over.
"""

FIRST_MESSAGE_S = 5.0
"""How long a socket may stay silent before it says who it is."""

SEND_S = 30.0
"""How long one frame may take to leave: past it the client is gone, whatever its connection says."""
