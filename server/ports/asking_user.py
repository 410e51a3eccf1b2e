"""For whom something is done, where all share who does it: nobody waits behind everything that another asks."""

from contextvars import ContextVar

ASKING_USER: ContextVar[str | None] = ContextVar("asking_user", default=None)
"""The user whose request, socket or turn this task works for; None for nobody's, and where nobody has signed in."""
