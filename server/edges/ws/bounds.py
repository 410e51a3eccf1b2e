"""Ceilings of a socket, each with its reason."""

MAX_MESSAGE_BYTES = 256 << 10
"""Largest message from a client: a prompt of 16,000 characters in the longest JSON escapes (6 bytes each) fits twice
over.
"""

FIRST_MESSAGE_S = 5.0
"""How long a socket may stay silent before it says who it is."""

SEND_S = 30.0
"""How long one frame may take to leave: past it the client is gone, whatever its connection says."""

PING_EVERY_S = 20.0
PONG_WITHIN_S = 20.0
"""Heartbeats of the protocol itself (RFC 6455, 5.5.2), which every client answers unasked: a peer that is gone without
a word is let go after at most both together.
"""

EXPIRED_GRACE_S = 60.0
"""How long a socket goes on after its access token has expired, for a new one to arrive: the timers of a tab
in the background fire once a minute."""
