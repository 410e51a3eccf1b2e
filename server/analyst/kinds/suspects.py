"""Is it this or that kind of work: the finding about it, whether the trace has it, has it not, or does not show it."""

import re
from typing import Any

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.asked_things import REMEDIES, asks_of_forced_layout, would_help
from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.forms import expression, first_form, forms, table
from server.analyst.kinds import forced_layouts, groups, overview, recorded_exceptions
from server.analyst.kinds.asked_of_one import OF_PROFILE
from server.analyst.kinds.in_other_profiles import around_function, further_places, of_the_recording
from server.analyst.kinds.in_threads import seen
from server.analyst.kinds.kind import BY_SELF, NO_MISSES, OWN_CODE, SUMMARY, Call
from server.analyst.kinds.meant_functions import meant
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.premises import false_premise
from server.analyst.kinds.savings import REPEATED
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import Intent, Question
from server.analyst.sentence_forms import place_asked_for
from server.analyst.topic_words import words_of
from server.analyst.wording import cited, coded, joined, own, total
from traces.analysis.waiting_names import waits

_FORMS = forms("suspects")
_ASKED_THINGS = forms("asked_things")

ASKED_BY_NAME = frozenset({"unsymbolised", "layout-thrashing"})
"""Kinds of work whose words are never meant as the name of a function."""


OF_NO_NAME = ASKED_BY_NAME | {"exceptions", "rendering", "compilation"}
"""Kinds of work that are asked for whatever function is named with them."""

_OF_INTENT = {
    Intent.EXCEPTIONS: "exceptions",
    Intent.LOGGING: "logging",
    Intent.SERIALISATION: "serialisation",
    Intent.REGEX: "regular-expressions",
}
MORE = 2.0
"""How many times as much the first function of the program's own code takes to be named in place of a suspect."""
MUCH, SOME = 0.3, 0.05
"""Total share from which what is suspected takes the time, and from which it is part of it."""
NAMELESS = r"\[unknown\]|^\?\?|^\(?unknown\)?$|^(?:.*[!+])?0x[0-9a-f]+$"
"""How perf, gdb, py-spy and others write what has no name."""
FORCES_LAYOUT = (
    r"\b(?:offset|client|scroll)(?:Height|Width|Top|Left)\b|getBoundingClientRect|getClientRects|getComputedStyle|"
    r"\bReflow\b|forced ?(?:layout|reflow)"
)
"""What forces a layout when it is read: Paul Irish's list, "What forces layout/reflow"."""
LITTLE_FORCED = 0.01
LITTLE = 0.15
"""Share below which a kind of work is not why anything is slow."""
_COUNTED = re.compile(r"\d times|\d layouts")


def kind_of_work(question: Question) -> str | None:
    """The finding about what is suspected."""
    work = first_form("work", question.text) or _OF_INTENT.get(question.intent)
    is_of_another = question.names and not any(first_form("work", one) == work for one in question.names)
    return None if is_of_another and question.intent is Intent.SUSPECT and work not in OF_NO_NAME else work


def first(question: Question, evidence: Evidence) -> list[Call]:
    name = kind_of_work(question)
    if question.handle:
        return [SUMMARY, BY_SELF, ("get_callers_callees", {"frame": question.handle})]
    if name is not None:
        named = {"layout-thrashing": FORCES_LAYOUT, "unsymbolised": NAMELESS}.get(name)
        patterns = [one for one in (named, _of_work(name)) if one]
        finds: list[Call] = [("find_frames", {"pattern": one, "regex": True, "limit": MATCHES}) for one in patterns]
        return [SUMMARY, BY_SELF, ("get_insights", {"name": name}), *finds]
    return [*groups.first(question, evidence), OWN_CODE] if _named(question) else [SUMMARY, BY_SELF]


def then(question: Question, evidence: Evidence) -> list[Call]:
    """Who does what is suspected, where the trace has it; what an overview needs, where nothing is named."""
    found = evidence.first("get_insights", name=kind_of_work(question)) if kind_of_work(question) else None
    state = found["insights"][0]["state"] if found and found["insights"] else ""
    is_plain = state == "pass" and not place_asked_for(question.text)
    if kind_of_work(question) == "layout-thrashing" and (asks_of_forced_layout(question.text) or is_plain):
        return forced_layouts.queries(evidence) if state in ("pass", "fail") else []
    if kind_of_work(question) == "exceptions" and (thrown := recorded_exceptions.calls(evidence)):
        return thrown
    if found and found["insights"] and found["insights"][0]["state"] == "fail":
        handles = [one["handle"] for one in found["insights"][0]["evidence"] if one["handle"].startswith("f")]
        return [("get_callers_callees", {"frame": handle}) for handle in handles[:1]]
    if found and state == "pass" and evidence.runs_in_several and (pattern := _of_work(found["insights"][0]["id"])):
        return [("find_frames", {"pattern": pattern, "regex": True, "limit": MATCHES, "profile": "all"})]
    if kind_of_work(question) or _named(question):
        weightless = _weightless(question, evidence) if kind_of_work(question) is None else None
        everywhere = _waited_for(question, evidence) if weightless is None else []
        return further_places(weightless["handle"], {"profile": "all"}, evidence) if weightless else everywhere
    return overview.then(question, evidence)


