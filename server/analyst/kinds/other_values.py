"""Another quantity of the recording than the one that it measures first: objects for bytes, all that was allocated for
what is still in use.
"""

import re
from typing import Any

from server.analyst.chosen_intent import OF_ALL
from server.analyst.evidence import Evidence
from server.analyst.forms import first_form, forms, word_list
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.kinds.kind import SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.question import Question
from server.analyst.wording import amount, cited, coded, joined, located, own, total

_FORMS = forms("other_values")
_FORMS_SETTLED = forms("settled_question")

LISTED = 3
WITH_COUNTS = 50
"""Functions of which a second quantity is asked for."""
ASKED = OF_ALL | ABOUT_ONE_FUNCTION | {Intent.MEMORY, Intent.GROUP, Intent.SUSPECT, Intent.REPEATED, Intent.GARBAGE}
"""Intents that can be asked of any quantity."""


_LEFT = " is left in use"
_ACCESSES = {
    "D1mr": ("Dr", "reads that missed the first-level data cache"),
    "D1mw": ("Dw", "writes that missed the first-level data cache"),
    "DLmr": ("Dr", "reads that missed the last-level cache"),
    "DLmw": ("Dw", "writes that missed the last-level cache"),
    "I1mr": ("Ir", "instructions that missed the first-level cache"),
    "Bcm": ("Bc", "branches that were predicted wrongly"),
}
"""What callgrind and cachegrind count misses of, and what these are."""
_OF_NO_MEMORY = frozenset({"samples", "calls", "events", "contentions", "count"})


def asks_of_all(text: str) -> bool:
    """Whether it asks for nothing but how much all functions have together: `heap size at exit`, `objects in total`."""
    words = {word.lower() for word in re.findall(r"[^\W_]+", text)}
    how, what = word_list("how_much_memory"), word_list("memory_of_all")
    return bool(words & how and words & what and words <= how | what | word_list("words_with_memory_of_all"))


def first_value(evidence: Evidence) -> dict[str, Any]:
    """The quantity that the main profile measures first: of those in its unit the one by whose numbers it counts."""
    main = evidence.main or {"values": [], "unit": "", "counted": ""}
    alike = [one for one in main["values"] if one["unit"] == main["unit"]]
    kind = str(main.get("counted") or "").partition("_")[0]
    of_kind = [one for one in alike if kind and one["name"].startswith(kind)]
    found: dict[str, Any] = (of_kind or alike[-1:] or [{"name": "", "unit": main["unit"]}])[0]
    return found


def _kind(text: str) -> str:
    """What the names of the quantities begin with that a prompt means; empty where it says nothing of it."""
    return "alloc" if _FORMS.allocated.search(text) else "inuse" if _FORMS.live.search(text) else ""


def value_before(evidence: Evidence) -> str:
    """The quantity that the answer before begins with; empty where that was what is measured first."""
    found = _QUANTITY.search(evidence.openings[-1]) if evidence.openings else None
    return found[1] if found else ""


_QUANTITY = re.compile(r"(?:(?:of|By) “(?=\w+” )|recorded as “)(\w+)”")
_GOES_ON = re.compile(r"(?:and|what about|how about|und|et|y|e)\b|^那", re.IGNORECASE)


