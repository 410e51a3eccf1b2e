"""Events that were recorded one by one, a function's calls, pauses for collections, waits for locks: how many there
are, how long they take together, the middle one, the longest, and when that was.
"""

from dataclasses import dataclass
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.sentence_forms import limit_asked, place_asked_for
from server.analyst.wording import amount, cited_profile, coded

_FORMS = forms("single_events")
_GOING_ON = forms("going_on")

_SPANS = query("spans")
_SAMPLES = query("samples")
_RUNS = query("runs_of_samples")
_ELSEWHERE = query("samples_elsewhere")
_NUMBERS = query("numbers_of_events")
_PLACES = ("", "second ", "third ", "fourth ")


@dataclass(frozen=True, slots=True)
class Events:
    """`rows` are the longest: function, its name, how long, when, profile; times in ns."""

    rows: tuple[tuple[str, str, float, float | None, str], ...]
    count: Any
    together: Any
    middle: Any
    longer: Any
    longer_together: Any = None


def of_profile(row: dict[str, Any], text: str, kinds: str = "") -> Call:
    """The query for the events of a profile that records nothing else; `kinds` is a condition on their names."""
    sampled = _ELSEWHERE if row.get("order") == "none" else _SAMPLES
    events = sampled if row["kind"] == "sampled" else f"{_SPANS} AND one.depth = 0"
    return _query(events.format(where=f"one.profile = '{row['handle']}'{kinds}"), text)


def of_function(handle: str, text: str, profile: str | None = None) -> Call:
    """The query for the calls of a function, in all threads or one."""
    there = f" AND one.profile = '{profile}'" if profile and profile != "all" else ""
    return _query(_SPANS.format(where=f"one.frame = '{handle}'{there}"), text)


def of_sampled(handle: str, text: str) -> Call:
    """The query for samples of a function that follow one another without another between them."""
    return _query(_RUNS.format(frame=handle), text)


def of_tracks(handles: str, text: str) -> Call:
    """The query for the kernels on tracks of devices, in the recording's time; copies and fills are none."""
    there = f"one.profile IN ({handles}) AND NOT regexp_matches(lower(one.name), '^mem(cpy|set)')"
    return _query(_SPANS.replace(" - of_it.start_ms", "").format(where=there), text)


def of_tasks(profile: str, text: str) -> Call:
    """The query for what began by itself in a thread."""
    return _query(f"{_SPANS} AND one.depth = 0".format(where=f"one.profile = '{profile}'"), text)


def of_thread(profiles: list[dict[str, Any]], text: str) -> Call | None:
    """The query for what began by itself in the first of these profiles, where one of these events is asked for."""
    if not profiles or profiles[0]["kind"] != "evented" or not _FORMS.outlier.search(text):
        return None
    return of_tasks(profiles[0]["handle"], text)


def _query(events: str, text: str) -> Call:
    limit = limit_asked(text)
    return ("query_trace", {"sql": _NUMBERS.format(events=events, limit=f"{limit[0]:g}" if limit else "0")})


def found(call: Call, evidence: Evidence) -> Events | None:
    """What the query found; None before it was asked, and without events."""
    data = evidence.first("query_trace", sql=call[1]["sql"])
    rows = (data or {"rows": []})["rows"]
    if not rows:
        return None
    *_, events, together, middle, longer, these = rows[0]
    return Events(
        tuple(
            (f["name"], n["name"], took["value_ns"], at.get("value_ns"), p["name"]) for f, n, took, at, p, *_ in rows
        ),
        events["value"],
        together["value_ns"],
        middle["value_ns"],
        longer["value"],
        these.get("value_ns"),
    )


def said(events: Events, what: str, text: str, evidence: Evidence, of_all: str = "") -> str:
    """The figures of such events in two sentences, the one that is asked for first; `what` is one of them, `of_all`
    stands behind what they take together."""
    count = linked(f"{int(events.count):,}", events.count)
    many = f"{count} {what}s" if events.count != 1 else f"one {what}"
    place = min(place_asked_for(text), len(events.rows) - 1)
    frame, name, took, at, profile = events.rows[place]
    row = evidence.profile(profile)
    where = f" in [{coded(name)}](#{frame})" if frame else ""
    thread = f", {cited_profile(row)}" if row and (evidence.runs_in_several or row.get("tid")) else ""
    when = f" from {amount(at, 'nanoseconds')} on" if at is not None else ""
    longest = f"the {_PLACES[place]}longest {what} took {amount(took, 'nanoseconds')}{when}{where}{thread}"
    sums = f"{many} took {amount(events.together, 'nanoseconds')} together{of_all}"
    middle = f"the middle one {amount(events.middle, 'nanoseconds')}"
    if limit := limit_asked(text):
        over = linked(f"{int(events.longer):,}", events.longer)
        many = f"{count} {what}s" if events.count != 1 else f"the only {what}"
        those = f"**, {amount(events.longer_together, 'nanoseconds')} together." if events.longer_together else ".**"
        return f"**{over} of {many} took longer than {limit[1]}{those} {_upper(longest)}; {middle}."
    if _FORMS.than_others.search(text) and events.middle:
        times = took / events.middle
        times_as_long = f"{linked(f'{float(times):,.3g}', times)} times as long as the middle one"
        return f"**{_upper(longest)}, {times_as_long}**; {middle}, {sums}."
    if _FORMS.the_rest.search(text) and events.count > 1:
        rest = (float(events.together) - float(events.rows[0][2])) / (float(events.count) - 1)
        each = f"Without the longest one {what} took {amount(rest, 'nanoseconds')} on average"
        with_it = f"{amount(float(events.together) / float(events.count), 'nanoseconds')} with it"
        return f"**{each}**, {with_it}; {longest}."
    if _GOING_ON.per_call.search(text) and events.count > 1:
        mean = amount(float(events.together) / float(events.count), "nanoseconds")
        return f"**One {what} took {mean} on average**; {sums}, {middle}, {longest}."
    if _FORMS.middle.search(text):
        return f"**The middle {what} took {amount(events.middle, 'nanoseconds')}**; {longest}; {sums}."
    if _FORMS.one.search(text):
        after = ", ".join(_shown(one) for one in events.rows[place + 1 :])
        further = f" After it: {after}." if after else ""
        return f"**{_upper(longest)}**; {sums}, {middle}.{further}"
    return f"**{_upper(sums)}**; {middle}, {longest}."


def _upper(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _shown(row: tuple[str, str, float, float | None, str]) -> str:
    at = f" at {amount(row[3], 'nanoseconds')}" if row[3] is not None else ""
    return f"{amount(row[2], 'nanoseconds')}{at}"
