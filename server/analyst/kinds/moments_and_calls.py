"""Questions about when: a time range, a moment, two time ranges, start-up, long tasks."""

from typing import Any

from server.analyst.evidence import Evidence, Lead, first_of_table, lead_of
from server.analyst.figures import WINDOW
from server.analyst.findings import sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import gaps, imports
from server.analyst.kinds.device import asks_how_busy, on_device
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import overview
from server.analyst.kinds.overview import then as then_overview
from server.analyst.kinds.paths import LEADS, STILL, heaviest_path, is_entry, parts_of, parts_said, path_in_it
from server.analyst.moments import TimeRange
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import Question
from server.analyst.wording import amount, cited, cited_profile, coded, joined, moment, noun, own, share, table, total

_FORMS = forms("moments_and_calls")

NS_PER_MS = 1_000_000
NO_MOMENTS = (
    "**This trace cannot say what happened when**: it holds sums over the whole recording, without an order in time. "
    "Record one with moments: a Chrome trace, speedscope from py-spy, perf script, viztracer."
)


def _length_ms(evidence: Evidence) -> float | None:
    """How long the main profile's axis is; None without time."""
    summary = evidence.summary
    main = evidence.profile((summary or {}).get("default_profile"))
    if summary is None or main is None or evidence.finding("no-order"):
        return None
    length = summary.get("duration_ns") if main["unit"] != "nanoseconds" else main["duration"]
    return length / NS_PER_MS if length else None


def _windows(question: Question, evidence: Evidence) -> list[tuple[TimeRange, float, float]]:
    length = _length_ms(evidence)
    if length is None:
        return []
    return [(one, *one.within(length)) for one in question.time_ranges]


def then_window(question: Question, evidence: Evidence) -> list[Call]:
    length = _length_ms(evidence)
    calls: list[Call] = []
    for time_range, start, end in _windows(question, evidence)[:2]:
        if length is None or start >= length or end <= start:
            continue
        part = _arguments(time_range, start, min(end, length))
        calls.append(("get_top_functions", {"sort_by": "self", "limit": 8} | part))
        calls.append(("get_call_tree", {"max_nodes": 10} | part))
        calls.append(("get_longest_calls", {"limit": 5} | part))
        for other in _other_threads(question, evidence, start) if len(question.time_ranges) == 1 else ():
            of_it = part | {"profile": other["handle"]}
            calls.append(("get_top_functions", {"sort_by": "self", "limit": 1} | of_it))
        if len(question.time_ranges) == 1:
            calls.append(("generate_flamegraph_screenshot", {"mode": "time_order"} | part))
    return calls or ([BY_SELF] if not evidence.called("get_top_functions") else [])


OTHERS = 3
"""Threads besides the main one of which it is said what they do in a time range."""


def _other_threads(question: Question, evidence: Evidence, start: float) -> list[dict[str, Any]]:
    """The first listed threads besides the main one that last until `start`, in milliseconds; none where one is asked
    about."""
    main = evidence.profile((evidence.summary or {}).get("default_profile"))
    named = question.thread or question.profile or any(one.profile for one in question.time_ranges)
    if main is None or named or not evidence.runs_in_several:
        return []
    rows = [row for row in (evidence.summary or {})["profiles"] if row["handle"] != main["handle"]]
    alike = [
        row
        for row in rows
        if row["stands_for_thread"]
        and (row["kind"], row["pid"]) == (main["kind"], main["pid"])
        and (row["duration"] or 0) > start * NS_PER_MS
    ]
    return alike[:OTHERS]


def _meanwhile(question: Question, evidence: Evidence, part: dict[str, Any], leads: str) -> str:
    """What other threads do most in a time range, where that is not what `leads` in the main one; else empty."""
    said = []
    for other in _other_threads(question, evidence, part["start_time_ms"]):
        found = ranking_of(evidence, part | {"profile": other["handle"]})
        lead = lead_of(found) if found else None
        if found and lead and lead.row["self_value"] > 0 and lead.row["handle"] != leads:
            said.append(f"{cited(lead.row)} in {cited_profile(other)} ({own(lead.row, found['unit'])})")
    return f" Other threads then: {joined(said)}." if said else ""


