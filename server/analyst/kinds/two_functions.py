"""Questions that set one function against another."""

from collections.abc import Callable
from typing import Any

from server.agent.verification.recompute import last_part
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import around_of, meant
from server.analyst.kinds.one_function import about, then
from server.analyst.measured import Measured
from server.analyst.question import Question
from server.analyst.wording import CALLS, amount, cited, neighbours, noun, own, total
from traces.analysis.units import format_share

_FORMS = forms("two_functions")
_CHOSEN_INTENT = forms("chosen_intent")

_LESS = frozenset({"less", "faster", "quicker", "cheaper", "shorter", "lighter", "fewer", "schneller", "weniger"})


OVER = 1.001
"""How many times what the main profile has of a function all must have for the answer to be about all."""


def then_two(question: Question, evidence: Evidence) -> list[Call]:
    """Both in the main profile, and in all where there are several like it."""
    calls = then(question, evidence)
    rows = meant(question, evidence)[:2] if evidence.runs_in_several else []
    return [*calls, *(("get_callers_callees", {"frame": row["handle"], "profile": "all"}) for row in rows)]


def _in_all(around: dict[str, Any], evidence: Evidence) -> dict[str, Any] | None:
    return evidence.first("get_callers_callees", frame=around["frame"]["handle"], profile="all")


def _weight(around: dict[str, Any]) -> float:
    return float(around["frame"]["total_value"])


def two(question: Question, evidence: Evidence) -> list[str]:
    one, other = around_of(question, evidence), around_of(question, evidence, 1)
    if one is None or other is None:
        return about(question, evidence)
    everywhere = [_in_all(around, evidence) for around in (one, other)]
    of_more = [a for a, b in zip(everywhere, (one, other), strict=True) if a and _weight(a) > OVER * _weight(b)]
    where = ""
    if _CHOSEN_INTENT.together.search(question.text):
        return [_sum_of(one["frame"], other["frame"], one["unit"])]
    if of_more and everywhere[0] and everywhere[1]:
        one, other, where = everywhere[0], everywhere[1], ", of all threads together"
    unit = one["unit"]
    by_total = sorted((one["frame"], other["frame"]), key=lambda row: -row["total_value"])
    more, less = by_total
    figures = [f"{cited(row)} takes {total(row, unit)} in total and {own(row, unit)} itself" for row in by_total]
    word = "Both take the same" if more["total_value"] == less["total_value"] else f"{cited(more)} takes more"
    parts = [f"**{_whether_more(question, more, less)}{word}**: {figures[0]}; {figures[1]}{where}."]
    below = [row for row in (one, other) if any(c["handle"] == more["handle"] for c in row["callers"])]
    if below and below[0]["frame"]["handle"] == less["handle"]:
        parts.append(f"{cited(less)} is called by {cited(more)}, so its {noun(unit)} is part of that.")
    return [*parts, "\n".join(f"- {neighbours(around, unit)}" for around in (one, other))]


def _sum_of(one: dict[str, Any], other: dict[str, Any], unit: str) -> str:
    """What two functions take themselves, added up: what they call may be the same."""
    both, share = one["self_value"] + other["self_value"], one["self_share"] + other["self_share"]
    each = " and ".join(f"{cited(row)} {own(row, unit)}" for row in (one, other))
    in_all = f"; in total {cited(one)} has {total(one, unit)} and {cited(other)} {total(other, unit)}"
    of_all = linked(format_share(float(share)), share)
    return f"**Together they take {of_all} ({amount(both, unit)}) themselves**: {each}{in_all}."


def _whether_more(question: Question, more: dict[str, Any], less: dict[str, Any]) -> str:
    """`Yes: ` or `No: ` where it is asked whether one function takes more than another, named after it."""
    text = question.text.casefold()
    at = [text.find(last_part(row["name"]).casefold()) for row in (more, less)]
    if min(at) < 0 or more["total_value"] == less["total_value"]:
        return ""
    return _whether(question, is_first_more=at[0] < at[1])


