"""Who is signed in from this terminal, for commands that ask a server."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING

from server.edges.cli.entry_points import no_sessions

if TYPE_CHECKING:
    from server.ports.terminal_sessions import TerminalSessions

TERMINAL_SESSIONS: "ContextVar[Callable[[], TerminalSessions]]" = ContextVar("terminal_sessions", default=no_sessions)
"""Set for a command by the application."""


def terminal_sessions() -> "TerminalSessions":
    """Those of this machine's user. Raises ConfigError."""
    return TERMINAL_SESSIONS.get()()
