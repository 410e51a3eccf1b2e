"""Questions about threads: which are busy, the main one, one by name."""

import re
from typing import Any

from server.analyst.asked_things import would_help
from server.analyst.evidence import Evidence, Lead, busy_of, lead_of, length_of
from server.analyst.findings import of_causes, sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import computing, single_events
from server.analyst.kinds.device import asks_how_busy, on_device
from server.analyst.kinds.kind import Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import MOSTLY_IDLE, caveats
from server.analyst.kinds.threads_compared import (
    BUSY,
    KINDS_NAMED,
    PROGRAM,
    always_sampled,
    by_program,
    evenness,
    mostly_idle,
    of_page,
    waits_most,
)
from server.analyst.pseudo_frames import collects
from server.analyst.question import Question
from server.analyst.thread_scope import threads_meant
from server.analyst.wording import (
    amount,
    cited,
    cited_profile,
    coded,
    joined,
    neighbours,
    noun,
    own,
    share,
    table,
    verb,
)
from traces.analysis.waiting_names import waits
from traces.lazy_regex import lazy_regex

_FORMS = forms("threads")
_SENTENCE_FORMS = forms("sentence_forms")
_KNOWN_FORMS = forms("known_forms")

LISTED = 12
ALL_PROFILES = 100
_EVEN_WORDS = ("even", "balanc", "parallel", "concurren")


def then_profiles(question: Question, evidence: Evidence) -> list[Call]:
    """What the busiest thread does."""
    listed = evidence.first("list_profiles")
    if not listed or not listed["profiles"]:
        return []
    busiest = _busiest(_rows_meant(question, (evidence.summary or listed)["profiles"]), evidence)
    return [("get_top_functions", {"sort_by": "self", "limit": 6, "profile": busiest["handle"]})]