def _waited_for(question: Question, evidence: Evidence) -> list[Call]:
    """What is looked up where it is asked whether something waits, and the function that is meant is waiting."""
    row = next(iter(meant(question, evidence)), None) if _FORMS.asks_of_waiting.search(question.text) else None
    is_waiting = row is not None and (waits(row["name"]) or _FORMS.is_a_wait.search(row["name"]))
    return [("get_callers_callees", {"frame": row["handle"], "profile": "all"})] if row and is_waiting else []


def _weightless(question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """The function that has the word in its name, where the main profile holds none that has it."""
    found = evidence.first("find_frames", pattern=(question.names or question.maybe or ("",))[0])
    is_empty = found is not None and found["total_value"] <= 0 and not question.handle
    return next((row for row in found["rows"]), None) if found and is_empty else None


def _named(question: Question) -> bool:
    return bool(question.names or question.maybe or question.handle or (question.stems and question.is_yes_or_no))


def suspect(question: Question, evidence: Evidence) -> list[str]:
    if question.handle or kind_of_work(question) is None:
        return _suspected(question, evidence) if _named(question) else overview.overview(question, evidence)
    found = (evidence.first("get_insights", name=kind_of_work(question)) or {"insights": []})["insights"]
    closing = leading(evidence, "What takes the most is")
    is_found = bool(found) and found[0]["state"] == "fail" and not asks_of_forced_layout(question.text)
    if not is_found and (of_scripts := forced_layouts.written(question, evidence)):
        return [*of_scripts, closing]
    if not found:
        return ["**That could not be looked up.**", closing]
    row = found[0]
    if row["id"] == "exceptions" and (thrown := recorded_exceptions.written(evidence)):
        return [thrown, f"In the main profile, {sentence_of(row).rstrip('.')}.", closing]
    if row["state"] == "fail":
        return [
            (
                f"{_uncounted(question, evidence, row)}{_verdict(row)} {sentence_of(row)}{_on_behalf(evidence)} "
                f"{row['advice']}"
            ),
            closing,
        ]
    if row["id"] == "unsymbolised" and (nameless := _nameless(evidence)):
        return [nameless, closing]
    if row["id"] == "layout-thrashing" and (forced := _forced(evidence)):
        return [forced, closing]
    if named := _named_like_it(question, evidence, row):
        return [named, closing]
    sentence = sentence_of(row).rstrip(".")
    if row["state"] == "pass":
        return [f"**No, that is not where it goes**: {sentence}.", closing]
    return [f"**This trace cannot say that** ({row['title'].lower()}): {sentence}.", closing]


MATCHES = 40
NAMED = 0.002
"""Total share from which functions that are named like a kind of work are worth a word."""


def _of_work(name: str) -> str:
    """How functions are named that do a kind of work; empty where that is not known."""
    return expression("frames_of_work", name) if name in table()["frames_of_work"] else ""


def _named_like_it(question: Question, evidence: Evidence, row: dict[str, Any]) -> str:
    """What functions that are named like the kind of work take, though no finding is about it; empty without any."""
    found = (
        evidence.first("find_frames", pattern=_of_work(row["id"]), profile="all") if row["state"] == "pass" else None
    )
    found = found or evidence.first("find_frames", pattern=_of_work(row["id"]))
    rows = [one for one in (found or {"rows": []})["rows"] if one["total_value"] > 0 and not is_pseudo(one)]
    pattern = re.compile(_of_work(row["id"]) or "(?!)")
    rows = [one for one in rows if pattern.search(one["name"])]  # and not by its file alone
    if not found or not rows or max(one["total_share"] for one in rows) < NAMED:
        return ""
    unit, most = found["unit"], max(rows, key=lambda one: one["total_value"])
    part = most["total_share"]
    verdict = "Yes" if part >= MUCH else "Only partly" if part >= SOME else "Hardly"
    begins = f"{verdict}: the" if question.is_yes_or_no else "The"
    return (
        f"**{begins} heaviest function that is named like {row['id'].replace('-', ' ')} is {cited(most)}: "
        f"{total(most, unit)}** in total, {own(most, unit)} itself."
    )


def _nameless(evidence: Evidence) -> str:
    """What stands in the place of functions that have no name in the recording; empty where nothing does."""
    found = evidence.first("find_frames", pattern=NAMELESS)
    rows = [row for row in (found or {"rows": []})["rows"] if row["total_value"] > 0]
    if not found or not rows:
        return ""
    unit = found["unit"]
    said = joined([f"{cited(row)} ({total(row, unit)} in total, {own(row, unit)} itself)" for row in rows[:3]])
    return (
        f"**That is code for which the recorder found no name: {said}.** Its program or library has no symbols, or the "
        "stack could not be followed: install debug symbols, build with frame pointers, or record with "
        "`--call-graph dwarf`."
    )


def _forced(evidence: Evidence) -> str:
    """What reads a size or a place, which makes the browser lay out at once; empty where nothing weighs."""
    found = evidence.first("find_frames", pattern=FORCES_LAYOUT)
    rows = [row for row in (found or {"rows": []})["rows"] if row["total_share"] >= LITTLE_FORCED]
    if not found or not rows:
        return ""
    rows.sort(key=lambda row: -row["total_value"])
    said = joined([f"{cited(row)} ({total(row, found['unit'])})" for row in rows[:3]])
    much = "Yes" if rows[0]["total_share"] >= MUCH else "Partly"
    return (
        f"**{much}: reading sizes or places makes the browser lay out at once: {said}.** Read them before anything is "
        f"changed, and all together."
    )


def _verdict(row: dict[str, Any]) -> str:
    """Whether a finding makes what is suspected the cause, by its share."""
    share = row["share"]
    if row["id"] == "unsymbolised":
        return f"**{row['title']}.**"
    if share is None or share >= MUCH:
        return f"**Yes: {row['title']}.**"
    return (
        f"**Only partly: {row['title']}.**" if share >= LITTLE else f"**No, {row['title'].lower()} is little of it.**"
    )


def _uncounted(question: Question, evidence: Evidence, row: dict[str, Any]) -> str:
    """A word first where a number of times is asked of a recording that did not count."""
    if (
        not _FORMS.how_many.search(question.text)
        or evidence.counted == "calls"
        or _COUNTED.search(without_addresses(row["template"]))
    ):
        return ""
    return "**How often cannot be said: calls were not counted.** "


def _on_behalf(evidence: Evidence) -> str:
    """Who calls the heaviest function of the finding most."""
    around = evidence.first("get_callers_callees")
    callers = [row for row in (around or {"callers": []})["callers"] if row["handle"] and not is_pseudo(row)]
    if not around or not callers:
        return ""
    return f" {cited(around['frame'])} is called most from {cited(callers[0])}."


def _suspected(question: Question, evidence: Evidence) -> list[str]:
    """Whether what a function, or all whose name or file holds the word, takes makes it the cause."""
    rows = meant(question, evidence)
    name = (question.names or question.maybe or ("",))[0]
    found = evidence.first("find_frames", pattern=name)
    if question.handle and (around := around_function(question.handle, evidence)):
        rows = [of_the_recording(around, evidence)]
        found = around | {"total_matches": 1, "total_value": rows[0]["total_value"]}
    elsewhere = _weightless(question, evidence)
    if elsewhere and (around := around_function(elsewhere["handle"], evidence)) and around["frame"]["total_value"] > 0:
        rows = [of_the_recording(around, evidence)]
        found = around | {"total_matches": 1, "total_value": rows[0]["total_value"]}
    if not rows or found is None or found["total_value"] <= 0:
        asks = question.is_yes_or_no and not question.handle
        return _nothing_named(question, evidence) if asks else groups.group(question, evidence)
    if (calls := _waited_for(question, evidence)) and (around := evidence.first(calls[0][0], **calls[0][1])):
        takes = f"{cited(around['frame'])} takes {total(around['frame'], around['unit'])}{seen(around)}"
        return [f"**Yes: {takes}, of all threads together.**", leading(evidence, "What takes the most is")]
    one = found["total_matches"] == 1 or len(question.names) == 1
    figures, what = (
        (rows[0], f"{cited(rows[0])}{found.get(OF_PROFILE, '')}")
        if one
        else (found, f"what is named like {coded(name)}")
    )
    if wrong := false_premise(question, evidence, rows[0], found["unit"]):
        return [
            f"{wrong}{cited(rows[0])} takes {total(rows[0], found['unit'])} in total.",
            leading(evidence, "What takes the most is"),
        ]
    if _FORMS.small.search(question.text):
        is_small = figures["total_share"] < SOME
        takes = f"{total(figures, found['unit'])} in total, {own(figures, found['unit'])} itself"
        return [
            f"**{'Yes' if is_small else 'No'}: {what} takes {takes}.**",
            leading(evidence, "What takes the most is"),
        ]
    lead = evidence.lead
    is_other = lead is not None and lead.row["handle"] != rows[0]["handle"]
    is_other = is_other and lead is not None and lead.row["self_value"] > figures["self_value"]
    if lead and is_other and SOME <= figures["total_share"] < lead.row["self_share"]:
        more = f"{cited(lead.row)} takes more, {own(lead.row, lead.unit)} itself"
        return [f"**Not mainly: {what} takes {total(figures, found['unit'])} in total, but {more}.**"]
    own_lead = evidence.own_lead
    if own_lead and own_lead.row["handle"] != rows[0]["handle"] and SOME <= figures["total_share"] < MUCH:
        heavier = own_lead.row
        if heavier["self_share"] >= MORE * figures["total_share"]:
            most = f"{cited(heavier)} takes {own(heavier, own_lead.unit)} with the libraries that it calls"
            return [f"**Not mainly: {what} takes {total(figures, found['unit'])} in total, but {most}.**"]
    verdict = "Yes" if figures["total_share"] >= MUCH else "Partly" if figures["total_share"] >= SOME else "No"
    unit = found["unit"]
    return [
        f"**{verdict}: {what} takes {total(figures, unit)} in total, {own(figures, unit)} itself.**",
        leading(evidence, "What takes the most is"),
    ]


def _nothing_named(question: Question, evidence: Evidence) -> list[str]:
    """No, where yes or no is asked of what no function of the trace is named after."""
    asked = question.names or question.maybe or words_of(question.text, question.stems)
    near = [row for result in evidence.all("find_frames") for row in result.data.get("nearest", [])][:3]
    nearest = f"The nearest names are {joined([cited(row) for row in near])}." if near else ""
    closing = leading(evidence, "What takes the most is")
    return [f"**No: nothing in this trace is named like {joined([coded(one) for one in asked])}.** {closing}", nearest]


def repeated(question: Question, evidence: Evidence) -> list[str]:
    """Findings of repeated work; an honest word where calls were not counted."""
    found = [row for name in REPEATED if (row := evidence.finding(name))]
    closing = leading(evidence, "What takes the most is")
    if found and not (would_help(question.text) and not _ASKED_THINGS.caches.search(would_help(question.text))):
        first_, *others = found
        return [
            f"**Yes: {first_['title']}.** {sentence_of(first_)} {first_['advice']}".rstrip(),
            "\n".join(f"- {row['title']}: {sentence_of(row)}" for row in others),
            closing,
        ]
    if helps := _would_help(question, evidence):
        return [f"**Yes, as far as can be seen: {helps['title']}.** {sentence_of(helps)} {helps['advice']}", closing]
    if would_help(question.text) and not _ASKED_THINGS.caches.search(would_help(question.text)):
        return ["**A recording cannot show what that would change**: nothing found in it asks for that.", closing]
    if would_help(question.text) and (keeps := _could_be_kept(evidence)):
        return [f"**Perhaps: {keeps['title']}.** {sentence_of(keeps)} {keeps['advice']}", closing]
    if would_help(question.text):
        return [
            ("**A recording cannot show what a cache would save**: no work stands out in it as done again."),
            closing,
        ]
    if evidence.counted != "calls":
        return [
            (
                "**This trace cannot say whether work is repeated**: it holds samples or sums, in which a function "
                "that is called often looks like one that is slow."
            ),
            closing,
        ]
    return ["**No call was found to be repeated in a way that stands out.**", closing]


def _would_help(question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """A finding that weighs and whose advice is what the person thinks of."""
    thing = would_help(question.text)
    ways = [one for one in REMEDIES if one.search(thing)]
    weighing = [row for row in evidence.found() if (row["share"] or 0) >= LITTLE and row["confidence"] != "low"]
    return next((row for row in weighing if any(way.search(row["advice"]) for way in ways)), None)


def _could_be_kept(evidence: Evidence) -> dict[str, Any] | None:
    """A finding that weighs and whose advice is to keep what was worked out."""
    weighing = [row for row in evidence.found() if (row["share"] or 0) >= LITTLE]
    return next((row for row in weighing if re.search(r"\bcach|\bhoist|\bkeep|\breuse", row["advice"])), None)


def caches(question: Question, evidence: Evidence) -> list[str]:
    """An honest word where no finding says more: few recorders count misses."""
    return [
        (
            f"{NO_MISSES} misses the processor's caches**. Count them with "
            "`valgrind --tool=cachegrind` or `perf record -e cache-misses`."
        ),
        leading(evidence, "What takes the most is"),
    ]