def value_asked(question: Question, evidence: Evidence) -> str:
    """The name of the quantity of the main profile that is asked for, where that is not the first; else empty."""
    values: list[dict[str, Any]] = (evidence.main or {}).get("values", [])
    is_of_one = question.names or question.handle or question.handles
    if is_of_one and _FORMS.per_wait.search(question.text) and any(one["name"] == "contentions" for one in values):
        return "contentions"
    if misses := _misses(question, values):
        return misses
    before = value_before(evidence)
    if before in [one["name"] for one in values] and asks_most_of_it(question, evidence):
        return before
    keeps = any(one["name"].startswith("inuse") for one in values) and _FORMS.left.search(question.text)
    if len(values) < 2 or not (keeps or question.intent in ASKED):
        return ""
    text, first = _FORMS.instead.sub(" ", question.text), first_value(evidence)
    asked = first_form("units", _FORMS.with_counts.sub(" ", text))
    asks_bytes = question.intent is Intent.MEMORY and first["unit"] == "nanoseconds"
    if not asked and (asks_bytes or (keeps and _FORMS.bytes_of_it.search(text))):
        asked = next((one["unit"] for one in values if one["unit"] == "bytes"), "")
    if not (asked or _kind(text)):
        names = question.names or question.handle or question.handles
        return before if names and _GOES_ON.match(question.text) and before in [one["name"] for one in values] else ""
    earlier = (evidence.spoken_of.prompt,) if evidence.spoken_of else ()
    kinds = (_kind(one) for one in (text, *earlier))
    unit, kind = asked or first["unit"], next(filter(None, kinds), first["name"].partition("_")[0])
    alike = [one["name"] for one in values if one["unit"] == unit and one["name"] not in _OF_NO_MEMORY]
    chosen = next((name for name in alike if name.startswith(kind)), alike[0] if alike else "")
    return "" if chosen == first["name"] and not _FORMS.now.search(text) else str(chosen)


def _misses(question: Question, values: list[dict[str, Any]]) -> str:
    """The event of the processor that is asked for, where the recording counts it; else empty."""
    asked = first_form("processor_misses", question.text)
    is_asked = question.intent is Intent.CPU_CACHES or "miss" in question.text.casefold() or asked == "D1mr"
    asked = asked or ("D1mr" if question.intent is Intent.CPU_CACHES else "")
    return asked if is_asked and any(one["name"] == asked for one in values) else ""


def asks_most_of_it(question: Question, evidence: Evidence) -> bool:
    """Whether it asks who has the most of the quantity that the answer before begins with."""
    is_of_value = value_before(evidence) and not question.names
    return bool(is_of_value and _FORMS.most_of_it.search(question.text))


def bytes_of_it(question: Question, evidence: Evidence) -> Question | None:
    """The question for the bytes of the function whose objects the answer before counts; None for any other."""
    before, spoken = value_before(evidence), evidence.spoken_of
    values: list[dict[str, Any]] = (evidence.main or {}).get("values", [])
    is_counted = any(one["name"] == before and one["unit"] == "count" for one in values)
    if spoken is None or spoken.handle[:1] != "f" or not is_counted or question.names:
        return None
    alike = [one["name"] for one in values if one["unit"] == "bytes"]
    value = next((one for one in alike if one.partition("_")[0] == before.partition("_")[0]), "")
    if not value or not _FORMS.bytes_of_it.search(question.text):
        return None
    return Question(intent=Intent.FUNCTION, text=question.text, handle=spoken.handle, note=question.note, value=value)


def of_it(question: Question) -> bool:
    """Whether it refers to what was spoken of, in the words for what is left of it, too."""
    return question.refers or _FORMS.of_it.search(question.text) is not None


def calls(question: Question, evidence: Evidence) -> list[Call]:
    if evidence.summary is None:
        return [SUMMARY]
    ranked = {"sort_by": "self", "limit": LISTED, "value": question.value}
    name = _function(question, evidence)
    if (handle := _handle(question)) and not name:
        return [("get_callers_callees", {"frame": handle})]
    of_one: list[Call] = (
        [("find_frames", {"pattern": name[:100]})] if name and _FORMS.for_each.search(question.text) else []
    )
    also = _with_counts(question, evidence)
    tried = _ACCESSES.get(question.value, ("", ""))[0]
    return [
        *of_one,
        ("get_top_functions", ranked | ({"filter": name[:100]} if name else {})),
        *([("get_top_functions", ranked | {"limit": WITH_COUNTS, "value": also})] if also else []),
        *([("get_top_functions", ranked | {"limit": 1, "value": tried})] if tried and not name else []),
    ]


def _with_counts(question: Question, evidence: Evidence) -> str:
    """The count that is asked for with those bytes; empty where none is asked for."""
    kind, values = question.value.partition("_")[0], (evidence.main or {"values": []})["values"]
    alike = [one["name"] for one in values if one["unit"] == "count" and one["name"].startswith(kind)]
    others = [one for one in alike if one != question.value]
    return str(others[0]) if others and _FORMS.with_counts.search(question.text) else ""


