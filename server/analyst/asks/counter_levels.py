"""Prompts for how low or how high something got: a counter of the recording, or the memory that it measures."""

import re
from dataclasses import replace

from server.analyst.asks import answering
from server.analyst.asks.ask_statements import table
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.lexicon import NO_SPACES, lexicon
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms, word_list
from server.analyst.kinds.kind import BY_SELF, SUMMARY
from server.analyst.wording import amount, cited, coded, moment, own

_FORMS = forms("levels")
_SINGLE = forms("single_calls")
MOST_WORDS = 10
COUNTERS = str(table()["counters"])
_SPOKEN = re.compile(r"\*\*The counter `([^`]+)` is ")


def asked_of(evidence: Evidence) -> tuple[bool, tuple[str, ...]] | None:
    """Whether the lowest level is asked for, and the words of what it is a level of; None for any other prompt."""
    text = " ".join(evidence.prompt.casefold().split())
    is_low, is_high = (form.search(text) is not None for form in (_FORMS.low, _FORMS.high))
    if is_low == is_high or len(text.split()) > MOST_WORDS or _FORMS.otherwise.search(text):
        return None
    text = (_FORMS.low if is_low else _FORMS.high).sub(" ", text)
    if NO_SPACES.search(text):
        text = _SINGLE.particles.sub(" ", text)
    known = lexicon().small | lexicon().refers | word_list("of_a_level")
    return is_low, tuple(word for word in re.findall(r"[^\W\d_][\w-]*", text) if word not in known)


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where it is left to the other kinds."""
    if "query_trace" not in offered or (asked := asked_of(evidence)) is None:
        return None
    is_low, words = asked
    before = _SPOKEN.search(evidence.openings[-1]) if evidence.openings else None
    of_memory = {*words} <= word_list("of_all_memory")  # `how high is the peak`: of what is measured
    if not words and before is None and (is_low or evidence.spoken_of is not None):
        return None
    if (found := evidence.first("query_trace", sql=COUNTERS)) is None:
        is_asked = any(one.arguments.get("sql") == COUNTERS for one in evidence.results)
        return None if is_asked else Step((("query_trace", {"sql": COUNTERS}),))
    rows = [row for row in answering.rows_of(found) if _is_meant(row["name"], words, before[1] if before else "")]
    if len(rows) == 1:
        return Step(text=_level(rows[0], is_low=is_low))
    if rows or is_low or not of_memory:
        return None
    if evidence.summary is None or evidence.lead is None:
        missing = tuple(one for one in (SUMMARY, BY_SELF) if not evidence.called(one[0]))
        return Step(missing) if missing else None
    return _of_memory(evidence)


def others(evidence: Evidence) -> Evidence:
    """As if no counter had been looked for, for the other kinds."""
    return replace(evidence, results=tuple(one for one in evidence.results if one.arguments.get("sql") != COUNTERS))


def _is_meant(name: str, words: tuple[str, ...], before: str) -> bool:
    if not words:
        return name == before
    return all(word.removesuffix("s")[:8] in name.casefold() for word in words)


def _level(row: answering.Row, *, is_low: bool) -> str:
    ways = {way: (_number(row[way]), moment(row[f"{way}_at"] / 1e6)) for way in ("low", "high")}
    first, second = ("low", "high") if is_low else ("high", "low")
    words = {"low": "lowest", "high": "highest"}
    begins = f"**The counter {coded(row['name'])} is {words[first]} with {ways[first][0]}, at {ways[first][1]}**"
    other = f"{words[second]} with {ways[second][0]}, at {ways[second][1]}"
    return f"{begins}; {other}, and {_number(row['final'])} at the end."


def _number(value: float) -> str:
    return linked(f"{float(value):,.6g}", value)


def _of_memory(evidence: Evidence) -> Step | None:
    """All of the memory that the recording measures, which may be that at the peak."""
    main, lead = evidence.main, evidence.lead
    if main is None or lead is None or main["unit"] != "bytes" or len(main["values"]) > 1:
        return None
    most = f"the most of it by {cited(lead.row)}: {own(lead.row, lead.unit)}"
    moment_or_sum = "It is of one moment or a sum: how it rose and fell is not in the recording."
    return Step(text=f"**In all {amount(main['total'], 'bytes')} of memory is recorded**, {most}. {moment_or_sum}")