def _arguments(time_range: TimeRange, start: float, end: float) -> dict[str, Any]:
    where = {"profile": time_range.profile} if time_range.profile else {}
    return {"start_time_ms": round(start, 6), "end_time_ms": round(end, 6)} | where


def _beyond_the_sum(question: Question, evidence: Evidence) -> str:
    """A word where what is asked about lies later than all of the recorded time is long."""
    main = evidence.profile((evidence.summary or {}).get("default_profile"))
    if main is None or main["unit"] != "nanoseconds":
        return ""
    total = main["total"] / NS_PER_MS
    if not any(time_range.within(total)[0] >= total for time_range in question.time_ranges):
        return ""
    return f" All that it recorded adds up to {moment(total)}, and what is asked about lies beyond that."


def window(question: Question, evidence: Evidence) -> list[str]:
    length = _length_ms(evidence)
    if length is None:
        beyond = _beyond_the_sum(question, evidence)
        return [f"{NO_MOMENTS}{beyond}", leading(evidence, "Over all of it the hottest function is")]
    windows = _windows(question, evidence)
    if not windows:
        return [
            "That stretch of time has no name that this trace knows.",
            leading(evidence, "Over all of it the hottest is"),
        ]
    if len(windows) > 1:
        return _two(windows[:2], evidence, length)
    time_range, start, end = windows[0]
    if start >= length:
        where = (
            f"at {moment(time_range.moment)}"
            if time_range.moment is not None
            else f"between {moment(start)} and {moment(end)}"
        )
        return [
            f"**Nothing happens {where}: the recording ends after {moment(length)}.**",
            leading(evidence, "Over all of it the hottest function is"),
        ]
    part = _arguments(time_range, start, min(end, length))
    found = ranking_of(evidence, part)
    span = _said(time_range, *(found or {}).get(WINDOW, (start, min(end, length))))
    if not found or not (lead := lead_of(found)):
        return [
            f"**Nothing ran {span}** in the main profile: it was idle then, or nothing was recorded.",
            leading(evidence, "Over all of it the hottest function is"),
        ]
    lead = first_of_table(lead)
    unit = found["unit"]
    main = evidence.profile(found["profile"]) if evidence.runs_in_several or question.thread else None
    thread = f" in {cited_profile(main)}" if main else ""
    cut = f" (the recording ends after {moment(length)})" if end > length else ""
    first = (
        f"**{cited(lead.row)} leads by self {noun(unit)} {span}**{cut}: {own(lead.row, unit)} of "
        f"{amount(found['whole'], unit)}{thread}."
    )
    if lead.row["self_share"] < LEADS and (parts := parts_of(evidence)):
        most = f"**{span[0].upper()}{span[1:]} the {noun(unit)} goes to {parts_said(parts, unit)}**{cut}."
        everything = f"{amount(found['whole'], unit)}{thread}"
        first = f"{most} By itself {cited(lead.row)} leads: {own(lead.row, unit)} of {everything}."
    else:
        first = f"{first}{_through(evidence, lead)}"
    return [
        f"{first}{_meanwhile(question, evidence, part, lead.row['handle'])}",
        path_in_it(evidence),
        _idle_part(found, start, min(end, length), unit),
        table(_busy(lead), unit),
        _longest(evidence, time_range, start),
    ]


def _through(evidence: Evidence, lead: Lead) -> str:
    """What most of it passes through: the first function that is no entry, and the last that still has most of it."""
    tree = evidence.first("get_call_tree")
    path = [one for one in heaviest_path(tree["nodes"]) if not is_entry(one["name"])] if tree else []
    path = [one for one in path if one["total_share"] >= STILL and one["frame_handle"] != lead.row["handle"]]
    inner = f", {share(path[-1]['total_share'])} through {cited(path[-1])}" if len(path) > 1 else ""
    return f" {share(path[0]['total_share'])} passes through {cited(path[0])}{inner}." if path else ""


def ranking_of(evidence: Evidence, part: dict[str, Any]) -> dict[str, Any] | None:
    return next(
        (
            result.data
            for result in evidence.all("get_top_functions")
            if all(result.arguments.get(key) == value for key, value in part.items())
        ),
        None,
    )


def _said(time_range: TimeRange, start: float, end: float) -> str:
    if time_range.end is None and time_range.start:
        return f"after {moment(start)}, until {moment(end)}"
    around = f"around {moment(time_range.moment)}, " if time_range.moment is not None else ""
    return f"{around}between {moment(start)} and {moment(end)}"


