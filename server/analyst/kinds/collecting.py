"""Questions about garbage collection: what it takes, and how many collections there were."""

import re
from typing import Any

from server.analyst.asks.lexicon import NO_SPACES
from server.analyst.asks.spoken_calls import read_call
from server.analyst.evidence import Evidence, busy_of, length_of
from server.analyst.figures import remainder
from server.analyst.findings import sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import single_events
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.paths import LEADS
from server.analyst.pseudo_frames import COLLECTORS, GARBAGE, collects
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_of_single_ones, limit_asked
from server.analyst.wording import (
    CALLS,
    amount,
    cited,
    cited_profile,
    counted,
    joined,
    located,
    neighbours,
    noun,
    own,
    share,
    total,
)
from traces.lazy_regex import lazy_regex

_FORMS = forms("collecting")
_SENTENCE_FORMS = forms("sentence_forms")
_TOPICS = forms("topics")

MATCHES = 50
KINDS_NAMED = 6
"""Functions of collectors that are named."""


def first_garbage(question: Question, evidence: Evidence) -> list[Call]:
    return [
        SUMMARY,
        *(("find_frames", {"pattern": one, "regex": True, "limit": MATCHES}) for one in COLLECTORS),
        BY_SELF,
        FINDINGS,
    ]


V8 = "(garbage collector)"
SAMPLED = "One that lies between two samples is not seen, and two that follow one another count as one."
MUCH = 0.3
"""Share from which collecting is what it is about."""
MORE = 1.2
"""How many times as much all collectors must take as the heaviest of them to be worth a word."""


def then_garbage(question: Question, evidence: Evidence) -> list[Call]:
    rows = _collectors(evidence)
    singles = _single_ones(question, evidence)
    return [*([("get_callers_callees", {"frame": rows[0]["handle"]})] if rows else []), *([singles] if singles else [])]


def _single_ones(question: Question, evidence: Evidence) -> Call | None:
    """The query for single collections: of a profile of their own, or of the frames that were recorded call by call."""
    rows, of_own, kinds = _collectors(evidence), _profile_of_collections(evidence), _of_kind(question.text)[1]
    if of_own and (kinds or not rows or limit_asked(question.text)):
        return single_events.of_profile(of_own, question.text, kinds)
    if not rows:
        return None
    is_read = not NO_SPACES.search(evidence.prompt) or read_call(evidence.prompt) or collects(evidence.prompt)
    is_of_them = is_read and _TOPICS.garbage.search(question.text) and asks_of_single_ones(question.text)
    if rows[0]["name"] == V8 and is_of_them:
        return single_events.of_sampled(rows[0]["handle"], question.text)
    by_call = (_searched(evidence) or {}).get("counted") == CALLS and asks_of_single_ones(question.text)
    return single_events.of_function(rows[0]["handle"], question.text) if by_call else None


def _searched(evidence: Evidence) -> dict[str, Any] | None:
    """What the searches for collectors found, whatever else was searched before; the first of them without any."""
    found = [data for one in COLLECTORS if (data := evidence.first("find_frames", pattern=one))]
    return next((data for data in found if data["rows"]), found[0] if found else None)


def _collectors(evidence: Evidence) -> list[dict[str, Any]]:
    listed = (_searched(evidence) or {"rows": []})["rows"]
    rows = [row for row in listed if row["total_value"] > 0 and collects(row["name"])]
    return sorted({row["handle"]: row for row in rows}.values(), key=lambda row: -row["total_value"])


def garbage(question: Question, evidence: Evidence) -> list[str]:
    rows = _collectors(evidence)
    found = _searched(evidence)
    closing = leading(evidence, "What takes the most is")
    if (not rows or not found) and (of_own := _in_its_own_profile(question, evidence)):
        return [of_own, closing]
    if question.saves and found and found["total_value"] > 0:
        return [_saving(found), closing]
    if not rows or not found:
        none = (
            "**No frame in this trace is named like garbage collection**: either there was none, "
            "or this profiler does not record it."
        )
        return [none, closing]
    unit, heaviest = found["unit"], rows[0]
    call = _single_ones(question, evidence)
    singles = single_events.found(call, evidence) if call else None
    if singles and heaviest["name"] == V8:
        said = single_events.said(singles, "sampled collection", question.text, evidence)
        return [f"{said} {SAMPLED}", closing]
    kind = _of_kind(question.text)[0] if call and "regexp_matches" in call[1]["sql"] else ""
    counts = _SENTENCE_FORMS.how_many.search(question.text) is not None
    if singles and (kind or not counts):
        return [single_events.said(singles, f"{kind}collection", question.text, evidence), closing]
    if counts and (said := _collections(question, rows, found)):
        return [said, closing if evidence.lead and evidence.lead.row["handle"] != heaviest["handle"] else ""]
    if found["counted"] != CALLS and _FORMS.longest.search(question.text):
        most = f"{cited(heaviest)} takes {total(heaviest, unit)} in total"
        return [f"**How long single collections lasted cannot be said: samples were taken.** {most}.", closing]
    together = max(heaviest["total_share"], found["total_share"])
    size = "a large part" if together >= LEADS else "a small part"
    verdict = "Yes" if together >= MUCH else "Partly" if together >= LEADS else "No"
    more = ""
    if found["total_share"] > heaviest["total_share"] * MORE:
        more = f", and all that is named so takes {total(found, unit)} together"
    listed = [f"- {cited(row)}{located(row)}: {total(row, unit)} in total, {own(row, unit)} itself" for row in rows[:6]]
    finding = evidence.finding("explicit-collection", "garbage-collection", "collection-pause")
    around = evidence.first("get_callers_callees")
    return [
        (
            f"**{verdict}: {cited(heaviest)} is the heaviest frame named like garbage collection, with "
            f"{total(heaviest, unit)}**{more}, {size} of the {noun(unit)}."
        ),
        f"{sentence_of(finding)} {finding['advice']}" if finding else "",
        neighbours(around, unit) if around else "",
        "\n".join(listed) if len(rows) > 1 else "",
        "These are matches by name. Totals of frames that call each other must not be added." if len(rows) > 1 else "",
        closing if evidence.lead and evidence.lead.row["handle"] != heaviest["handle"] else "",
    ]


