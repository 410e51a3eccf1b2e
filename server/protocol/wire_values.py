"""What messages and events carry."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from server.protocol.base import WireModel
from server.protocol.mounted import Mounted


class Window(WireModel):
    """A range of a profile's axis, in its unit (nanoseconds for time)."""

    start: float
    end: float


Colours = Literal["file", "package", "category", "owner", "role", "warm", "ice", "safe"]
"""By what boxes are coloured: the names of `rendering.palette`, which a test compares."""


class ViewerState(WireModel):
    """What the person is looking at. `selection` is a handle; `mounted_tools` are the viewer's own tools that are on
    the page; pictures of an answer have the chart's `colours`."""

    view: Literal["time_order", "left_heavy", "sandwich", "diff"] | None = None
    profile: str | None = None
    selection: str | None = None
    window: Window | None = None
    mounted_tools: Mounted = ()
    colours: Colours = "file"


class GateOpening(WireModel):
    """What a gate of the account found broken of the trace, as Markdown, by rule and without a model; `before` is the
    newest of the runs that it was judged by, where that is still there."""

    result_id: str
    gate_name: str
    text: str
    before_trace_id: str | None = None
    before_name: str | None = None


class Opening(WireModel):
    """The deterministic start of a session: costs nothing, needs no model."""

    summary: str
    findings: list[str]
    suggestions: list[str]
    gate: GateOpening | None = None


class HistoryMessage(WireModel):
    """One row of the conversation, as the page shows it."""

    message_id: str
    turn_id: str | None
    position: int
    sender: Literal["user", "model", "tool_request", "tool_result", "tool_error", "system_event"]
    content_text: str
    content_image_url: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_args: dict[str, Any] | None = None
    tool_status: Literal["success", "success_with_warning", "error"] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    created_at: datetime
    feedback: Literal[-1, 0, 1] | None = None


class LimitsView(WireModel):
    """Where the caller stands; `null` limits are unlimited."""

    plan_name: str
    messages_used: int
    messages_limit: int | None
    sessions_used: int
    sessions_limit: int | None
    resets_at: datetime | None = None


class RunningTurn(WireModel):
    turn_id: str
    seq: int


class SnapshotMessage(WireModel):
    """Text of the answer so far; `position` orders it among the turn's tool cards."""

    message_id: str
    position: int
    text: str


class Table(WireModel):
    columns: list[str]
    rows: list[list[str | int | float | None]]


class SnapshotTool(WireModel):
    """A tool card as it stands: running until it has a status."""

    tool_call_id: str
    tool_name: str
    position: int
    args: dict[str, Any]
    message: str
    status: Literal["running", "success", "success_with_warning", "error"]
    result_type: Literal["text", "image", "table"] | None = None
    text_content: str | None = None
    image_url: str | None = None
    table: Table | None = None
    ui_payload: dict[str, Any] | None = None
    truncated: bool = False


class AskedOfPage(WireModel):
    """What a turn waits for: the answer of a page to one call of a tool, until `expires_at`. `args` are by the tool's
    schema."""

    interrupt_id: str
    tool_call_id: str
    tool_name: str
    args: dict[str, Any]
    expires_at: datetime


class Usage(WireModel):
    """Of one turn; token counts are absent when the provider does not say. `cost` is in US dollars, absent when the
    price of the model, or what was used, is not known. `model` is the one that answered, as people read it; `seconds`
    is how long the agent worked on the answer, absent in answers older than this field."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    model_calls: int = 0
    tool_calls: int = 0
    cost: float | None = None
    model: str | None = None
    seconds: float | None = None


class Citation(WireModel):
    """A handle that the answer cites, resolved; name, file, line and engine version let a later reader resolve it
    again. Of `kind` `document` it is a passage (`k17`) of the `document`, under its `heading`, and no place in the
    trace."""

    kind: Literal["trace", "document"] = "trace"
    handle: str
    label: str
    name: str
    file: str | None = None
    line: int | None = None
    engine_version: str
    document: str | None = None
    heading: str | None = None


class OutsideSource(WireModel):
    """Who outside the trace was asked for an answer, and answered: a site, a page, another server, a repository; or
    a document that it cites by its `handle`, such as `k17`. `url` is null where there is none to open."""

    name: str
    url: str | None = None
    handle: str | None = None


class FigurePlace(WireModel):
    """Where a figure is in the chart: a handle, its profile, and the window in which it was measured."""

    handle: str
    profile: str | None = None
    window: Window | None = None


class Check(WireModel):
    """One claim of the answer, compared with the turn's tool results and the trace. `start` and `end` are character
    offsets in the answer; `how` says where a value comes from, such as `412 ms of 1.20 s`. `actual` is what the trace
    says instead of a claim that it contradicts. `address` is that of a figure which is a link, where it resolves:
    verified, it is exact by reference. `place` is where such a figure is in the chart, when its address does not say.
    `external` is a figure of another source, which the trace does not verify."""

    claim: str
    kind: Literal["number", "percentage", "ratio", "count", "name", "window", "cause", "relation"]
    status: Literal["verified", "derived", "contradicted", "unchecked", "not_found", "external"]
    how: str | None = None
    actual: str | None = None
    address: str | None = None
    place: FigurePlace | None = None
    tool_call_id: str | None = None
    start: int
    end: int


class ProposedFact(WireModel):
    """A change of what is remembered, for the person to decide on: `text` comes, `old` goes. `decision` is `auto` where
    a setting has kept it, which can be undone; null where it waits."""

    proposal_id: str
    turn_id: str
    action: Literal["append", "replace", "forget"]
    text: str | None
    old: str | None
    reason: str
    decision: Literal["auto"] | None = None


class MemoryState(WireModel):
    """The version of what is remembered, and what of this conversation the person can decide on."""

    version: int
    proposals: list[ProposedFact]
