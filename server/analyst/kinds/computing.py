"""Does it compute or does it wait, and is it the interpreter's lock: as far as the recording can say."""

import re
from typing import Any

from server.analyst.evidence import Evidence, Lead, busy_of
from server.analyst.findings import of_causes, sentence_of
from server.analyst.forms import first_form, forms
from server.analyst.kinds.kind import Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import caveats
from server.analyst.kinds.paths import LEADS
from server.analyst.question import Question
from server.analyst.wording import amount, cited, cited_profile, coded, own, share, total
from traces.analysis.waiting_names import waits
from traces.lazy_regex import lazy_regex

_FORMS = forms("waiting")

HALF = 0.5
"""Idle share from which a thread does not compute most of the time."""
HAVE_ONE_LOCK = (".py", ".rb", "<cfunc>")
"""Ends of files of languages whose threads run one at a time."""
HOW_TO_RECORD_WAITING = (
    "Record wall-clock time instead: `flamechat record --what wall -- COMMAND` finds what can do it here, such as "
    "py-spy with `--idle`, pyinstrument, stackprof with `:wall`; else perf with `sched:sched_switch`, Go's block and "
    "mutex profiles, or a Chrome trace."
)


def _computes_or_waits(lead: Lead) -> str:
    """An honest word where a function's time counts its waiting, too, and its name says that it may wait for something;
    else empty."""
    by_name = first_form("frames_that_wait", lead.row["name"])
    if not by_name:
        return ""
    may = f" By its name it may wait for {by_name}."
    taken = f"{cited(lead.row)}, with {own(lead.row, lead.unit)} itself"
    return f"**Whether it computes or waits in {taken}, this trace cannot say**: its times count waiting, too.{may}"


def computes(question: Question, evidence: Evidence) -> list[str]:
    """Whether the time goes to the processor."""
    lead, main = evidence.lead, evidence.main
    closing = leading(evidence, "What takes the most is")
    if evidence.unit != "nanoseconds" or lead is None or main is None:
        return ["**This trace cannot say whether it computes or waits**: it measures no time.", closing]
    if evidence.measures_waiting:
        return ["**This trace cannot say whether it computes: it measures only waiting.**", closing]
    if evidence.only_running:
        return [
            f"**This trace cannot say: waiting is not recorded**, {cited_profile(main)} was sampled only while it ran.",
            closing,
            HOW_TO_RECORD_WAITING,
        ]
    is_one_of_two = _FORMS.one_or_other.search(question.text) is not None
    no, yes = ("", "") if is_one_of_two else ("No: ", "Yes, ")
    if locks := of_causes(evidence, ("lock_contention",)):
        it = "It waits" if is_one_of_two else "No, it waits"
        return [f"**{it}, for a lock**: {sentence_of(locks[0])}", closing]
    idle = main.get("idle_share") or 0.0
    may_wait = main.get("waits") in ("both", "unknown") and not main.get("running") and not waits(lead.row["name"])
    if may_wait and (unknown := _computes_or_waits(lead)):
        return [unknown, closing]
    if idle >= HALF:
        return [f"**{no}{cited_profile(main)} is idle {share(idle)} of the time.**", closing]
    if waits(lead.row["name"]) and lead.row["self_share"] >= LEADS:
        it = f"{no}it waits" if no else "It waits"
        return [f"**{it} in {cited(lead.row)}, {own(lead.row, lead.unit)}.**", caveats(evidence)]
    busy = amount(busy_of(main), main["unit"])
    if may_wait and main["kind"] == "sampled" and not idle:
        said = "Nothing that leads here is named like waiting, so by names it computes; how much of it was on the CPU"
        times = f"its times, {busy} in {cited_profile(main)}, are of the wall clock"
        return [
            f"**{said}, the recording does not say**: {times}, and count waiting inside of a function, too. {closing}"
        ]
    working = f"{yes}by all that is recorded" if yes else "It computes on the CPU, by all that is recorded"
    working = f"**{working}: {cited_profile(main)} works for {busy}"
    return [f"{working}**, idle {share(idle)} of the time." if idle else f"{working}.**", closing]


