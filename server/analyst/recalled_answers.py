"""Answers from what people said: their own words quoted, with where they come from; and what a fact changes in an
answer about the trace."""

from collections.abc import Sequence
from typing import Any

from server.agent.memory.nearness import Near, nearest_texts
from server.analyst.evidence import Evidence
from server.analyst.fact_meaning import Meaning, of_meaning
from server.analyst.forms import forms
from server.analyst.intent import intents
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.memory_questions import MemoryQuestion
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import Question
from server.analyst.wording import amount, cited, own
from server.quoting import quoted
from traces.lazy_regex import lazy_regex

_FORMS = forms("recalled_answers")

LEAST = 0.15
"""Nearness from which a remembered fact answers a question."""
OF_THE_BEST = 0.6
"""Part of the nearest fact's nearness from which another one is named with it."""
SHOWN = 3
LINE = 500
MATCHES = 100
ABOUT_ALL = intents("overview why top anything_wrong first_fix libraries smalltalk")
"""Intents whose answer follows what people care about and leave out."""
_SENTENCE = lazy_regex(r"(?<=[.!?。！？])\s+|\n+")
NOTHING_SAID = (
    "**I find nothing of that**, neither in what you wrote in this conversation nor among what is remembered."
)


def _found(evidence: Evidence, question: MemoryQuestion) -> tuple[list[str], list[str]]:
    """What this person wrote in the conversation and what is remembered, as far as it is near to the prompt."""
    near = nearest_texts(evidence.prompt, evidence.remembered)
    is_own = question.kind != "ours" or _FORMS.own.search(evidence.prompt) is not None
    enough = [one for one in near if _is_enough(one, is_own=is_own)]
    best = enough[0].score if enough else 0.0
    facts = [evidence.remembered[one.index] for one in enough if one.score >= best * OF_THE_BEST]
    return _stated(evidence.recalled), facts[:SHOWN]


def _is_enough(near: Near, *, is_own: bool) -> bool:
    """Whether a fact is what was asked for: it shares a word, or where `our` asks for it what both are about."""
    concepts = {stem for stem in near.shared if stem.startswith("~")}
    return near.score >= LEAST if near.shared - concepts else bool(concepts) and is_own


def recall(question: MemoryQuestion, evidence: Evidence) -> str | None:
    """The answer to a question for what people said; None where it may be one about the trace."""
    written, facts = _found(evidence, question)
    if question.kind == "ours" and not facts and not written:
        return None
    if not written and not facts:
        return NOTHING_SAID
    parts = []
    if facts:
        parts.append("**Remembered:** " + "; ".join(quoted(one, LINE) for one in facts) + ".")
    written = [one for one in written if one not in facts]
    if written:
        parts.append(
            "**You wrote earlier in this conversation:** " + "; ".join(quoted(one, LINE) for one in written) + "."
        )
    if not parts:
        return NOTHING_SAID
    return "\n\n".join([*parts, "That is what people said, and not measured in this trace."])


def _stated(texts: Sequence[str]) -> list[str]:
    """The sentences of prompts that say something and do not ask; of each prompt together."""
    said = [[one for one in _SENTENCE.split(text) if not one.rstrip().endswith(("?", "？"))] for text in texts]
    return [" ".join(sentences) for sentences in said if sentences]


def limit_of(evidence: Evidence) -> Meaning | None:
    """The limit that the prompt means: the nearest that was remembered or written in this conversation."""
    limits = of_meaning([*evidence.remembered, *_stated(evidence.recalled)], "limit")
    near = nearest_texts(evidence.prompt, [one.fact for one in limits])
    return limits[near[0].index] if near else next(iter(limits), None)


def calls_for_limit(question: Question, limit: Meaning) -> list[Call]:
    """What is measured against a limit: the longest calls of the function that is meant."""
    name = next(iter((*question.names, *question.maybe)), "") or limit.pattern
    return [
        SUMMARY,
        BY_SELF,
        ("get_longest_calls", {"filter": name, "limit": 1} if name else {"outermost": True, "limit": 1}),
    ]


def kept_limit(evidence: Evidence, limit: Meaning) -> str:
    """Whether the longest call is within the limit."""
    said = f"Remembered: {quoted(limit.fact, LINE)}."
    found = evidence.first("get_longest_calls") or {"rows": [], "exact": False}
    row = next(iter(found["rows"]), None)
    single = found["exact"] or any("filter" in one.arguments for one in evidence.all("get_longest_calls"))
    if row is None or found.get("unit") != "nanoseconds" or not single:
        lead = evidence.lead
        most = f" The heaviest function is {cited(lead.row)}: {own(lead.row, lead.unit)} itself." if lead else ""
        return f"**This recording cannot say: it has no single calls to hold against that limit.** {said}{most}"
    longest = f"the longest {'call' if found['exact'] else 'stretch'} of {cited(row | {'handle': row['frame']})} takes "
    longest += amount(row["duration"], "nanoseconds")
    is_over = row["duration"] > limit.nanoseconds
    verdict = "Within the limit" if not is_over else "Over the limit" if found["exact"] else "Perhaps over the limit"
    several = " A stretch of samples may be several calls." if is_over and not found["exact"] else ""
    return f"**{verdict}: {longest}.** {said}{several}"


def scope_calls(question: Question, evidence: Evidence) -> list[Call]:
    """What must be looked up for facts about code that counts."""
    if question.intent not in ABOUT_ALL:
        return []
    counted = of_meaning(evidence.remembered, "counts")[:1]
    return [("find_frames", {"pattern": one.pattern, "limit": MATCHES}) for one in counted]


def by_facts(question: Question, evidence: Evidence) -> str:
    """What facts change in an answer about the trace in general; empty where they change nothing."""
    if question.intent not in ABOUT_ALL:
        return ""
    return _of_counted(evidence) or _of_left_out(evidence)


def _of_counted(evidence: Evidence) -> str:
    for meant in of_meaning(evidence.remembered, "counts")[:1]:
        found = evidence.first("find_frames", pattern=meant.pattern)
        if found is None:
            continue
        rows = sorted((one for one in found["rows"] if not is_pseudo(one)), key=lambda one: -one["self_value"])
        why = f"(remembered: {quoted(meant.fact, LINE)})"
        if not rows:
            return f"**Nothing of the code that you care about is in this recording** {why}."
        top = rows[0]
        return f"**First in the code that you care about: {cited(top)} with {own(top, evidence.unit)} itself** {why}."
    return ""


def _of_left_out(evidence: Evidence) -> str:
    lead = evidence.lead
    if lead is None:
        return ""
    for meant in of_meaning(evidence.remembered, "left_out"):
        if not _is_of(lead.row, meant.pattern):
            continue
        patterns = [one.pattern for one in of_meaning(evidence.remembered, "left_out")]
        others = [row for row in lead.rows if not is_pseudo(row) and not any(_is_of(row, one) for one in patterns)]
        why = f"{cited(lead.row)} is of what you leave out (remembered: {quoted(meant.fact, LINE)})."
        if not others or others[0]["self_value"] <= 0:
            return why
        return f"**First of the rest: {cited(others[0])} with {own(others[0], lead.unit)} itself.** {why}"
    return ""


def _is_of(row: dict[str, Any], pattern: str) -> bool:
    return pattern.casefold() in f"{row['name']} {(row.get('file') or '')}".replace("\\", "/").casefold()
