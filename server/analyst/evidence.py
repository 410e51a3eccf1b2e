"""What this turn's tools returned, as data: results by tool, and the rows the plan and the report both look at."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from server.agent.verification.references.tool_results import NUMBER
from server.analyst.figures import Figure, referenced
from server.analyst.pseudo_frames import PSEUDO_FRAMES, is_pseudo
from server.analyst.spoken_of import SpokenOf, spoken_of_before
from server.analyst.typing_slips import corrected

OF_THE_SAME_THREADS = frozenset({"Without native calls", "With native calls"})
"""Two profiles of a Java recording: the second has the samples of the first."""
OPENINGS = 6
"""Earlier answers in a summary of the conversation."""


def busy_of(row: dict[str, Any]) -> float:
    """How long a profile was busy; of what measures no time, how much it holds."""
    busy: float = (row["total"] or 0) if row.get("busy") is None else row["busy"]
    return busy


def length_of(row: dict[str, Any]) -> float:
    """How long the recording is that a profile's busy, waiting, idle and unknown time make up."""
    length = float(sum(row[part] or 0 for part in ("busy", "waiting", "idle", "unknown")))
    return Figure(length, f"{row['handle']}.duration")


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
    total: float
    profile: str


@dataclass(frozen=True, slots=True)
class Evidence:
    prompt: str
    viewer: dict[str, Any]
    results: tuple[Result, ...]
    windows: list[dict[str, Any]] = field(default_factory=list)
    """Time ranges with a name, in milliseconds from their profile's start."""
    spoken_of: SpokenOf | None = None
    openings: tuple[str, ...] = ()
    """The first paragraphs of the answers before this prompt."""
    remembered: tuple[str, ...] = ()
    """Facts that people of the account had remembered."""
    recalled: tuple[str, ...] = ()
    """What the person wrote earlier in this conversation that is near to the prompt."""

    def all(self, tool: str) -> list[Result]:
        return [result for result in self.results if result.tool == tool and not result.failed]

    def first(self, tool: str, **arguments: Any) -> dict[str, Any] | None:
        """The data of the first good call of that tool with these arguments."""
        for result in self.all(tool):
            if all(result.arguments.get(key) == value for key, value in arguments.items()):
                return result.data
        return None

    def rows(self, tool: str, **arguments: Any) -> list[Any]:
        """The rows of that call; none before it was made."""
        found: list[Any] = (self.first(tool, **arguments) or {"rows": []})["rows"]
        return found

    def called(self, tool: str) -> bool:
        return any(result.tool == tool for result in self.results)

    @property
    def summary(self) -> dict[str, Any] | None:
        return self.first("get_trace_summary")

    @property
    def profiles(self) -> list[dict[str, Any]]:
        """The summary's rows of profiles; none before it was asked for."""
        found: list[dict[str, Any]] = (self.summary or {}).get("profiles", [])
        return found

    @property
    def main(self) -> dict[str, Any] | None:
        """The summary's row of the profile that leads, else of the default one."""
        handle = self.lead.profile if self.lead else None
        return self.profile(handle) or self.profile((self.summary or {}).get("default_profile"))

    @property
    def counted(self) -> str | None:
        """What counts of the main profile are a number of; None without counts."""
        return (self.main or {}).get("counted")

    @property
    def runs_in_several(self) -> bool:
        """Whether there are more profiles like the main one, in which a function may be called, too."""
        main, rows = self.main, self.profiles
        return main is not None and any(
            row["handle"] != main["handle"]
            and (row["kind"], row["unit"]) == (main["kind"], main["unit"])
            and not {row["name"], main["name"]} <= OF_THE_SAME_THREADS
            for row in rows
        )

    @property
    def has_one_clock(self) -> bool:
        """Whether moments of all profiles can be set beside each other."""
        return not any("a clock of its own" in one for one in (self.summary or {}).get("cannot_answer", ()))

    def profile(self, handle: str | None) -> dict[str, Any] | None:
        """A profile's row, as far as it was listed."""
        listed = [*self.profiles, *(self.first("list_profiles") or {}).get("profiles", [])]
        return next((row for row in listed if row["handle"] == handle), None)

    @property
    def unit(self) -> str:
        """What the trace measures first."""
        main = self.main
        return str(main["unit"] if main else (self.summary or {}).get("unit", "nanoseconds"))

    @property
    def only_running(self) -> bool:
        """Whether time in which nothing ran is not recorded at all."""
        main = self.main
        return bool(main and main["quality"].get("only_running"))

    @property
    def measures_waiting(self) -> bool:
        """Whether waiting itself is what is measured, as in mutex and block profiles."""
        main = self.main
        return bool(main and any(value["name"] in ("delay", "contentions") for value in main["values"]))

    @property
    def waiting_profiles(self) -> list[str]:
        """Handles of the profiles that record nothing but waiting, such as monitors that threads waited for, the
        heaviest first."""
        rows = [row for row in self.profiles if row.get("waits") == "waiting"]
        return [row["handle"] for row in sorted(rows, key=lambda row: -(row["total"] or 0)) if row["total"]]

    @property
    def memory_profiles(self) -> list[str]:
        """Handles of the profiles besides the main one that measure bytes, in the order of the trace."""
        main = (self.main or {}).get("handle")
        rows = [row for row in self.profiles if row["unit"] == "bytes" and row["total"]]
        return [row["handle"] for row in rows if row["handle"] != main]

    def finding(self, *names: str) -> dict[str, Any] | None:
        """The first of these findings that the trace has."""
        found = {row["id"]: row for result in self.all("get_insights") for row in result.data["insights"]}
        return next((found[name] for name in names if name in found and found[name]["state"] == "fail"), None)

    def found(self) -> list[dict[str, Any]]:
        """What the trace has, worst first."""
        rows = {row["id"]: row for result in self.all("get_insights") for row in result.data["insights"]}
        return [row for row in rows.values() if row["state"] == "fail"]

    def findings(self, *kinds: str) -> list[dict[str, Any]]:
        """What the trace has of these kinds, worst first."""
        listed = self.first("get_insights") or {"insights": []}
        return [row for row in listed["insights"] if row["kind"] in kinds and row["state"] == "fail"]

    @property
    def lead(self) -> Lead | None:
        """The hottest function of the profile that was ranked first: the trace's first one, which the chart shows too,
        unless another was asked for."""
        return next((lead for result in self._rankings() if (lead := lead_of(result.data))), None)

    def _rankings(self) -> list[Result]:
        """Rankings by self value of complete profiles."""
        narrowed = {"my_code", "transforms", "start_time_ms", "end_time_ms", "filter", "value"}
        return [
            result
            for result in self.all("get_top_functions")
            if result.arguments.get("sort_by", "self") == "self" and not narrowed & result.arguments.keys()
        ]

    @property
    def own_lead(self) -> Lead | None:
        """The heaviest of the program's own functions when libraries' time goes to their callers."""
        for result in self.all("get_top_functions"):
            if result.arguments.get("my_code") and result.data["rows"]:
                return lead_of(result.data)
        return None

    @property
    def matches(self) -> list[dict[str, Any]]:
        """Rows of the first search that found something."""
        return next((result.data["rows"] for result in self.all("find_frames") if result.data["rows"]), [])