def _whether(question: Question, *, is_first_more: bool) -> str:
    """Yes or no where it is asked whether the first of two has more than the other, or less."""
    than = _FORMS.than.search(question.text)
    if not (question.is_yes_or_no and than):
        return ""
    return "Yes: " if is_first_more != (than[1].casefold() in _LESS) else "No: "


def set_against(question: Question, asked: Measured, found: list[dict[str, Any]]) -> list[str]:
    """Which of two has more of what is asked, with the difference and the ratio; yes or no first where it is asked
    whether the first has more, or less."""
    unit = found[0]["unit"]
    key, said, what = _compared_by(asked, unit)
    rows = [one["frame"] for one in found]
    if key == "count" and any(one["counted"] != CALLS or one["frame"]["count"] is None for one in found):
        return ["**Which has more calls cannot be said**: calls were not counted."]
    if asked.asks("mean"):
        return [
            _by_mean(rows, unit, is_counted=all(one["counted"] == CALLS and one["frame"]["count"] for one in found))
        ]
    more, less = sorted(rows, key=lambda row: -row[key])
    if more[key] == less[key]:
        same = "are called as often" if key == "count" else "take the same"
        return [f"**{cited(more)} and {cited(less)} {same}**: {said(more)}{what}."]
    whether = _whether(question, is_first_more=rows[0] is more)
    begins = f"**{whether}{cited(more)} {'has more calls' if key == 'count' else 'takes more'}**"
    apart = more[key] - less[key]
    by = linked(f"{int(apart):,}", apart) if key == "count" else amount(apart, unit)
    times = more[key] / less[key] if less[key] else None
    as_much = f", {linked(f'{float(times):,.2f}', times)} times as much" if times is not None else ""
    where = ", of all threads together" if all(one["profile"] == "all" for one in found) else ""
    inside = key == "total_value" and any(
        one["handle"] == more["handle"] for around in found for one in around["callers"]
    )
    return [
        f"{begins}: {said(more)}{what}, and {cited(less)} {said(less)}{where}. That is {by} more{as_much}.",
        f"{cited(less)} is called by {cited(more)}, so its part is in it." if inside else "",
    ]


def _compared_by(asked: Measured, unit: str) -> tuple[str, Callable[[dict[str, Any]], str], str]:
    """What two functions are compared by, how it is written, and which value that is."""
    if asked.asks("calls"):
        return "count", lambda row: f"{row['count']:,}", ""
    if asked.asks("self"):
        return "self_value", lambda row: own(row, unit), " itself"
    return "total_value", lambda row: total(row, unit), " in total"


def _by_mean(rows: list[dict[str, Any]], unit: str, *, is_counted: bool) -> str:
    if not is_counted:
        return "**Which call takes more on average cannot be said**: calls were not counted."
    each = sorted(((row["total_value"] / row["count"], row) for row in rows), key=lambda one: -one[0])
    (more, one), (less, other) = each
    figures = f"{amount(more, unit)} on average, and of {cited(other)} {amount(less, unit)}"
    return f"**A call of {cited(one)} takes more**: {figures}."


def part_of(around: dict[str, Any], base: dict[str, Any]) -> str:
    """What share of one function's total another has that it calls; of one that it does not call, both totals."""
    part, above, unit = around["frame"], base["frame"], around["unit"]
    within = next((row for row in around["callers"] if row["handle"] == above["handle"]), None)
    if within is None or not above["total_value"]:
        both = f"{cited(part)} takes {total(part, unit)} in total, {cited(above)} {total(above, unit)}"
        return f"**What share of {cited(above)} it is, I cannot say**: {cited(above)} does not call it itself. {both}."
    share = within["value"] / above["total_value"]
    return (
        f"**{linked(format_share(float(share)), share)} of {cited(above)} is {cited(part)}**: "
        f"{amount(within['value'], unit)} of {amount(above['total_value'], unit)}."
    )
