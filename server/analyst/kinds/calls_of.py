"""Questions about single calls of a function: the slowest, how their lengths are spread, with which arguments."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds import call_counts, one_function, single_events
from server.analyst.kinds.device import tracks_of_kernels
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.meant_functions import meant
from server.analyst.kinds.one_function import leading
from server.analyst.question import Intent, Question
from server.analyst.sentence_forms import limit_asked, place_asked_for
from server.analyst.wording import CALLS, amount, begins, cited, cited_profile, coded, located

_FORMS = forms("calls_of")

OUTLIER = 3.0
"""Times the middle call's length from which the longest one stands out."""
COVERS = 0.8
"""Part of the recording from which a call is the program itself, and no call in it."""
SHOWN = 4
LISTED_ARGUMENTS = 4
NO_SINGLE_CALLS = (
    "**Single calls are not in this trace**: it holds samples or sums, so which call took long, and how their lengths "
    "are spread, it cannot say. A profiler that records every call can (viztracer, uftrace, a Chrome trace, spans)."
)

OF_SAMPLES_AMONG_CALLS = (
    "**Single calls of it are not in this recording**: samples were taken of it, and what was recorded call by call "
    "are tasks and other events."
)


def no_single_calls(evidence: Evidence) -> str:
    """That its single calls are not recorded: in all of the recording, or of it alone."""
    is_among_calls = any(one["kind"] == "evented" for one in evidence.profiles)
    return OF_SAMPLES_AMONG_CALLS if is_among_calls else NO_SINGLE_CALLS


NO_TIMES = "**When that was cannot be said: this recording has sums, and no times.**"


def _has_times(evidence: Evidence) -> bool:
    """Whether the recording can say what happened when."""
    known = (evidence.summary or {}).get("can_answer", ())
    return any("what happened when" in one for one in known)


def _is_of_one(question: Question) -> bool:
    """Whether the calls of one function are asked for."""
    return bool(question.names or question.maybe or question.handle)


def first(question: Question, evidence: Evidence) -> list[Call]:
    if _is_of_one(question):
        return one_function.first(question, evidence)
    return [SUMMARY, BY_SELF, ("get_longest_calls", {"limit": 20})]


def then(question: Question, evidence: Evidence) -> list[Call]:
    """The longest calls of the function and how long they took; then what the slowest of them was given."""
    if tracks := tracks_of_kernels(question.text, evidence):
        return [single_events.of_tracks(tracks, question.text)]
    rows = meant(question, evidence)
    calls: list[Call] = []
    if _is_of_one(question) and rows and not evidence.called("get_longest_calls"):
        name = rows[0]["name"][:100]
        everywhere = {"profile": "all"} if evidence.runs_in_several and evidence.has_one_clock else {}
        where = {"profile": question.profile} if question.profile else everywhere
        calls = [
            ("get_longest_calls", {"filter": name, "limit": 5} | where),
            ("get_top_functions", {"filter": name, "limit": 5} | where),
        ]
        if limit_asked(question.text):
            calls.append(single_events.of_function(rows[0]["handle"], question.text, question.profile))
        if question.intent is Intent.CALLS_OF and "histogram" in question.text.casefold():
            calls.append(("draw_chart", {"kind": "durations", "frame": rows[0]["handle"]}))
        return calls
    longest = _longest(question, evidence)
    return [("get_span_details", {"handle": longest[0]["handle"]})] if longest and longest[0]["handle"] else []