_OF_COLLECTIONS = lazy_regex(rf"{GARBAGE.pattern}|pauses? for collections", re.IGNORECASE)


def _saving(found: dict[str, Any]) -> str:
    """What would be gained at most without collections."""
    left, left_share = remainder(found["total_value"], found["total_share"])
    rest = f" {amount(left, found['unit'])} ({share(left_share)}) would be left." if found["total_share"] < 1 else ""
    saved = total(found, found["unit"])
    return f"**At most {saved} would be saved, if all that is named like garbage collection cost nothing.**{rest}"


def _profile_of_collections(evidence: Evidence) -> dict[str, Any] | None:
    """The profile that records nothing but collections, that of the pauses before any other: then the program stands
    still."""
    rows = [row for row in evidence.profiles if _OF_COLLECTIONS.search(row["name"])]
    timed = [row for row in rows if row["unit"] == "nanoseconds" and busy_of(row) and length_of(row)]
    return max(timed, key=lambda row: ("pause" in row["name"].casefold(), busy_of(row)), default=None)


def _in_its_own_profile(question: Question, evidence: Evidence) -> str:
    """How long the collections of a profile of their own took, where the program's frames have none; empty without."""
    row = _profile_of_collections(evidence)
    if row is None:
        return ""
    part = busy_of(row) / length_of(row)
    call = _single_ones(question, evidence)
    singles = single_events.found(call, evidence) if call else None
    of_all = f", {share(part)} of the recording, in {cited_profile(row)}"
    what = "pause" if "pause" in row["name"].casefold() else "collection"
    if singles and (asks_of_single_ones(question.text) or not question.is_yes_or_no):
        return single_events.said(singles, what, question.text, evidence, of_all)
    verdict = "Yes" if part >= MUCH else "Partly" if part >= LEADS else "No"
    taken = f"collections took {amount(busy_of(row), row['unit'])}, {share(part)} of the recording"
    each = f" {single_events.said(singles, what, '', evidence)}" if singles else ""
    return f"**{verdict}: {taken}**, in {cited_profile(row)}.{each}"


_CALLED = {
    "full": "full|major|mark.?(sweep|compact)",
    "young": "young|minor|new|scaveng",
    "old": "old",
    "mixed": "mixed",
}
_CALLED |= {"major": _CALLED["full"], "minor": _CALLED["young"]}
"""How collectors name their collections of a kind."""


def _of_kind(text: str) -> tuple[str, str]:
    """The kind of collections that is asked for, in words and as a condition on their names; empty for all."""
    found = _FORMS.kind.search(text)
    if found is None:
        return "", ""
    kind = found["kind"].casefold()
    matches = f"regexp_matches(lower(one.name), '{_CALLED[kind]}')"
    return ("other ", f" AND NOT {matches}") if found["not"] else (f"{kind} ", f" AND {matches}")


def _collections(question: Question, rows: list[dict[str, Any]], found: dict[str, Any]) -> str:
    """How many collections of which kind, where single ones were recorded."""
    if found["counted"] != CALLS:
        most = f"{cited(rows[0])} takes {total(rows[0], found['unit'])} in total"
        return f"**How many collections there were cannot be said: samples were taken, and none was counted.** {most}."
    full = [row for row in rows if re.search(r"full|major|mark.?sweep", row["name"], re.IGNORECASE)]
    chosen = full if full and _FORMS.full.search(question.text) else rows
    said = [
        f"{counted(row, 'collections')} in {cited(row)} ({total(row, found['unit'])})" for row in chosen[:KINDS_NAMED]
    ]
    return f"**Recorded were {joined(said)}.**"