def _rows_meant(question: Question, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The profiles of the threads, or of the process, that are asked for; all without one."""
    numbers = set(_FORMS.process.findall(question.text))
    of_process = [row for row in rows if str(row["pid"]) in numbers]
    name = (question.thread or "").casefold()
    named = [row for row in of_process or rows if name and name in row["name"].casefold()]
    return named or of_process or rows


def _busiest(rows: list[dict[str, Any]], evidence: Evidence) -> dict[str, Any]:
    return max(rows, key=lambda row: (row["unit"] == evidence.unit, row["stands_for_thread"], busy_of(row)))


def profiles(question: Question, evidence: Evidence) -> list[str]:
    listed = evidence.first("list_profiles")
    if not listed:
        return ["The profiles of this trace could not be listed."]
    if asks_how_busy(question.text) and (device := on_device(evidence)):
        return [*device, leading(evidence, "On the main thread the heaviest function is")]
    rows = _rows_meant(question, (evidence.summary or listed)["profiles"])  # all of them; the list holds one page
    busiest = _busiest(rows, evidence)
    alike = [row for row in rows if row["unit"] == busiest["unit"] and row["stands_for_thread"]]
    ranked = sorted(alike, key=lambda row: -busy_of(row)) + [row for row in rows if row not in alike]
    lines = [f"- {_line(row)}" for row in ranked[:LISTED]]
    if len(rows) > LISTED:
        lines.append(f"- and {len(rows) - LISTED} more")
    findings = [
        row for row in evidence.findings("timeline") if row["id"] in ("uneven-workers", "one-thread", "network-bound")
    ]
    if longest := waits_most(question, rows, _lead_in(evidence, busiest["handle"])):
        return [longest, leading(evidence, "In the main profile the heaviest function is")]
    if (
        not alike
        or all(not row["tid"] and collects(row["name"]) for row in rows)
        or (busiest["unit"] != "nanoseconds" and any(row["waiting"] for row in rows))
    ):
        return _no_threads(evidence, rows)
    total = listed["total_profiles"]
    count = total if len(rows) == total else len(rows)  # what the list has of them is proven by its address
    first = _opening(question, evidence, busiest, rows, ranked[: len(alike)], count)
    if _FORMS.least_busy.search(question.text) and len(alike) > 1:
        last = ranked[len(alike) - 1]
        least = f"{cited_profile(last)}: {amount(busy_of(last), last['unit'])}"
        first = f"**The least busy of {len(alike)} is {least}.** {first}"
    divided = by_program(listed, question.names)
    if divided and (
        question.names or "program" in question.text.casefold() or _KNOWN_FORMS.who_works.search(question.text)
    ):
        first, divided = divided, first
    return [
        first,
        divided,
        "\n".join(f"{sentence_of(row)} {row['advice']}" for row in findings),
        "\n".join(lines) if count > 1 else "",
        leading(evidence, "In the main profile the heaviest function is"),
    ]


def _opening(
    question: Question,
    evidence: Evidence,
    busiest: dict[str, Any],
    rows: list[dict[str, Any]],
    ranked: list[dict[str, Any]],
    count: int,
) -> str:
    """Which thread works most and at what, after how many there are, how even they are or whether any is idle, as it
    was asked."""
    busy = amount(busy_of(busiest), busiest["unit"])
    lead = _lead_in(evidence, busiest["handle"])
    in_it = "" if lead is None else f"{cited(lead.row)}: {own(lead.row, lead.unit)}."
    most = f" Most of that is in {in_it}" if in_it else ""
    if lead and lead.row["self_value"] > busy_of(busiest):
        most = f" For longer it waits in {in_it}"
    place = f"is the busiest of {count}" if count > 1 else "works for"
    alike = [row for row in ranked if _may_wait(row) and busy_of(row) >= ALL_THE_TIME * busy_of(busiest)]
    first = f"**{cited_profile(busiest)} {place}{':' if count > 1 else ''} {busy}.**{most}"
    if len(alike) > 1 and _may_wait(busiest):
        first = always_sampled(alike, lead, busy)
    if idle := mostly_idle(question, ranked):
        return f"{idle} {first}"
    if count == 1 and evidence.measures_waiting and not rows[0]["tid"]:
        return f"**Threads are not kept apart in this recording**: {cited_profile(rows[0])} has the waits of all."
    if _SENTENCE_FORMS.how_many.search(question.text) or count == 1:
        pids = len({row["pid"] for row in rows if row["pid"]})
        of = f" of {pids} process{'es' if pids > 1 else ''}" if pids and count == len(rows) else ""
        first = f"**There {f'are {count} profiles' if count > 1 else 'is one profile'} in this trace{of}.** {first}"
    elif any(word in question.text.casefold() for word in _EVEN_WORDS) and len(ranked) > 1:
        first = f"{evenness(ranked)} {first}"
    return first


_NAMELESS = lazy_regex(r"^\?\?|^\[?unknown\b", re.IGNORECASE)
ALL_THE_TIME = 0.95
"""Part of the longest thread's time from which others are as long on the stack."""


def _no_threads(evidence: Evidence, rows: list[dict[str, Any]]) -> list[str]:
    """What stands where the recording's profiles are kinds of events, and none is of one thread."""
    kinds = joined([cited_profile(row) for row in sorted(rows, key=lambda row: -busy_of(row))[:KINDS_NAMED]])
    more = f" and {len(rows) - KINDS_NAMED} more" if len(rows) > KINDS_NAMED else ""
    return [
        (
            "**Which thread that is, I cannot say: samples of all threads are counted together here**, in "
            f"{len(rows)} profiles that are kinds of events: {kinds}{more}."
        ),
        leading(evidence, "The heaviest function is"),
    ]


def parallel(question: Question, evidence: Evidence) -> list[str]:
    """Whether threads work side by side; what more of them would bring cannot be measured by what was recorded."""
    parts = profiles(question, evidence)
    if not would_help(question.text):
        return parts
    locks = [row for row in of_causes(evidence, ("lock_contention",)) if (row["share"] or 0) >= PROGRAM]
    if locks:
        return [f"**No, not as it is: they would wait for the same lock.** {sentence_of(locks[0])}", *parts]
    return [computing.with_more_threads(evidence), *parts]


def _rest(row: dict[str, Any]) -> str:
    """What a profile's time was besides busy, in shares of the recording."""
    if not row.get("idle_share") and not row.get("unknown") and not row.get("waiting"):
        return ""
    if row["idle_share"] is None or not (length := length_of(row)):
        return ""
    return "".join(f", {part} {share(row[part] / length)}" for part in ("idle", "waiting", "unknown") if row[part])


def _line(row: dict[str, Any]) -> str:
    is_busy = row["unit"] == "nanoseconds" and (_rest(row) or not _may_wait(row))
    spent = " busy" if is_busy else ""
    return f"{cited_profile(row)}: {row['kind']}, {amount(busy_of(row), row['unit'])}{spent}{_rest(row)}"


def _may_wait(row: dict[str, Any]) -> bool:
    """Whether a thread's time may be waiting: its recorder does not say how it sampled."""
    return row["unit"] == "nanoseconds" and row["kind"] == "sampled" and row.get("waits") == "unknown"


def then_one(question: Question, evidence: Evidence) -> list[Call]:
    calls: list[Call] = []
    threads = threads_meant(question, evidence)
    if threads and (lead := _lead_in(evidence, threads[0]["handle"])) and evidence.called("get_insights"):
        calls.append(("get_callers_callees", {"frame": lead.row["handle"], "profile": threads[0]["handle"]}))
    for row in threads[:2]:
        where = {"profile": row["handle"]}
        calls += [
            ("get_top_functions", {"sort_by": "self", "limit": 6} | where),
            ("get_insights", where),
            ("generate_flamegraph_screenshot", {"mode": "left_heavy"} | where),
        ]
    return calls


def one(question: Question, evidence: Evidence) -> list[str]:
    """What one thread does."""
    threads = threads_meant(question, evidence)
    if not threads:
        rows = (evidence.first("list_profiles") or {"profiles": []})["profiles"]
        names = ", ".join(cited_profile(row) for row in sorted(rows, key=lambda row: -busy_of(row))[:6])
        asked = coded(question.thread or "main")
        return [
            f"**No thread or profile of this trace is named like {asked}.** There are {names}.",
            leading(evidence, "The hottest function is"),
        ]
    row = threads[0]
    lead = _lead_in(evidence, row["handle"])
    parts = [f"{_of_program(question, evidence, row)}{_on_processor(question, row)}{_activity(row, lead)}"]
    if _SENTENCE_FORMS.how_many.search(question.text) and question.thread:
        each = joined([f"{cited_profile(one)} ({amount(busy_of(one), one['unit'])} busy)" for one in threads[:LISTED]])
        many = f"{len(threads)} profiles are" if len(threads) > 1 else "One profile is"
        return [
            f"**{many} named like {coded(question.thread)}: {each}.** Runs that were not sampled are not seen.",
            *parts,
        ]
    if lead:
        rows = [one for one in lead.rows if one["self_value"] > 0]
        around = evidence.first("get_callers_callees", profile=row["handle"])
        parts.append(neighbours(around, around["unit"]) if around else "")
        parts.append(table(rows, lead.unit) if len(rows) > 1 else "")
    findings = _findings_of(evidence, threads)
    parts.append("\n".join(f"- {one['title']}: {sentence_of(one)}" for one in findings[:3]))
    if len(threads) > 1:
        parts.append("Others of that name: " + ", ".join(f"{_line(other)}" for other in threads[1:5]) + ".")
    return parts


def _on_processor(question: Question, row: dict[str, Any]) -> str:
    """How long of its spans a thread was on a processor, where that is asked for; a word where nobody knows."""
    if not _FORMS.cpu_time.search(question.text) or row["unit"] != "nanoseconds":
        return ""
    if row.get("running"):
        return f"**{cited_profile(row)} was on a processor for {amount(row['running'], row['unit'])}.** "
    return "**CPU time of its own is not recorded for it.** "


def _of_program(question: Question, evidence: Evidence, row: dict[str, Any]) -> str:
    """What the program takes of all, where one is asked for with several threads; how one stands to a page's."""
    listed = evidence.first("list_profiles")
    name = (question.thread or "").casefold()
    alike = [row for row in (listed or {"profiles": []})["profiles"] if row["name"].casefold().startswith(name)]
    said = by_program(listed, (name,)) if listed and len(alike) > 1 and name else ""
    return of_page(question.text, row, evidence) + (f"{said} " if said and not said.startswith("**By program") else "")


def _activity(row: dict[str, Any], lead: Lead | None) -> str:
    if row.get("waits") == "waiting" and row.get("waiting"):
        waited = f"{amount(row['waiting'], row['unit'])} of {amount(length_of(row), 'nanoseconds')}"
        most = f", most of it in {cited(lead.row)}, {own(lead.row, lead.unit)}" if lead else ""
        return f"**{cited_profile(row)} holds nothing but waiting: {waited}{most}.**"
    busy, rest = amount(busy_of(row), row["unit"]), _rest(row)
    of_all = f" of {amount(length_of(row), 'nanoseconds')}" if rest else ""
    works = "was sampled" if _may_wait(row) and not rest else "works"
    said = f"**{cited_profile(row)} {works} for {busy}{of_all}{rest}{' of the time' if rest else ''}.**"
    if lead is None:
        return said
    waiting = " By its name that is waiting, not work." if waits(lead.row["name"]) else ""
    most = f"The most is {verb(lead.unit)} in {cited(lead.row)}"
    named = next((one for one in lead.rows if not _NAMELESS.search(one["name"])), None)
    with_name = ""
    if named is not None and _NAMELESS.search(lead.row["name"]):
        with_name = f" Of what has a name the most is in {cited(named)}: {own(named, lead.unit)}."
    return f"{said} {most}: {own(lead.row, lead.unit)} of its {noun(lead.unit)}.{with_name}{waiting}"


def _lead_in(evidence: Evidence, handle: str) -> Lead | None:
    results = [result.data for result in evidence.all("get_top_functions") if result.data["profile"] == handle]
    return next((lead for data in results[::-1] if (lead := lead_of(data))), None)


def _findings_of(evidence: Evidence, threads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was found about the first two of these profiles, worst first, each once."""
    handles = {one["handle"] for one in threads[:2]}
    found = {row["id"]: row for result in evidence.all("get_insights") for row in result.data["insights"]}.values()
    return [
        row
        for row in found
        if (row["profile"] in handles or any(one["handle"] in handles for one in row["evidence"]))
        and row["kind"] in ("timeline", "page", "requests", "runtime", "waiting")
        and row["severity"] != "info"
    ]


def main_thread(question: Question, evidence: Evidence) -> list[str]:
    """Whether the main thread is blocked, and by what; who works when it does not."""
    threads = threads_meant(question, evidence)
    if not threads:
        return one(question, evidence)
    row = threads[0]
    lead = _lead_in(evidence, row["handle"])
    idle = row.get("idle_share") or 0.0
    findings = _findings_of(evidence, threads)
    long = next((one for one in findings if one["id"] == "long-tasks"), None)
    waiting = lead is not None and waits(lead.row["name"]) and lead.row["self_share"] >= BUSY
    waiting = waiting or (row.get("waiting") or 0.0) >= BUSY * (length_of(row) or float("inf"))
    if idle >= MOSTLY_IDLE or waiting:
        verdict = (
            "No, the main thread is mostly idle. " if idle >= MOSTLY_IDLE else "No, the main thread mostly waits. "
        )
    elif idle >= BUSY:
        verdict = "Not for long: the main thread is idle most of the time. "
    else:
        verdict = "Yes, the main thread is busy. " if long or idle < 1 - BUSY else "Partly. "
    asks_which = _FORMS.asks_which.search(question.text) is not None
    if asks_which or not _FORMS.asks_whether_busy.search(question.text):  # a yes or no would answer another question
        is_of_tasks = _FORMS.asks_whether_busy.search(question.text) or _FORMS.tasks.search(question.text)
        verdict = f"{sentence_of(long)} " if long and asks_which and is_of_tasks else ""
    if row.get("waits") == "waiting":  # what it does besides was recorded of all threads together
        first, *rest = one(question, evidence)
        return [first, *rest, caveats(evidence)]
    elsewhere = ""
    rows = (evidence.first("list_profiles") or {"profiles": [row]})["profiles"]
    busiest = max(rows, key=lambda one: (one["unit"] == row["unit"], one["stands_for_thread"], busy_of(one)))
    is_other = (busiest["pid"], busiest["tid"]) != (row["pid"], row["tid"]) or not (row["pid"] or row["tid"])
    if busiest["handle"] != row["handle"] and is_other and busy_of(busiest) > busy_of(row):
        elsewhere = f"The busiest is {cited_profile(busiest)}, with {amount(busy_of(busiest), busiest['unit'])}."
        if evidence.lead and evidence.lead.profile != row["handle"]:
            elsewhere = f"{elsewhere} {leading(evidence, 'What is hottest outside the main thread is')}"
    first, *rest = one(question, evidence)
    opening = f"**{verdict.strip()}** {first}" if verdict else first
    return [opening, elsewhere, *rest, caveats(evidence)]


def then_events(question: Question, evidence: Evidence) -> list[Call]:
    """What is asked next of a thread, and the query for its events where one of these is asked for."""
    calls = then_one(question, evidence)
    single = single_events.of_thread(_of_that_name(question, evidence), question.text)
    return [*calls, single] if single else calls


def events(question: Question, evidence: Evidence) -> list[str]:
    """The event that is asked for, then what the thread does."""
    parts = one(question, evidence)
    single = single_events.of_thread(_of_that_name(question, evidence), question.text)
    found = single_events.found(single, evidence) if single else None
    return [single_events.said(found, "call", question.text, evidence), *parts] if found else parts


def _of_that_name(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The profiles of the thread that is named, the busiest first."""
    name = (question.thread or "").casefold()
    rows = (evidence.first("list_profiles") or {"profiles": []})["profiles"]
    exact = [row for row in rows if name in (row["handle"], row["name"].casefold())]
    found = exact or [row for row in rows if name and name in row["name"].casefold()]
    return sorted(found, key=lambda row: -busy_of(row))