def _longest(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The longest single calls, of the function in question where one is; none where calls are not recorded."""
    found = evidence.first("get_longest_calls")
    if not found or not found["exact"]:
        return []
    rows: list[dict[str, Any]] = found["rows"]
    frames = [row["handle"] for row in meant(question, evidence)] if _is_of_one(question) else []
    length = ((evidence.main or {}).get("duration") or 0.0) if not frames else 0.0
    around = [row for row in rows if length and row["duration"] >= COVERS * length]
    parts = [*around[-1:], *rows[len(around) :]]  # of those that hold each other the last is where it forks or ends
    return [row for row in rows if row["frame"] in frames] or parts


def calls_of(question: Question, evidence: Evidence) -> list[str]:
    if tracks := tracks_of_kernels(question.text, evidence):
        kernels = single_events.found(single_events.of_tracks(tracks, question.text), evidence)
        return [single_events.said(kernels, "kernel", question.text, evidence)] if kernels else [NO_SINGLE_CALLS]
    if (question.names or question.maybe or question.handle) and not meant(question, evidence):
        return one_function.unknown(question, evidence)
    found, rows = evidence.first("get_longest_calls"), _longest(question, evidence)
    if not rows and not _has_times(evidence) and _FORMS.at_what_time.search(question.text):
        return [NO_TIMES, leading(evidence, "What takes the most is")]
    if not rows or found is None:
        return (
            _means(question, evidence)
            if _function(question, evidence)
            else [no_single_calls(evidence), leading(evidence, "Over all of the recording the hottest function is")]
        )
    longer = single_events.of_function(rows[0]["frame"], question.text, question.profile)
    if limit_asked(question.text) and (calls := single_events.found(longer, evidence)):
        return [single_events.said(calls, "call", question.text, evidence), _arguments(evidence)]
    place = min(place_asked_for(question.text), len(rows) - 1)
    unit, longest = found["unit"], rows[place]
    which = ("", "second ", "third ", "fourth ")[place]
    took = f"**The {which}slowest call of {_called(longest)} took {amount(longest['duration'], unit)}**"
    given, spread = _arguments(evidence), _spread(question, evidence, longest)
    if question.intent is Intent.ARGUMENTS:
        given, spread = spread.strip(), f" {given}"
    first_ = f"{took}, from {begins(longest, unit)} on{_thread(evidence, longest)}{located(longest)}.{spread}"
    after = rows[place + 1 : place + SHOWN]
    others = [f"{_called(row)} {amount(row['duration'], unit)} at {begins(row, unit)}" for row in after]
    return [first_, given, f"After it: {', '.join(others)}." if others else "", _drawn(evidence)]


def _means(question: Question, evidence: Evidence) -> list[str]:
    """How often it was called and for how long on average come first where calls were counted."""
    counts = call_counts.how_often(question, evidence)[:1]
    if evidence.counted != CALLS or not counts:
        return [no_single_calls(evidence), *counts]
    if not _FORMS.longest.search(question.text):
        return [*counts, no_single_calls(evidence)]
    return [f"**Which call took longest cannot be said**: its single calls are not in this trace. {counts[0]}"]


def _function(question: Question, evidence: Evidence) -> bool:
    return bool((question.names or question.maybe or question.handle) and evidence.first("get_callers_callees"))


def _called(row: dict[str, Any]) -> str:
    return cited({"name": row["name"], "handle": row["handle"]})


def _thread(evidence: Evidence, row: dict[str, Any]) -> str:
    """Where it ran, when that may be in several threads."""
    profile = evidence.profile(row["profile"]) if evidence.runs_in_several else None
    return f" in {cited_profile(profile)}" if profile else ""


def _spread(question: Question, evidence: Evidence, longest: dict[str, Any]) -> str:
    """How many calls there were, how long the middle one took, and whether the longest stands out."""
    rankings = [result.data for result in evidence.all("get_top_functions") if "filter" in result.arguments]
    rows = [
        row for data in rankings for row in data["rows"] if row["handle"] == longest["frame"] and "durations" in row
    ]
    if not rows:
        return ""
    took, unit = rows[0]["durations"], "nanoseconds"
    middle = f" Of its {took['calls']:,} calls the middle one took {amount(took['median'], unit)}"
    if took["calls"] > 1 and took["median"] > 0 and took["longest"] >= OUTLIER * took["median"]:
        times = took["longest"] / took["median"]
        return f"{middle}: it is an outlier, {linked(f'{times:,.0f}', times)} times as long."
    return f"{middle}, so it is not far from the others."


def _arguments(evidence: Evidence) -> str:
    details = evidence.first("get_span_details")
    if details is None:
        return ""
    if not details["arguments"]:
        return "With which arguments it was called is not recorded."
    listed = ", ".join(
        f"{coded(one['name'], 40)} = {coded(one['text'], 120)}" for one in details["arguments"][:LISTED_ARGUMENTS]
    )
    return f"It was called with {listed}."


def _drawn(evidence: Evidence) -> str:
    return "The histogram shows how long its calls took." if evidence.first("draw_chart") else ""
