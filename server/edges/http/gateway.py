"""A program that starts turns for people it knows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from server.ports.identity import Caller
from server.protocol.server import ChatError


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """A program that starts turns for people it has recognised itself, proven by the secret. `refuse` notifies a
    session's listeners on Realtime that a prompt was not accepted: they do not see the HTTP answer."""

    secret: str = field(repr=False)
    caller_of: Callable[[str], Awaitable[Caller]]
    refuse: Callable[[str, ChatError], None] | None = None
