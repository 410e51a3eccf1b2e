"""What this turn's tools returned, as data: results by tool, and the rows the plan and the report both look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

PSEUDO_FRAMES = frozenset(
    {"(program)", "(idle)", "(root)", "[root]", "(garbage collector)", "<module>", "(anonymous)", "all", "root"}
)
"""Names that profilers give to what is not one function of the program: never named as what dominates while there is another."""


@dataclass(frozen=True, slots=True)
class Result:
    """One tool call of this turn; `data` is empty when it failed."""

    tool: str
    arguments: dict[str, Any]
    data: dict[str, Any]
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    prompt: str
    viewer: dict[str, Any]
    results: tuple[Result, ...]

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
    def hottest(self) -> dict[str, Any] | None:
        """The row with the most self time that is a function of the program, else the first row."""
        table = self.first("get_top_functions", sort_by="self")
        rows = table["rows"] if table else []
        return next((row for row in rows if row["name"] not in PSEUDO_FRAMES), rows[0] if rows else None)

    @property
    def matches(self) -> list[dict[str, Any]]:
        """Rows of the first search that found something."""
        return next((result.data["rows"] for result in self.all("find_frames") if result.data["rows"]), [])


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
    return Evidence(prompt.text, prompt.additional_kwargs.get("viewer") or {}, tuple(results))