def _busy(lead: Lead) -> list[dict[str, Any]]:
    return [row for row in lead.rows if row["self_value"] > 0] or lead.rows[:1]


def _idle_part(found: dict[str, Any], start: float, end: float, unit: str) -> str:
    start, end = found.get(WINDOW, (start, end))
    length = (end - start) * NS_PER_MS
    if unit != "nanoseconds" or found["whole"] > 0.9 * length or length <= 0:
        return ""
    return f"It worked for {amount(found['whole'], unit)} of these {amount(length, unit)}; the rest is idle or waiting."


def _longest(evidence: Evidence, time_range: TimeRange, start: float) -> str:
    longest = evidence.first("get_longest_calls")
    rows = [row for row in (longest or {"rows": []})["rows"] if row["handle"]]
    if not longest or not rows:
        return ""
    shown = ", ".join(f"{span_cited(row)} ({amount(row['duration'], longest['unit'])})" for row in rows[:4])
    what = "calls" if longest["exact"] else "stretches of samples"
    return f"The longest {what} that touch it: {shown}."


def _two(windows: list[tuple[TimeRange, float, float]], evidence: Evidence, length: float) -> list[str]:
    """Two time ranges side by side: what leads in each, and what differs most."""
    rankings = []
    for time_range, start, end in windows:
        found = ranking_of(evidence, _arguments(time_range, start, min(end, length))) if start < length else None
        rankings.append((_said(time_range, start, min(end, length)), found, lead_of(found) if found else None))
    parts, leads = [], []
    for span, found, lead in rankings:
        if found and lead:
            leads.append(lead)
            head = f"{cited(lead.row)} leads {span}: {_part(lead, found)}."
            parts.append(f"{head}\n\n{table(_busy(lead)[:5], found['unit'])}")
        else:
            parts.append(f"Nothing ran {span}.")
    if len(leads) == 2:
        same = leads[0].row["handle"] == leads[1].row["handle"]
        verdict_ = (
            f"**In both {cited(leads[0].row)} leads.**"
            if same
            else f"**They differ: first {cited(leads[0].row)} leads, then {cited(leads[1].row)}.**"
        )
        return [verdict_, _changed(leads), *parts]
    return ["**Only one of them holds any work.**", *parts]


def _changed(leads: list[Lead]) -> str:
    """The function whose share differs most between two time ranges."""
    first, second = ({row["handle"]: row for row in lead.rows} for lead in leads)
    both = [handle for handle in first if handle in second and not is_pseudo(first[handle])]
    if not both:
        return ""
    most = max(both, key=lambda handle: abs(second[handle]["self_share"] - first[handle]["self_share"]))
    before, after = share(first[most]["self_share"]), share(second[most]["self_share"])
    return f"What changes most is {cited(first[most])}: {before} itself in the first, {after} in the second."


STARTS = 0.2
"""Part of a recording that stands for its beginning when no load is marked in it."""


def first_busiest(question: Question, evidence: Evidence) -> list[Call]:
    length = {"length_ms": question.length_ms} if question.length_ms else {}
    if not length and _FORMS.second.search(question.text):
        length = {"length_ms": 1e3}
    return [SUMMARY, BY_SELF, ("get_hottest_windows", {"limit": 3} | length)]


def busiest(question: Question, evidence: Evidence) -> list[str]:
    if asks_how_busy(question.text) and (of_device := on_device(evidence)):
        return of_device
    if gaps.is_for_them(question):
        return gaps.idle_times(evidence)
    found = evidence.first("get_hottest_windows")
    closing = leading(evidence, "Over all of it the hottest function is")
    if found is None:
        length_ms = _length_ms(evidence)
        if length_ms is None:
            return [NO_MOMENTS, closing]
        return [
            f"**The busiest time of that length cannot be looked for**: the recording is {moment(length_ms)} long.",
            closing,
        ]
    if not found["rows"]:
        return ["**Nothing ran at any time in the main profile.**", closing]
    unit, rows = found["unit"], found["rows"]
    length = amount(found["length"], "nanoseconds")
    spans = [f"{moment(row['start'] / NS_PER_MS)} to {moment(row['end'] / NS_PER_MS)}" for row in rows]
    most = _heaviest(rows[0], unit)
    return [
        f"**The busiest {length} is from {spans[0]}**: {amount(rows[0]['value'], unit)} of work, most of it in {most}.",
        "\n".join(
            f"- {span}: {amount(row['value'], unit)}, most of it in {_heaviest(row, unit)}"
            for span, row in zip(spans[1:], rows[1:], strict=True)
        ),
        f"On average such a time has {amount(found['average'], unit)}.",
        closing,
    ]