def lead_of(ranking: dict[str, Any]) -> Lead | None:
    """A function of the program before any pseudo frame; None for an empty ranking."""
    rows = ranking["rows"]
    if not rows:
        return None
    row = next((row for row in rows if not is_pseudo(row) and row["self_value"] > 0), rows[0])
    return Lead(row, rows, ranking["unit"], ranking["whole"], ranking["profile"])


def first_of_table(lead: Lead) -> Lead:
    """The lead, a collector too: what leads is what stands first in the table below."""
    named = (row for row in lead.rows if row["name"] not in PSEUDO_FRAMES and row["self_value"] > 0)
    return replace(lead, row=max(named, key=lambda row: row["self_value"], default=lead.row))


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
                    _addressed(artifact),
                    message.text,
                    message.status == "error" or not artifact,
                )
            )
    prompt = messages[start]
    said = prompt.additional_kwargs
    return Evidence(
        corrected(said.get("prompt") or prompt.text),
        said.get("viewer") or {},
        tuple(results),
        said.get("windows") or [],
        spoken_of_before(messages[:start]),
        tuple(
            message.text.partition("\n")[0]
            for message in messages[:start]
            if isinstance(message, AIMessage) and message.text
        )[-OPENINGS:],
        tuple(said.get("remembered") or ()),
        tuple(said.get("recalled") or ()),
    )


def _addressed(artifact: dict[str, Any]) -> dict[str, Any]:
    """A result's data; of a numbered one, with an address for every figure."""
    data: dict[str, Any] = artifact.get("data", {})
    if NUMBER not in artifact:
        return data
    return referenced(data, artifact[NUMBER], artifact["tool"], artifact["arguments"])
