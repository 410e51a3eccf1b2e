"""Is it garbage collection, is it waiting, is it the database: time that is not the program's own work."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.findings import sentence_of
from server.analyst.forms import expression, first_form, forms, table
from server.analyst.kinds import computing, single_events
from server.analyst.kinds.computing import HOW_TO_RECORD_WAITING
from server.analyst.kinds.kind import BY_SELF, FINDINGS, OWN_CODE, SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.meanwhile import asks_for_holder, in_other_threads, said_of_others
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import caveats, equals
from server.analyst.kinds.overview import then as then_overview
from server.analyst.kinds.parked import up, waiter
from server.analyst.kinds.paths import LEADS
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_of_single_ones
from server.analyst.wording import amount, cited, cited_profile, joined, listed, located, neighbours, own, share, total
from traces.analysis.waiting_names import waits
from traces.lazy_regex import lazy_regex

_FORMS = forms("waiting")
_KIND = forms("kind")

HALF = 0.5
"""Idle share from which a thread does not compute most of the time."""
MATCHES = 40
"""Frames that a pattern may find: some are found by their file, and are left out."""

LITTLE = 0.005
"""Part of the recording below which a function that is named like waiting is not worth a word."""
WAITED = 5
"""Functions that are listed of a profile of waiting."""


def subject(question: Question) -> tuple[str, str]:
    """What is waited for, in words and as the pattern of function names."""
    words = first_form("waited_for", question.text) or "waiting"
    return words, expression("frames_that_wait", words)


BETWEEN_DEVICES: Call = (
    "find_frames",
    {"pattern": "^(?:nccl|rccl|oneccl)[A-Z_]", "regex": True, "limit": 5, "profile": "all"},
)
"""Kernels that send data from device to device, on tracks of their own."""


def _sent_between_devices(question: Question, evidence: Evidence) -> str:
    """What devices spend on sending to each other, where that is recorded; it is what a network is used for there."""
    found = evidence.first("find_frames", pattern=BETWEEN_DEVICES[1]["pattern"])
    rows = [row for row in (found or {"rows": []})["rows"] if row["self_value"] > 0]
    if found is None or not rows or subject(question)[0] != "the network":
        return ""
    return (
        f"**{amount(found['self_value'], found['unit'])} of the devices' time goes to sending between them**, most of "
        f"it in {cited(rows[0])}: whether a network or a bus carries it, the trace does not say."
    )


def first_waiting(question: Question, evidence: Evidence) -> list[Call]:
    return [
        SUMMARY,
        BY_SELF,
        FINDINGS,
        ("find_frames", {"pattern": subject(question)[1], "regex": True, "limit": MATCHES}),
        *([BETWEEN_DEVICES] if subject(question)[0] == "the network" else []),
    ]


def then_waiting(question: Question, evidence: Evidence) -> list[Call]:
    if parked := computing.around_parked(question, evidence):
        return parked
    if evidence.measures_waiting and (name := _one_asked_for(question)):
        contentions = {"filter": name, "limit": MATCHES, "value": "contentions", "sort_by": "total"}
        return [("find_frames", {"pattern": name, "limit": MATCHES}), ("get_top_functions", contentions)]
    if evidence.measures_waiting:
        return [call for call in then_overview(question, evidence) if call != FINDINGS]
    if evidence.waiting_profiles:
        if (singles := _single_waits(question, evidence)) and not evidence.called("query_trace"):
            return [singles]
        waited = _waited(question, evidence)
        ranked = evidence.first("get_top_functions", profile=waited)
        if ranked and ranked["rows"]:
            return up(ranked["rows"][0]["handle"], waited, evidence)
        return [("get_top_functions", {"sort_by": "self", "limit": WAITED, "profile": waited})]
    rows = matches(evidence)
    meanwhile = in_other_threads(rows, evidence) if asks_for_holder(question.text) else []
    return [*([("get_callers_callees", {"frame": rows[0]["handle"]})] if rows else [OWN_CODE]), *meanwhile]


def _waited(question: Question, evidence: Evidence) -> str:
    """The profile of waiting that is meant: the one of locks where these are asked for, else the heaviest."""
    of_locks = [
        one for one in evidence.waiting_profiles if _KIND.of_locks.search(str((evidence.profile(one) or {})["name"]))
    ]
    return (of_locks if _KIND.of_locks.search(question.text) and of_locks else evidence.waiting_profiles)[0]


def _single_waits(question: Question, evidence: Evidence) -> Call | None:
    """The query for the waits of the profile that records them, where single ones are asked for."""
    profile = evidence.profile(_waited(question, evidence)) if evidence.waiting_profiles else None
    asks = asks_of_single_ones(question.text) or _FORMS.in_all.search(question.text)
    return single_events.of_profile(profile, question.text) if profile and asks else None


def _waits_one_by_one(question: Question, evidence: Evidence) -> list[str]:
    """How many waits there were, how long together, and the longest; nothing where that was not asked for."""
    call = _single_waits(question, evidence)
    waits_ = single_events.found(call, evidence) if call else None
    return [single_events.said(waits_, "wait", question.text, evidence)] if waits_ else []


def matches(evidence: Evidence) -> list[dict[str, Any]]:
    """Functions that the pattern finds by their name: paths and addresses of files say nothing."""
    known = {expression("frames_that_wait", words) for words in table()["frames_that_wait"]}
    found = [one for one in evidence.all("find_frames") if one.arguments["pattern"] in known and one.data["rows"]]
    rows = [
        row
        for one in found[:1]
        for row in one.data["rows"]
        if row["total_value"] > 0
        and re.search(one.arguments["pattern"], row["name"], re.IGNORECASE)
        and not computing.JOINS.search(row["name"])
    ]
    rows.sort(key=lambda row: (-row["self_value"], -row["total_value"]))
    return rows


def _scheduling(evidence: Evidence) -> list[str]:
    """An honest word where thread states are not recorded, which alone show a thread that waits for a core."""
    said = (
        "**This trace cannot say that**: when a thread was ready and had no core, and how fast the processor ran, only "
        "the system's scheduler records (Perfetto or ftrace with `sched` events, `perf sched`)."
    )
    return [said, leading(evidence, "What takes the most is")]


def waiting(question: Question, evidence: Evidence) -> list[str]:
    if parked := computing.is_no_fault(question, evidence):
        return parked
    if _FORMS.of_the_gil.search(question.text):
        return computing.of_the_interpreters_lock(evidence)
    if _KIND.asks_if_it_computes.search(question.text):
        return computing.computes(question, evidence)
    if _FORMS.of_scheduling.search(question.text) and not (evidence.main or {}).get("runnable"):
        return _scheduling(evidence)
    parts = [*_waits_one_by_one(question, evidence), *_waiting(question, evidence)]
    if evidence.measures_waiting and (of_one := _waited_in_one(question, evidence)):
        return of_one
    if _FORMS.more_than_the_run.search(question.text) and (summed := computing.summed(evidence)):
        return [summed, *parts[:1]]
    if _FORMS.deadlock.search(question.text):
        return ["**A deadlock cannot be told from this trace**: who holds what is not in it, only what waits.", *parts]
    if asks_for_holder(question.text) and not parts[0].startswith("**This trace cannot"):
        meanwhile = said_of_others(matches(evidence), evidence)
        return [
            f"**Who holds it meanwhile is not read from this trace**{meanwhile or ': it is known who waits.'}",
            *parts,
        ]
    return parts


def _waiting(question: Question, evidence: Evidence) -> list[str]:
    words, _ = subject(question)
    lead = evidence.lead
    if evidence.measures_waiting and lead:
        return _measured_waiting(evidence)
    if sent := _sent_between_devices(question, evidence):
        return [sent, leading(evidence, "What takes the most of the processor's time is")]
    if evidence.waiting_profiles:
        return _of_the_outside(question, evidence) or _in_its_own_profile(_waited(question, evidence), evidence)
    if evidence.only_running:
        return _not_recorded(words, evidence)
    if evidence.unit == "bytes":
        return [
            f"**This trace cannot say: it measures memory, not time**, so waiting for {words} is not in it.",
            HOW_TO_RECORD_WAITING,
        ]
    return _recorded(words, evidence)


_OTHERS_END = lazy_regex(
    r"WaitGroup|chanrecv|chansend|selectgo|\bjoin\b|Thread\.join|Cond\)?\.Wait|\bsleep", re.IGNORECASE
)


def _one_asked_for(question: Question) -> str:
    """`count` of `and the wait in count?`; empty where it is not put so."""
    found = _FORMS.in_one.match(question.text)
    return found[1] if found else ""


def _waited_in_one(question: Question, evidence: Evidence) -> list[str]:
    """How long, and how often, is waited in the one function that is asked for; nothing without one of that name."""
    name = _one_asked_for(question)
    rows = [row for row in evidence.rows("find_frames", pattern=name) if is_named(row, name)] if name else []
    if not rows:
        return []
    row, often = rows[0], evidence.rows("get_top_functions", filter=name, value="contentions")
    count = next((one["total_value"] for one in often if one["handle"] == row["handle"]), 0)
    each = f", in {linked(f'{int(count):,}', count)} waits, {amount(row['total_value'] / count, evidence.unit)} each"
    closing = leading(evidence, "What takes the most is")
    return [f"**{total(row, evidence.unit)} of the waiting is in {cited(row)}{each if count else ''}.**", closing]


def _measured_waiting(evidence: Evidence) -> list[str]:
    lead = evidence.lead
    assert lead is not None
    around, own_lead = evidence.first("get_callers_callees"), evidence.own_lead
    row, unit = lead.row, lead.unit
    culprit = own_lead.row if own_lead and own_lead.row["handle"] != row["handle"] else None
    if culprit is None and around:
        culprit = next((one for one in around["callers"] if one["handle"]), None)
    if both := equals(lead, evidence):
        arounds = [result.data for result in evidence.all("get_callers_callees")]
        return [f"All of this is waiting. {both}", *(neighbours(one, unit) for one in arounds), caveats(evidence)]
    said = (
        f"**{total(row, unit)} of the waiting that was recorded is in {cited(row)}**, of {amount(lead.total, unit)}"
        f"{_in_waits(evidence, lead.total)}."
    )
    if _OTHERS_END.search(row["name"]):
        said = (
            f"**No lock is contended: for {total(row, unit)} of {amount(lead.total, unit)} it waits in {cited(row)}**, "
            f"{_OF_OTHERS.get(next((one for one in _OF_OTHERS if one in row['name'].casefold()), ''), _ELSE)}."
        )
        return [said, *_on_behalf_of(around, unit), caveats(evidence)]
    if culprit:
        said += f" What to look at is {cited(culprit)}, on whose behalf it waits: hold the lock for less, or split it."
    return [said, neighbours(around, unit) if around else "", caveats(evidence)]


_ELSE = "for others to end or to hand something over"
_OF_OTHERS = {
    "send": "sending to a channel that nobody reads from meanwhile",
    "recv": "receiving from a channel that nobody sends to meanwhile",
    "select": "for any of several channels",
    "waitgroup": "for others to end",
}


def _on_behalf_of(around: dict[str, Any] | None, unit: str) -> list[str]:
    """Who waits there: the first two in a sentence, the others in a list."""
    rows = [row for row in around["callers"] if row["handle"]] if around else []
    rest = "\n".join(f"- {cited(row)}: {amount(row['value'], unit)}" for row in rows[2:])
    return [f"It is called from {listed(rows, unit, 2)}.", rest] if rows else []


def _in_waits(evidence: Evidence, together: float) -> str:
    """In how many waits that was, and how long one is on average."""
    main = evidence.main or {}
    if main.get("counted") != "contentions" or not main.get("count"):
        return ""
    each = amount(together / main["count"], str(main["unit"]))
    count = main["count"]
    return f" in {linked(f'{int(count):,}', count)} waits, {each} each on average"


def _of_the_outside(question: Question, evidence: Evidence) -> list[str]:
    """What of the waiting that was recorded is named like the disk, a network or a database, where yes or no is asked
    of one of these; nothing for any other question."""
    words, pattern = subject(question)
    ranked = evidence.first("get_top_functions", profile=_waited(question, evidence))
    profile = evidence.profile(ranked["profile"]) if ranked else None
    if not ranked or not profile or words in ("waiting", "locks") or not question.is_yes_or_no or not ranked["rows"]:
        return []
    row, unit = ranked["rows"][0], ranked["unit"]
    named = [one for one in ranked["rows"] if one["self_value"] > 0 and re.search(pattern, one["name"], re.IGNORECASE)]
    most = f"most of the {amount(ranked['whole'], unit)} of waiting in {cited_profile(profile)} is in {cited(row)}"
    it = f"{own(named[0], unit)} is in {cited(named[0])}" if named else f"nothing that leads is named like {words}"
    return [f"**{'Partly' if named else 'No'}: {it}; {most}, {own(row, unit)}.**"]


def _in_its_own_profile(handle: str, evidence: Evidence) -> list[str]:
    """Waiting that was recorded together with the work, as a profile of its own."""
    ranked, profile = evidence.first("get_top_functions", profile=handle), evidence.profile(handle)
    if not ranked or not ranked["rows"] or profile is None:
        return _not_recorded("waiting", evidence)
    row, unit = ranked["rows"][0], ranked["unit"]
    said = (
        f"**Yes, it waits: {amount(ranked['whole'], unit)} of waiting was recorded, in {cited_profile(profile)}, "
        f"most of it in {cited(row)}, {own(row, unit)}.**"
    )
    if by := waiter(row["handle"], handle, evidence):
        said += f" It is {cited(by)} that waits there most."
    rows = [f"- {cited(one)}{located(one)}: {own(one, unit)}" for one in ranked["rows"][:WAITED]]
    around = evidence.first("get_callers_callees", profile=handle)
    several = "Threads wait at the same time, so their waiting adds up to more than the recording lasts."
    return [
        said,
        "\n".join(rows) if len(rows) > 1 else "",
        neighbours(around, unit) if around else "",
        several if unit == "nanoseconds" else "",
    ]


def _not_recorded(words: str, evidence: Evidence) -> list[str]:
    main = evidence.main
    name = f" {cited_profile(main)} was sampled only while it ran." if main else ""
    said = (
        f"**This trace cannot say: it is a CPU profile, in which waiting for {words} is not recorded.**{name} "
        "Only what ran on a processor is in it."
    )
    if words == "waiting":
        said = (
            f"**This trace cannot say: it is a CPU profile, in which waiting is not recorded.**{name} "
            "Only what ran on a processor is in it."
        )
    rows = matches(evidence)
    named = ""
    if rows and (found := evidence.first("find_frames")):
        most = f"{cited(rows[0])}: {own(rows[0], found['unit'])} itself"
        named = f"Of what ran, the most that is named like {words} is {most}."
    return [said, named, leading(evidence, "What keeps the processor busy is"), HOW_TO_RECORD_WAITING]


def _recorded(words: str, evidence: Evidence) -> list[str]:
    lead, main = evidence.lead, evidence.main
    found = evidence.first("find_frames")
    rows = matches(evidence)
    findings = [row for row in evidence.findings("waiting", "requests") if row["share"] is None or row["share"] >= 0.02]
    network = evidence.finding("network-bound")
    if network:
        findings = [network, *findings]
    parts = [_recorded_verdict(words, evidence, rows)]
    parts.append("\n".join(f"- {row['title']}: {sentence_of(row)} {row['advice']}".rstrip() for row in findings[:3]))
    if rows and found:
        unit = found["unit"]
        heaviest = "\n".join(
            f"- {cited(row)}: {own(row, unit)} itself, {total(row, unit)} in total" for row in rows[:5]
        )
        parts.append(f"Functions named like {words}:\n\n{heaviest}")
        around = evidence.first("get_callers_callees")
        parts.append(neighbours(around, around["unit"]) if around else "")
    if main and main.get("idle_share"):
        parts.append(
            f"{cited_profile(main)} is idle {share(main['idle_share'])} of its time; that is left out of all shares."
        )
    if lead and not (rows and rows[0]["handle"] == lead.row["handle"]):
        parts.append(leading(evidence, "What takes the most is"))
    return [*parts, caveats(evidence)]


def _recorded_verdict(words: str, evidence: Evidence, rows: list[dict[str, Any]]) -> str:
    lead, main = evidence.lead, evidence.main
    if lead and waits(lead.row["name"]) and words == "waiting":
        how = "mostly waits" if lead.row["self_share"] >= HALF else "waits"
        return f"**Yes, it {how}: the most is in {cited(lead.row)}, {own(lead.row, lead.unit)}.**"
    if not rows:
        idle = (main or {}).get("idle_share") or 0
        if words == "waiting" and main and idle >= 0.5:
            return f"**Mostly, yes: {cited_profile(main)} is idle {share(idle)} of the time.**"
        if words == "waiting" and main and main["kind"] == "sampled" and main.get("running") is None:
            where = cited_profile(main) if evidence.runs_in_several else "them"
            return (
                f"**Whether it waits or computes, these samples cannot tell**: nothing in {where} is named like "
                "waiting, and a function that waits in a call of the system looks like one that computes."
            )
        none = f"**No: nothing in this trace is named like {words}**"
        return f"{none}: if it waits for that, it is not recorded here under a name that says so."
    row, unit = rows[0], (evidence.first("find_frames") or {"unit": "nanoseconds"})["unit"]
    idle = (main or {}).get("idle_share") or 0.0
    if words == "waiting" and main and idle >= LEADS and row["self_share"] < LITTLE:
        often, where = "Mostly, yes" if idle >= HALF else "Partly", cited(row)
        return f"**{often}: {cited_profile(main)} is idle {share(idle)} of the time; by its name {where} waits.**"
    together, most = sum(one["self_share"] for one in rows), f"{cited(row)}, with {own(row, unit)} itself"
    size = "Yes" if together >= 0.3 else "Partly" if together >= LEADS else "No, hardly"
    others = joined([f"{cited(one)} ({own(one, unit)})" for one in rows[1:3] if one["self_share"] >= LITTLE])
    then = f" After it: {others}." if others else ""
    return f"**{size}: of what is named like {words} the most is in {most}.**{then}"