def _counted(rows: list[dict[str, Any]], question: Question, evidence: Evidence) -> str:
    """How many of these functions' are counted."""
    also = _with_counts(question, evidence)
    found = evidence.first("get_top_functions", value=also) if also else None
    counts = {row["handle"]: row for row in (found or {"rows": []})["rows"]}
    known = [counts[row["handle"]] for row in rows if row["handle"] in counts]
    if not found or not known:
        return ""
    unit = found["unit"]
    return f"As “{also}”: {joined([f'{cited(row)} {own(row, unit)}' for row in known])}."


def _handle(question: Question) -> str:
    """The function that was spoken of, where the question goes on about it."""
    return question.handle or next(iter(question.handles), "")


def _function(question: Question, evidence: Evidence) -> str:
    """The name of the function that is asked about; empty where all are."""
    if handle := _handle(question):
        known = evidence.first("get_callers_callees", frame=handle)
        return str(known["frame"]["name"]) if known else ""
    return next(iter(question.names), "")


def _each(question: Question, evidence: Evidence, row: dict[str, Any]) -> str:
    """What one of the counted things has on average, by the quantity that is measured first, where that is asked."""
    first = first_value(evidence)
    known = [one for result in evidence.all("find_frames") for one in result.data["rows"]]
    measured = next((one for one in known if one["handle"] == row["handle"]), None)
    of_a_kind = question.value in _OF_NO_MEMORY or question.value.partition("_")[0] == first["name"].partition("_")[0]
    key = "self_value" if row["self_value"] else "total_value"
    if not (measured and of_a_kind and row[key] and _FORMS.for_each.search(question.text)):
        return ""
    mean = amount(measured[key] / row[key], first["unit"])
    return f"**{mean} for each of the {question.value} of {cited(row)}.** "


def _meaning(question: Question, evidence: Evidence) -> str:
    """What a quantity is, of misses with the accesses that they are of; empty for one that its name explains."""
    if question.value.startswith("inuse"):
        return f", which{_LEFT}"
    accesses, missed = _ACCESSES.get(question.value, ("", ""))
    tried = evidence.first("get_top_functions", value=accesses) if accesses else None
    return f", {missed}, of {amount(tried['whole'], tried['unit'])} “{accesses}”" if tried else ""


def write(question: Question, evidence: Evidence) -> list[str]:
    """Who leads by that quantity, or what the function has of it."""
    found = evidence.first("get_top_functions", value=question.value)
    rows = [row for row in (found or {"rows": []})["rows"] if row["total_value"] > 0]
    name = _function(question, evidence)
    what = f"“{question.value}”"
    if found is None or not rows:
        of_it = f" of {coded(name)}" if name else ""
        return [f"**Nothing{of_it} is recorded as {what}.**"]
    unit = found["unit"]
    if name:
        row = next((one for one in rows if is_named(one, name)), rows[0])
        kept = f": that{_LEFT}" if question.value.startswith("inuse") and _FORMS.left.search(question.text) else ""
        own_part = f"**{cited(row)} has {own(row, unit)} of {what} itself**{located(row)}"
        return [f"{_each(question, evidence, row)}{own_part}, {total(row, unit)} with what it calls{kept}."]
    most, *others = rows
    then = f"Then {joined([f'{cited(row)} with {own(row, unit)}' for row in others])}." if others else ""
    of_misses = question.value in _ACCESSES and not _FORMS_SETTLED.asks_who.match(question.text)
    if asks_of_all(question.text) or of_misses:
        of_all = f"**In all {amount(found['whole'], unit)} is recorded as {what}**"
        return [f"{of_all}{_meaning(question, evidence)}, the most of it by {cited(most)}: {own(most, unit)}.", then]
    then = " ".join(filter(None, (then, _counted(rows, question, evidence))))
    of_all = f"{amount(found['whole'], unit)} in all"
    return [f"**By {what} {cited(most)} leads: {own(most, unit)}** of {of_all}{located(most)}.", then]
