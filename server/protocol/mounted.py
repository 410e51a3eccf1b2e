"""The tools that a page may mount: what each is asked with and what the page answers, in both directions of the wire.

A plain name mounts a tool that the page obeys without an answer. With a version the page answers: `navigate`,
`ask_person`, `pick_trace` and `approve_call` (another server's tool that a person has to allow) then wait for it,
`read_view` has what is on screen as its context.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from server.protocol.base import WireModel

MAX_CONTEXT_BYTES = 2_048
MAX_MOUNTED = 32
MAX_BOXES = 20
VERSION = 1

Handle = Annotated[str, Field(max_length=16, pattern=r"^[fnsp]\d{1,10}$")]
Label = Annotated[str, Field(max_length=200)]


class ShownWindow(WireModel):
    """A range of a profile's axis, in its unit."""

    start: float
    end: float


class ShownBox(WireModel):
    """One box on screen: its function, its row and where it lies on the axis."""

    frame: Handle
    row: Annotated[int, Field(ge=0)]
    start: float
    end: float


class ShownView(WireModel):
    """What is on screen. Names are left to whoever has the trace: boxes and the selection are handles. `depth` is the
    number of rows with a box, `boxes` the widest of the window."""

    profile: Handle
    view: Literal["time_order", "left_heavy", "sandwich", "diff"]
    window: ShownWindow
    depth: Annotated[int, Field(ge=0)] = 0
    boxes: Annotated[tuple[ShownBox, ...], Field(max_length=MAX_BOXES)] = ()
    selection: Handle | None = None
    search: Label | None = None
    filters: Annotated[tuple[Label, ...], Field(max_length=20)] = ()


class NavigateArgs(WireModel):
    """One step of the chart, as in `viewer_action`."""

    action: Literal["set_view", "zoom", "select", "highlight", "compare"]
    handle: str | None = None
    window: ShownWindow | None = None
    view: Literal["time_order", "left_heavy", "sandwich", "diff"] | None = None
    profile: str | None = None
    pattern: str | None = None
    trace_id: str | None = None


class NavigateResult(WireModel):
    """`view` is what the chart shows afterwards, `problem` why it is not what was asked for."""

    status: Literal["shown", "not_shown"]
    view: ShownView | None = None
    problem: Label | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.status == "shown" and self.view is None:
            raise ValueError("what is shown has a view")
        return self


class AskPersonArgs(WireModel):
    question: str
    choices: list[str]


class AskPersonResult(WireModel):
    """One of the choices, or the person's own words."""

    status: Literal["answered", "declined"]
    answer: Annotated[str, Field(min_length=1, max_length=500)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.status == "answered") != (self.answer is not None):
            raise ValueError("an answer comes with the status answered, and only with it")
        return self


class OfferedTrace(WireModel):
    trace_id: str
    name: str
    created: str


class PickTraceArgs(WireModel):
    question: str
    traces: list[OfferedTrace]


class PickTraceResult(WireModel):
    """One of the traces that were offered."""

    status: Literal["picked", "declined"]
    trace_id: Annotated[str, Field(max_length=64)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.status == "picked") != (self.trace_id is not None):
            raise ValueError("a trace comes with the status picked, and only with it")
        return self


class ApproveCallArgs(WireModel):
    """A call of another server's tool, with all that would leave."""

    server: str
    tool: str
    arguments: dict[str, Any]


class ApproveCallResult(WireModel):
    """Whether this one call may be made."""

    status: Literal["allowed", "declined"]


NOBODY_THERE: dict[str, Any] = {"status": "nobody_there"}
"""What a turn goes on with when no page has answered in time; no page sends it."""

PLAIN = frozenset({"show_in_viewer", "navigate", "set_filter"})
"""Tools that a plain name mounts."""

WITH_A_VERSION = PLAIN | {"read_view", "ask_person", "pick_trace", "approve_call"}

ARGUMENTS: dict[str, type[WireModel]] = {
    "navigate": NavigateArgs,
    "ask_person": AskPersonArgs,
    "pick_trace": PickTraceArgs,
    "approve_call": ApproveCallArgs,
}
RESULTS: dict[str, type[WireModel]] = {
    "navigate": NavigateResult,
    "ask_person": AskPersonResult,
    "pick_trace": PickTraceResult,
    "approve_call": ApproveCallResult,
}
"""By tool that waits: what the page is asked with, and what it answers."""

WAITS_S: dict[str, float] = {"navigate": 20.0, "ask_person": 300.0, "pick_trace": 300.0, "approve_call": 300.0}
"""How long a page, or the person before it, is waited for."""


class MountedTool(WireModel):
    """A viewer's tool on a page that answers. `context` is what the page says of it: data for the model, at most 2 kB
    as JSON; of `read_view` it is a ShownView."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    version: Annotated[int, Field(ge=1)]
    context: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.context is not None and len(json.dumps(self.context, ensure_ascii=False).encode()) > MAX_CONTEXT_BYTES:
            raise ValueError(f"a context has at most {MAX_CONTEXT_BYTES} bytes")
        if self.name == "read_view" and self.version == VERSION and self.context is not None:
            ShownView.model_validate(self.context)
        return self


PlainName = Annotated[str, Field(min_length=1, max_length=64)]
Mounted = Annotated[tuple[PlainName | MountedTool, ...], Field(max_length=MAX_MOUNTED)]
"""What a page mounts, each tool by its plain name or with a description."""


def mounted_names(mounted: Iterable[str | MountedTool]) -> frozenset[str]:
    """The tools of this server's list that are mounted in a form that it knows."""
    return frozenset(one if isinstance(one, str) else one.name for one in mounted if _is_known(one))


def ignored_tools(mounted: Iterable[str | MountedTool]) -> list[str]:
    """The names of the others, each once."""
    unknown = (one if isinstance(one, str) else one.name for one in mounted if not _is_known(one))
    return list(dict.fromkeys(unknown))


def answering_tools(mounted: Iterable[str | MountedTool]) -> frozenset[str]:
    """The tools for whose answer a turn may wait."""
    return frozenset(
        one.name for one in mounted if isinstance(one, MountedTool) and _is_known(one) and one.name in RESULTS
    )


def mounted_contexts(mounted: Iterable[str | MountedTool]) -> dict[str, dict[str, Any]]:
    """What the page says of its tools, by name."""
    found = (one for one in mounted if isinstance(one, MountedTool) and _is_known(one))
    return {one.name: one.context for one in found if one.context is not None}


def shown_view(mounted: Iterable[str | MountedTool]) -> ShownView | None:
    """What is on screen, where the page says it."""
    context = mounted_contexts(mounted).get("read_view")
    return None if context is None else ShownView.model_validate(context)


def page_result(tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> WireModel:
    """The page's answer, checked by the tool's schema and by what was asked. Raises ValueError with the reason."""
    model = RESULTS.get(tool)
    if model is None:
        raise ValueError("nothing is waited for by this tool")
    try:
        answer = model.model_validate(result)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {first['msg']}" if where else str(first["msg"])) from None
    if isinstance(answer, PickTraceResult) and answer.trace_id is not None:
        asked = PickTraceArgs.model_validate(arguments)
        if answer.trace_id not in {one.trace_id for one in asked.traces}:
            raise ValueError("traceId: this trace was not offered")
    return answer


def _is_known(one: str | MountedTool) -> bool:
    if isinstance(one, str):
        return one in PLAIN
    return one.name in WITH_A_VERSION and one.version == VERSION
