"""What a recording's own time is: by which clock it counts, how long it was recorded, how many processors that kept
busy, and where the rest of the run is that no sample shows."""

from server.analyst.evidence import Evidence
from server.analyst.forms import first_form
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question
from server.analyst.wording import amount, cited_profile, share


def clock_of(evidence: Evidence) -> str:
    """By which clock the times of the main profile are, as far as the recording says."""
    main = evidence.main
    if main is None or main["unit"] != "nanoseconds":
        return "**By no clock: this trace measures no time.**"
    if _is_of_work(evidence):
        return f"**CPU time: {cited_profile(main)} was sampled only while it ran**, so waiting is not in it."
    if main.get("waits") == "unknown":
        return "**Wall-clock time, as it seems: whether a sample computed or waited the recording does not say.**"
    return "**Wall-clock time**: what a function waited counts, too."


def answer(question: Question, evidence: Evidence) -> list[str]:
    """Its own figures and what they mean; nothing where something else is asked."""
    ways = {
        "clock": clock_of, "missing": _missing, "cores": _processors, "length": _length, "of_processors": _sum,
    }  # fmt: skip
    form = first_form("recorded_time", question.text) or first_form("recorded_time_first", question.text)
    if not form or evidence.main is None:
        return []
    return [ways[form](evidence), leading(evidence, "What takes the most is")]


def _is_of_work(evidence: Evidence) -> bool:
    """Whether a sample is one of a processor's time, so that they add up to no time on the wall."""
    main = evidence.main or {}
    return bool(evidence.only_running or main.get("waits") == "work")


def _worked(evidence: Evidence) -> float | None:
    """Nanoseconds of work in all threads; None where the trace measures something else."""
    rows = [row for row in evidence.profiles if row.get("stands_for_thread") and row["unit"] == "nanoseconds"]
    known = [row["busy"] for row in rows if row.get("busy") is not None]
    if known or (evidence.main or {}).get("unit") != "nanoseconds":
        return sum(known[1:], known[0]) if known else None
    return float((evidence.main or {})["total"])


def _recorded(evidence: Evidence) -> float | None:
    """How long it was recorded, in nanoseconds, by its own word or from its first moment to its last."""
    summary = evidence.summary or {}
    found: float | None = summary.get("recorded_for_ns") or summary.get("duration_ns")
    return found


def _missing(evidence: Evidence) -> str:
    main, worked, length = evidence.main or {}, _worked(evidence), _recorded(evidence)
    if main["unit"] != "nanoseconds":
        return "**That cannot be told: this trace measures no time.**"
    if evidence.measures_waiting:
        return (
            f"**Those are waits, added up**: several that wait at the same time count each, so that "
            f"{amount(main['total'], 'nanoseconds')} in all is no time on the clock, and may be longer than the run."
        )
    if not _is_of_work(evidence) or worked is None:
        parts = [(main.get(one), one) for one in ("busy", "waiting", "idle", "unknown")]
        of_which = ", ".join(f"{amount(value, 'nanoseconds')} {name}" for value, name in parts if value)
        return (
            f"**In the recording there is no rest**: {cited_profile(main)} has {of_which or 'all of its time'}. "
            f"What was before its first moment or after its last is not recorded."
        )
    if length and float(worked) > float(length):
        return (
            f"**In the recording there is no rest: samples of all threads are added up**, "
            f"{amount(worked, 'nanoseconds')} of processor time in {amount(length, 'nanoseconds')}, which is "
            f"{worked / length:.2f} processors on average. What waited, or was before or after, is not in it."
        )
    of_all = f" of the {amount(length, 'nanoseconds')} that were recorded" if length else ""
    return (
        f"**The rest was not on a processor, and only what ran on one is in this profile**: "
        f"{amount(worked, 'nanoseconds')}{of_all}. For the rest it waited, slept or got no processor; which of these "
        f"a CPU profile does not record."
    )


def _processors(evidence: Evidence) -> str:
    worked, length = _worked(evidence), _recorded(evidence)
    if not worked or not length:
        return "**How many processors were busy cannot be told**: how long it was recorded is not in the trace."
    ratio, took = worked / length, amount(length, "nanoseconds")
    if not _is_of_work(evidence):
        return (
            f"**On average {ratio:.2f} threads were busy at once**, by their own times "
            f"({amount(worked, 'nanoseconds')} in {took}); how many processors that kept busy is not recorded."
        )
    used = f"{ratio:.2f} processors were" if ratio >= 1 else f"{share(ratio)} of one processor was"
    return (
        f"**On average {used} busy**: {amount(worked, 'nanoseconds')} of processor time in {took}. How many the "
        f"machine had is not recorded."
    )


def _length(evidence: Evidence) -> str:
    length, worked = _recorded(evidence), _worked(evidence)
    if not length:
        has = f" It has {amount(worked, 'nanoseconds')} of time in all." if worked else ""
        return f"**How long that was recorded, I cannot say.**{has}"
    ran = f", with {amount(worked, 'nanoseconds')} of processor time in it" if worked and _is_of_work(evidence) else ""
    return f"**It was recorded for {amount(length, 'nanoseconds')}**{ran}."


def _sum(evidence: Evidence) -> str:
    worked, length = _worked(evidence), _recorded(evidence)
    if worked is None:
        return "**That cannot be told: this trace measures no time.**"
    over = f", in {amount(length, 'nanoseconds')} that were recorded" if length else ""
    if _is_of_work(evidence):
        return f"**{amount(worked, 'nanoseconds')} of processor time in all**{over}."
    return f"**{amount(worked, 'nanoseconds')} of work in all**{over}; by the wall clock, not a processor's."
