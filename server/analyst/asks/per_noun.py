"""What is spoken of for each of something (`per hive?`): for each call of the nearest caller that is named like it, or
of the one that runs it several times.
"""

import re
from dataclasses import replace
from typing import Any

from server.agent.memory.word_stem import stem
from server.agent.verification.recompute import last_part
from server.analyst.asks import answering
from server.analyst.asks.ask import IT, Ask
from server.analyst.asks.ask_statements import Asked, listed, table
from server.analyst.asks.asked_turn import Step, asked_in, measured_of
from server.analyst.asks.looked_up import looked_up
from server.analyst.asks.named import Subject, function_of, rows_found
from server.analyst.evidence import Evidence
from server.analyst.kinds.spoken_names import has_part
from server.analyst.wording import cited, coded

_LAST = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\W|\d")
_SLOTS = ("measures", "of", "by", "placed", "nouns", "is_strict", "goes_on")
OF_CALLS = frozenset({"calls", "total", "mean", "self", "share"})


def step(evidence: Evidence) -> Step | None:
    """What such a prompt needs next, or its answer; None where it is left to the other kinds."""
    ask = asked_in(evidence) if evidence.results else None
    if ask is None or ask.by in ("", "thread", "caller") or not {*ask.measures} <= OF_CALLS:
        return None
    if ask != replace(Ask(), **{one: getattr(ask, one) for one in _SLOTS}):
        return None
    asked = _numerator(replace(ask, by="", measures=("calls",)), evidence)
    if asked is None or not asked.counts_calls or not asked.frames or asked.is_of_threads:
        return None
    sql = str(table()["callers_above"].format(of=listed(asked.frames)))
    found = evidence.first("query_trace", sql=sql)
    if found is None:
        failed = any(one.arguments.get("sql") == sql for one in evidence.results)
        return None if failed else Step((("query_trace", {"sql": sql}),))
    callers = answering.rows_of(found)
    named = [row for row in callers if row["calls"] and _is_named_like(row, ask.by)]
    often = [row for row in callers if row["calls"] and row["calls"] < row["of_it"]]
    row = next(iter(named or often), None)
    if row is None:
        return None
    asked = replace(asked, divisor=Subject(cited({"name": row["name"], "handle": row["key"]}), (row["key"],)))
    none = "" if named else f"No caller of it is named like {coded(ask.by)}; of the nearest that runs it repeatedly: "
    answer = measured_of(asked, evidence)
    return Step(text=f"{none}{answer}") if isinstance(answer, str) else answer


def _is_named_like(row: dict[str, Any], noun: str) -> bool:
    return has_part({"name": last_part(row["name"])}, stem(noun))


def _numerator(ask: Ask, evidence: Evidence) -> Asked | None:
    """What is divided: what the ask names, else the heaviest function named like it, else what was spoken of."""
    words = [run.split()[-1] for run in ask.of if run != IT]
    like = [row for word in words for row in rows_found(evidence) if _is_named_like(row, word)]
    ends = [row for row in like if stem(_LAST.findall(row["name"])[-1]) in {stem(word) for word in words}]
    if not ends and (asked := looked_up(ask, evidence)) and asked.frames:
        return asked
    most = max(ends or like, key=lambda row: row["total_value"], default=None)
    one = function_of(most["handle"], evidence) if most and most["total_value"] > 0 else None
    if one:
        asked = looked_up(replace(ask, of=()), evidence)
        return asked and replace(asked, frames=one.frames, label=one.label, subjects=(one,))
    return looked_up(replace(ask, of=(IT,), nouns=(), is_strict=False), evidence)
