"""What a tool is and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from server.agent.tools.contract.tool_context import Asking, Need
from server.protocol.events import ViewerAction
from server.protocol.wire_values import Colours, Table
from traces.model import Trace


class ToolArguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


A = TypeVar("A", bound=ToolArguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`text` is for the model, one fact a line; `data` holds the same facts as JSON values (what the answer is checked
    against), `table` and `ui` go to the page, `picture` is a PNG, `action` moves the viewer. Pickles."""

    text: str
    data: dict[str, Any]
    table: Table | None = None
    ui: dict[str, Any] | None = None
    picture: bytes | None = field(default=None, repr=False)
    action: ViewerAction | None = None
    asked: dict[str, Any] | None = None
    """What a page that answers is asked with, by its schema in `server/protocol/mounted.py`."""

    warning: bool = False


@dataclass(frozen=True, slots=True)
class PageReply:
    """What the page was asked with and what it answered; with the status `nobody_there` no page has. Pickles."""

    asked: dict[str, Any]
    result: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A]):
    """Either `answer`, a question of the trace alone (a module-level function, sent to a worker by name), or `ask`,
    which runs here and sends its own questions. `fields` are the keys of `data` that are safe to show: any other never
    leaves the tool. `narrow` says how to ask for less when the text is over its cap; `needs` is what its context must
    have for the tool to be offered at all; `guidance` is its paragraph of the system prompt, which goes where the tool
    goes. `answered` makes the outcome of what a page answers (a module-level function as well): where one that answers
    has mounted the tool, the turn waits for it. `coloured` is `answer` in the colours of the person's chart. `asks_by`
    names what the page mounts where that is not the tool itself; `approved` then runs here, once, when a person has
    answered. `is_outside`: what it answers is not of this trace.
    """

    name: str
    description: str
    arguments: type[A]
    answer: Callable[[Trace, A], Outcome] | None = None
    ask: Callable[[Asking, A], Awaitable[Outcome]] | None = None
    doing: Callable[[A], str]
    fields: frozenset[str]
    narrow: str
    needs: frozenset[Need] = frozenset()
    guidance: str = ""
    answered: Callable[[Trace, PageReply], Outcome] | None = None
    coloured: Callable[[Trace, A, Colours], Outcome] | None = None
    asks_by: str = ""
    approved: Callable[[Asking, PageReply], Awaitable[Outcome]] | None = None
    is_outside: bool = False

    @property
    def waits_by(self) -> str:
        """What the page mounts to answer it."""
        return self.asks_by or self.name