def parked_in(question: Question, evidence: Evidence) -> str:
    """The name of the function of waiting of which it is asked whether it is a fault that a thread is in it; empty
    where it is not put so."""
    if not _FORMS.is_a_fault.search(question.text):
        return ""
    return next((one for one in question.names if _parked(one, evidence)), "")


def _parked(name: str, evidence: Evidence) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = evidence.rows("find_frames", pattern=name)
    return next((row for row in rows if waits(row["name"]) or JOINS.search(row["name"])), None)


def around_parked(question: Question, evidence: Evidence) -> list[Call]:
    """What is looked up of the function that a thread stands in."""
    row = _parked(parked_in(question, evidence), evidence) if question.names else None
    return [("get_callers_callees", {"frame": row["handle"], "profile": "all"})] if row else []


def is_no_fault(question: Question, evidence: Evidence) -> list[str]:
    """That a thread which waits for others is no fault, with how long it does; nothing where that is not asked."""
    calls = around_parked(question, evidence)
    around = evidence.first(calls[0][0], **calls[0][1]) if calls else None
    if around is None:
        return []
    row, closing = around["frame"], leading(evidence, "What takes the most, and is what to look at, is")
    spent = f"{total(row, around['unit'])} of all threads together"
    who = next((coded(one) for one in question.names[1:]), "a thread")
    if JOINS.search(row["name"]):
        return [f"**No: in {cited(row)} {who} only waits for other threads to end (join)**, {spent}. {closing}"]
    return [f"**Not by itself: {cited(row)} is waiting by its name, and no work**, {spent}. {closing}"]


JOINS = lazy_regex(r"wait_for_tstate_lock|\bjoin_thread\b|pthread_join|Thread[.:#]join", re.IGNORECASE)
"""Waiting for a thread to end, which is named like a lock that nobody contends."""


def summed(evidence: Evidence) -> str:
    """Why waiting can be more than the run lasted; empty where no waiting was measured."""
    waits_ = [row for row in evidence.profiles if row["handle"] in evidence.waiting_profiles]
    main = evidence.main if evidence.measures_waiting else next(iter(waits_), None)
    if main is None or not main["total"]:
        return ""
    several = "over all that wait at the same time (threads, goroutines), so it may be more than the run lasts"
    return f"**Waits add up: the {amount(main['total'], str(main['unit']))} are a sum {several}.**"


def with_more_threads(evidence: Evidence) -> str:
    """What can be said of more threads, where no lock is known that they would wait for."""
    lead, main = evidence.lead, evidence.main or {}
    if lead is None or main.get("waits") != "unknown" or not evidence.runs_in_several or lead.row["self_share"] < HALF:
        return "**A recording cannot show what would be with more of them.**"
    spent = f"the threads that are there spend the most in {cited(lead.row)}, {own(lead.row, lead.unit)}"
    return f"**Not if that is waiting: {spent}; for a lock or one device one more would only wait, too.**"


def of_the_interpreters_lock(evidence: Evidence) -> list[str]:
    """Whether threads wait for the lock of an interpreter, which hardly any recorder sees."""
    lead, closing = evidence.lead, leading(evidence, "What takes the most is")
    files = [str(row.get("file") or "").partition(":")[0] for row in (lead.rows if lead else [])]
    if not any(one.endswith(HAVE_ONE_LOCK) for one in files):
        return [
            "**No: a global interpreter lock is of Python and Ruby, and no function of these leads here.**",
            closing,
        ]
    if locks := of_causes(evidence, ("lock_contention",)):
        return [f"**Not the GIL, by what was recorded, but a lock of the program**: {sentence_of(locks[0])}", closing]
    if not evidence.runs_in_several:
        return ["**No: one thread was recorded, and the GIL is only waited for where several run.**", closing]
    like = "a thread that waits for it looks like one that computes"
    how = "Record with `py-spy record --gil`, which samples only its holder."
    return [f"**Whether threads wait for the GIL, this recording does not show**: {like}. {how}", closing]