def _heaviest(row: dict[str, Any], unit: str) -> str:
    functions = [one for one in row["functions"] if not is_pseudo(one)] or row["functions"]
    return f"{cited(functions[0])} ({amount(functions[0]['self_value'], unit)})" if functions else "nothing by name"


def then_startup(question: Question, evidence: Evidence) -> list[Call]:
    """All of the recording, for a recording of a start is the start; and its first part."""
    calls = [*imports.calls(question, evidence), *then_overview(question, evidence)]
    part = _start(evidence)
    if part:
        calls.append(("get_top_functions", {"sort_by": "self", "limit": 5} | part))
    return calls


def _start(evidence: Evidence) -> dict[str, Any] | None:
    load = next((window for window in evidence.windows if window["name"] == "load"), None)
    if load:
        return {"start_time_ms": load["start_ms"], "end_time_ms": load["end_ms"], "profile": load["profile"]}
    length = _length_ms(evidence)
    return {"start_time_ms": 0.0, "end_time_ms": round(length * STARTS, 6)} if length else None


def startup(question: Question, evidence: Evidence) -> list[str]:
    if of_imports := imports.loads(question, evidence):
        return of_imports
    parts = overview(question, evidence)
    part = _start(evidence)
    found = ranking_of(evidence, part) if part else None
    lead = lead_of(found) if found else None
    early = ""
    if part and found and lead:
        start, end = found.get(WINDOW, (part["start_time_ms"], part["end_time_ms"]))
        span = f"between {moment(start)} and {moment(end)}"
        early = f"At the beginning, {span}, {cited(lead.row)} leads with {_part(lead, found)}."
    loads = evidence.finding("module-loading", "script-start", "compilation")
    return [parts[0], early, f"{sentence_of(loads)} {loads['advice']}" if loads else "", *parts[1:]]


def span_cited(row: dict[str, Any]) -> str:
    return cited(row | {"frame_handle": None})


def _part(lead: Lead, found: dict[str, Any]) -> str:
    return f"{own(lead.row, found['unit'])} of {amount(found['whole'], found['unit'])}"


MATCHES = 20


def then_there(question: Question, evidence: Evidence) -> list[Call]:
    """The rows of the function, and all that a time range without a name is asked for."""
    calls = then_window(question, evidence)
    if not question.names:
        return calls
    asked = {"sort_by": "total", "limit": MATCHES, "filter": question.names[0][:100]}
    windows = [arguments for tool, arguments in calls if tool == "get_top_functions" and "start_time_ms" in arguments]
    return [("get_top_functions", one | asked) for one in windows[:1]] or calls


def there(question: Question, evidence: Evidence) -> list[str]:
    """The function's figures there; where it does not run then, that."""
    found = _of_name(evidence) if question.names else None
    if found is None:
        return window(question, evidence)
    result, arguments = found
    name, unit = question.names[0], result["unit"]
    named = [row for row in result["rows"] if is_named(row, name)] or result["rows"]
    running = [row for row in named if row["total_value"] > 0]
    start, end = (moment(arguments[key]) for key in ("start_time_ms", "end_time_ms"))
    if not running:
        return [f"**{coded(name)} does not run between {start} and {end}** in the main profile.", ""]
    row = running[0]
    return [
        (
            f"**Between {start} and {end} {cited(row)} takes {total(row, unit)} in total and {own(row, unit)} "
            f"itself**, of {amount(result['whole'], unit)} in that time."
        ),
        leading(evidence, "Over all of it the hottest function is"),
    ]


def _of_name(evidence: Evidence) -> tuple[dict[str, Any], dict[str, Any]] | None:
    return next(
        (
            (one.data, one.arguments)
            for one in evidence.all("get_top_functions")
            if {"filter", "start_time_ms"} <= one.arguments.keys()
        ),
        None,
    )
