"""What this turn's tools returned, as data: results by tool, and the rows the plan and the report both look at."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

PSEUDO_FRAMES = frozenset(
    {"(program)", "(idle)", "(root)", "[root]", "(garbage collector)", "<module>", "(anonymous)", "all", "root"}
)
"""Names that profilers give to what is not one function of the program: never named as what dominates while there is
another.
"""


CLEARLY_MORE = 1.5
"""How many times the main profile's hottest function another profile's must weigh to be named first."""

WAITING = re.compile(r"wait|sleep|select|poll|accept|recv|park|futex|idle|readinto|\bread\b|join", re.IGNORECASE)
"""Functions that mostly wait: the thread they fill is not what makes a program slow."""


@dataclass(frozen=True, slots=True)
class Result:
    """One tool call of this turn; `data` is empty when it failed."""

    tool: str
    arguments: dict[str, Any]
    data: dict[str, Any]
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Lead:
    """The row that leads a ranking, and the ranking it leads."""

    row: dict[str, Any]
    rows: list[dict[str, Any]]
    unit: str
    whole: float
    profile: str


@dataclass(frozen=True, slots=True)
class Evidence:
    prompt: str
    viewer: dict[str, Any]
    results: tuple[Result, ...]
    windows: list[dict[str, Any]] = field(default_factory=list)
    """Stretches with a name, in milliseconds from their profile's start."""

    def all(self, tool: str) -> list[Result]:
        return [result for result in self.results if result.tool == tool and not result.failed]

    def first(self, tool: str, **arguments: Any) -> dict[str, Any] | None:
        """The data of the first good call of that tool with these arguments."""
        for result in self.all(tool):
            if all(result.arguments.get(key) == value for key, value in arguments.items()):
                return result.data
        return None

    def called(self, tool: str) -> bool:
        return any(result.tool == tool for result in self.results)

    @property
    def lead(self) -> Lead | None:
        """The hottest function of the main profile, or of another that was ranked too, when it weighs clearly more
        there.
        """
        leads = [lead for result in self.all("get_top_functions") if (lead := lead_of(result.data))]
        if not leads:
            return None
        first, *others = leads
        weightier = [
            other
            for other in others
            if other.unit == first.unit
            and other.row["self_value"] > CLEARLY_MORE * first.row["self_value"]
            and other.row["count"] > 1
            and not WAITING.search(other.row["name"])
        ]
        return max([first, *weightier], key=lambda lead: lead.row["self_value"]) if weightier else first

    @property
    def matches(self) -> list[dict[str, Any]]:
        """Rows of the first search that found something."""
        return next((result.data["rows"] for result in self.all("find_frames") if result.data["rows"]), [])


def lead_of(ranking: dict[str, Any]) -> Lead | None:
    """A function of the program before any pseudo frame; None for an empty ranking."""
    rows = ranking["rows"]
    if not rows:
        return None
    row = next((row for row in rows if row["name"] not in PSEUDO_FRAMES and row["self_value"] > 0), rows[0])
    return Lead(row, rows, ranking["unit"], ranking["whole"], ranking["profile"])


def gathered_evidence(messages: Sequence[BaseMessage]) -> Evidence:
    """The current turn's prompt and results; messages that exist for one call only are looked past."""
    start = max(
        index
        for index, message in enumerate(messages)
        if isinstance(message, HumanMessage) and not message.additional_kwargs.get("transient")
    )
    calls: dict[str, dict[str, Any]] = {}
    results: list[Result] = []
    for message in messages[start + 1 :]:
        if isinstance(message, AIMessage):
            calls |= {call["id"] or "": {"name": call["name"], "args": call["args"]} for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            call = calls.get(message.tool_call_id, {"name": message.name or "", "args": {}})
            artifact = message.artifact if isinstance(message.artifact, dict) else {}
            results.append(
                Result(
                    call["name"],
                    call["args"],
                    artifact.get("data", {}),
                    message.text,
                    message.status == "error" or not artifact,
                )
            )
    prompt = messages[start]
    said = prompt.additional_kwargs
    return Evidence(
        said.get("prompt") or prompt.text, said.get("viewer") or {}, tuple(results), said.get("windows") or []
    )
