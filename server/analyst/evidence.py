"""What this turn's tools returned, as data: results by tool, and the rows the plan and the report both look at."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from server.agent.verification.references.figure_links import without_addresses
from server.agent.verification.references.tool_results import NUMBER
from server.analyst.figures import Figure, referenced
from server.analyst.ordinals import ranked_in

PSEUDO_FRAMES = frozenset(
    {
        "RunTask",
        "runtime.asyncPreempt",
        "ThreadControllerImpl::RunTask",
        "ThreadPool_RunTask",
        "(program)",
        "(idle)",
        "(root)",
        "[root]",
        "(garbage collector)",
        "<module>",
        "(anonymous)",
        "all",
        "root",
    }
)
"""Names that profilers give to what is not one function of the program: none is said to dominate before another."""


EVENTS = PSEUDO_FRAMES | {
    *("EventDispatch", "FunctionCall", "TimerFire", "FireAnimationFrame", "RunMicrotasks", "EvaluateScript"),
    "v8.callFunction",
}
"""Names of what a browser did, too: a function named next to one is what an answer is about."""
OF_THE_SAME_THREADS = frozenset({"Without native calls", "With native calls"})
"""Two profiles of a Java recording: the second has the samples of the first."""
MUCH_COLLECTED = 0.3
"""Self share from which garbage collection is what a trace is about."""
_BY_WORD = (
    r"(?<![/\w])gcs?\b|garbage|GC_|_gc\b|mark.?sweep|scaveng|gcBgMark|gc_collect|M(?:in|aj)or ?GC|gcDrain|gcAssist|"
    r"gcStart|sweepone|cycle collect|^\((?:sweeping|marking)\)$"
)
_OF_THE_JVM = (
    r"^G1(?:New|Old|Full)\b|^(?:ParNew|DefNew|SerialOld|ParallelOld|ConcurrentMarkSweep|ZGC|Shenandoah)\b|"
    r"GC(?:Minor|Major|Slice)"
)
COLLECTORS = (_BY_WORD, _OF_THE_JVM)
GARBAGE = re.compile("|".join(COLLECTORS), re.IGNORECASE)
"""How CPython, V8, Go, the JVM, GHC and Chrome name the frames of their collectors."""

GOES_BACK = 3
"""Prompts before the last one that say what `and parse?` asks of `parse`."""
OPENINGS = 6
"""Earlier answers in a summary of the conversation."""
_CITED = re.compile(r"\[`([^`\n]+)`\]\(#([fns]\d+)\)")

_CULPRIT = re.compile(r"Below it the largest part is \w+ in (?=\[`)")
"""What an opening calls the reason for the cost of another function: what a person goes on about."""
_OF_A_THREAD = re.compile(r"^thread \(\d+\)")
"""How py-spy writes the root of a thread: no function to go on about."""
_SET_AGAINST = re.compile(
    r"\btakes more\b|\btimes (?:as|what)\b|\bhas more calls\b|\btake the same\b|\bare called as often\b|"
    r"\btakes? the most of them\b"
)
"""How an opening sets one function against another."""
# How an answer begins that names functions only as what could be meant, or asked.
_OF_NOTHING = re.compile(r"This trace has no function that matches|\*\*(?:I cannot answer that|The recording does not)")
_CITED_PROFILE = re.compile(r"\]\(#(p\d+)\)")


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
class SpokenOf:
    """What the answer before this prompt begins with: a handle, its citation as it was written, the prompt that it
    answered, and the profile that it names, if it does."""

    handle: str
    cited: str
    prompt: str
    profile: str | None = None
    prompts: tuple[str, ...] = ()
    """The prompts before that one."""
    listed: tuple[str, ...] = ()
    """The handles of all functions that the answer cites, in its order."""
    ranked: tuple[str, ...] = ()
    """The handles of the newest list of several functions that an answer gave, in its order."""
    threads: tuple[str, ...] = ()
    """The handles of all profiles that the answer cites, in its order, where it begins with one."""
    pair: tuple[str, ...] = ()
    """The handles of the two functions that were spoken of last: those that the answer compares, else the newest."""
    sets_against: bool = False
    """Whether the answer sets these two against each other."""
    is_aside: bool = False
    """Whether the answer names a function only after its first paragraph: it is about something else."""

    @property
    def name(self) -> str:
        """Of what the answer before was about."""
        return self.cited.removeprefix("[`").partition("`")[0]


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

    def called(self, tool: str) -> bool:
        return any(result.tool == tool for result in self.results)

    @property
    def summary(self) -> dict[str, Any] | None:
        return self.first("get_trace_summary")

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
        main, rows = self.main, (self.summary or {}).get("profiles", [])
        return main is not None and any(
            row["handle"] != main["handle"]
            and (row["kind"], row["unit"]) == (main["kind"], main["unit"])
            and not {row["name"], main["name"]} <= OF_THE_SAME_THREADS
            for row in rows
        )

    def profile(self, handle: str | None) -> dict[str, Any] | None:
        """A profile's row, as far as it was listed."""
        listed = [*(self.summary or {}).get("profiles", []), *(self.first("list_profiles") or {}).get("profiles", [])]
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
        rows = [row for row in (self.summary or {}).get("profiles", []) if row.get("waits") == "waiting"]
        return [row["handle"] for row in sorted(rows, key=lambda row: -(row["total"] or 0)) if row["total"]]

    @property
    def memory_profiles(self) -> list[str]:
        """Handles of the profiles besides the main one that measure bytes, in the order of the trace."""
        main = (self.main or {}).get("handle")
        rows = [row for row in (self.summary or {}).get("profiles", []) if row["unit"] == "bytes" and row["total"]]
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


