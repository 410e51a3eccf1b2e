"""Tools of other servers (Model Context Protocol), as the agent may call them: each named in a file of the
administrator's, and each as it was when an administrator allowed it.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from server.ports.identity import Caller

ToolAccess = Literal["read", "ask"]
"""`read`: it may be called at once; `ask`: a person allows each call."""

CALL_SECONDS = 8.0
"""Of one call, with finding the server and asking what its tool looks like now."""

MAX_ARGUMENT_BYTES = 2_048
"""Of one call as JSON: what leaves."""

KEPT_SECONDS = 600.0
"""How long the answer to the same call of the same account is used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignTool:
    """A tool of another server. `name` is the one that the model calls, `tool` the server's own; `schema` is the JSON
    Schema of its arguments as the server wrote it; `fingerprint` is of description and schema. With `masks_names` no
    name of the trace goes into its arguments."""

    name: str
    server: str
    tool: str
    description: str
    schema: str
    access: ToolAccess
    fingerprint: str
    masks_names: bool = False


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """What the server answered, as text of an unknown hand; `is_error` is the server's own word."""

    text: str
    is_error: bool = False


class ForeignCallFailed(Exception):
    """There is no answer. The text is ours and names nothing that the server wrote."""

    def __init__(self, text: str, code: Literal["unavailable", "timeout", "refused"]) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class McpTools(Protocol):
    """Whoever asks other servers."""

    async def offered(self, caller: Caller) -> tuple[ForeignTool, ...]:
        """What this caller's account may use now. A server that is away offers nothing, and delays nobody."""
        ...

    async def call(
        self, caller: Caller, name: str, arguments: dict[str, Any], *, is_approved: bool = False
    ) -> ForeignResult:
        """Call a tool that is offered. `is_approved`: a person has allowed this call, which one of access `ask` needs.

        Raises ForeignCallFailed: also for a tool that is not offered to this caller, or is not any more what was
        allowed.
        """
        ...


@dataclass(frozen=True, slots=True)
class CallerTools:
    """What one caller may use of it in one turn."""

    port: McpTools
    caller: Caller
    offered: tuple[ForeignTool, ...]

    @classmethod
    async def of(cls, port: McpTools | None, caller: Caller) -> "CallerTools | None":
        """None where there is nothing."""
        offered = () if port is None else await port.offered(caller)
        return None if port is None or not offered else cls(port, caller, offered)

    async def call(self, name: str, arguments: dict[str, Any], *, is_approved: bool = False) -> ForeignResult:
        """Raises ForeignCallFailed."""
        return await self.port.call(self.caller, name, arguments, is_approved=is_approved)