def collects(name: str) -> bool:
    """Whether a frame by its name is the garbage collector."""
    return GARBAGE.search(name) is not None


def is_pseudo(row: dict[str, Any]) -> bool:
    """Whether a row is not one function of the program; a collector is only where it does not dominate."""
    name = row["name"]
    collected = collects(name) and row.get("self_share", 0.0) < MUCH_COLLECTED
    return name in PSEUDO_FRAMES or _OF_A_THREAD.match(name) is not None or name.startswith("(other ") or collected


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
        said.get("prompt") or prompt.text,
        said.get("viewer") or {},
        tuple(results),
        said.get("windows") or [],
        _spoken_of(messages[:start]),
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


def _pair(answers: Sequence[str], newest: str) -> tuple[str, ...]:
    """The two functions spoken of last, by the answers, the newest first; `newest` is what the first is about."""
    opening = without_addresses(answers[0]).partition("\n")[0]
    found = [one[2] for one in _CITED.finditer(opening)] if _SET_AGAINST.search(opening) else [newest]
    for answer in answers[1:]:
        first = next(
            (
                one
                for one in _CITED.finditer(answer.partition("\n")[0])
                if one[1] not in EVENTS and not _OF_A_THREAD.match(one[1])
            ),
            None,
        )
        found += [first[2]] if first else []
    return tuple(dict.fromkeys(found))[:2]


def _spoken_of(earlier: Sequence[BaseMessage]) -> SpokenOf | None:
    """None when nothing was answered yet, or the newest answer cites no function."""
    answers = [at for at, message in enumerate(earlier) if isinstance(message, AIMessage) and message.text]
    found = list(_CITED.finditer(earlier[answers[-1]].text)) if answers else []
    if not found or _OF_NOTHING.match(earlier[answers[-1]].text):
        return None
    cited = next((one for one in found if one[1] not in EVENTS and not _OF_A_THREAD.match(one[1])), found[0])
    opening = earlier[answers[-1]].text.partition("\n")[0]
    in_opening = list(_CITED.finditer(opening))
    if in_opening and all(collects(one[1]) for one in in_opening):
        cited = in_opening[0]  # the collector is what was asked for
    if culprit := _CULPRIT.search(opening):
        cited = _CITED.match(opening, culprit.end()) or cited
    asked = [message for message in earlier[: answers[-1]] if isinstance(message, HumanMessage)]
    text = earlier[answers[-1]].text
    profile = _CITED_PROFILE.search(text.partition("\n")[0])
    first_profile = _CITED_PROFILE.search(text)
    of_profile = first_profile is not None and first_profile.start() < found[0].start()
    *before, last = [message.additional_kwargs.get("prompt") or message.text for message in asked] or [""]
    return SpokenOf(
        handle=cited[2],
        cited=cited[0],
        prompt=last,
        profile=profile[1] if profile else None,
        prompts=tuple(before[-GOES_BACK:]),
        listed=tuple(dict.fromkeys(one[2] for one in found)),
        pair=_pair([earlier[at].text for at in reversed(answers)], cited[2]),
        sets_against=_SET_AGAINST.search(opening) is not None and len(set(_CITED.findall(opening))) > 1,
        ranked=next((ranked for at in answers[:-GOES_BACK:-1] if (ranked := ranked_in(earlier[at].text))), ()),
        is_aside="](#f" not in text.partition("\n\n")[0] and "](#n" not in text.partition("\n\n")[0],
        threads=tuple(dict.fromkeys(_CITED_PROFILE.findall(text))) if of_profile else (),
    )
