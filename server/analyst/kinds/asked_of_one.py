"""The figures of one function that a prompt asks for, in its order: of all its calls, of one of them."""

from collections.abc import Callable
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds import calls_of
from server.analyst.measured import Measured
from server.analyst.wording import CALLS, amount, cited, joined, located, own, share, total, verb

OF_ONE_CALL = ("longest", "shortest", "median", "p99", "when")
OF_PROFILE = "of_profile"
"""A key of what was found around a function: words for the profile that it is of, where that is not the main one."""
OF_ALL_CALLS = ("calls", "self", "share", "mean", "total")
"""Measures of all calls of a function together."""


def row_of(around: dict[str, Any]) -> dict[str, Any]:
    """The row of the function that the answer of `get_callers_callees` is about."""
    row: dict[str, Any] = around["frame"]
    return row


def _it(around: dict[str, Any]) -> str:
    """The function, with the profile that its figures are of where that is named."""
    return f"{cited(row_of(around))}{around.get(OF_PROFILE, '')}"


def cost(around: dict[str, Any]) -> str:
    """What a function takes, in a sentence."""
    row, unit = row_of(around), around["unit"]
    return f"It takes {total(row, unit)} in total and {own(row, unit)} itself."


def figures_of(asked: Measured, around: dict[str, Any], *, in_short: bool = False) -> str:
    """All the measures of all its calls that are asked for, in one sentence; the total where none is. `in_short` leaves
    out what is added to a single one."""
    measures = [one for one in asked.measures if one in _ALONE]
    if (
        not measures
        or (len(measures) < 2 and not in_short)
        or (around["counted"] != CALLS and {"calls", "mean"} & {*measures})
    ):
        return _ALONE[measures[0] if measures else "total"](around)
    row, unit = row_of(around), around["unit"]
    each = row["total_value"] / row["count"] if row["count"] else None
    said = {
        "calls": f"was called {row['count']:,} times" if row["count"] is not None else "",
        "total": f"takes {total(row, unit)} in total",
        "self": f"takes {own(row, unit)} itself",
        "share": f"has {share(row['total_share'])} of all that is {verb(unit)}",
        "mean": f"takes {amount(each, unit)} a call on average" if each is not None else "",
    }
    return f"**{_it(around)} {joined([said[one] for one in measures if said[one]])}**{located(row)}."


def _calls(around: dict[str, Any]) -> str:
    row, unit, what = row_of(around), around["unit"], around["counted"]
    if what == CALLS and row["count"] is not None:
        return f"**{_it(around)} was called {row['count']:,} times**{located(row)}. {cost(around)}"
    why = f"{what} were counted, not calls" if what else "the recording has sums, not counts"
    seen = f" {row['count']:,} {what} ended in it." if what and row["count"] is not None else ""
    return f"**How often {_it(around)} was called cannot be said**: {why}.{seen} It takes {total(row, unit)} in total."


def _self(around: dict[str, Any]) -> str:
    row, unit = row_of(around), around["unit"]
    return f"**{_it(around)} takes {own(row, unit)} itself**{located(row)}, and {total(row, unit)} with what it calls."


def _total(around: dict[str, Any]) -> str:
    row, unit = row_of(around), around["unit"]
    counted = f", in {row['count']:,} calls" if around["counted"] == CALLS and (row["count"] or 0) > 1 else ""
    return f"**{_it(around)} takes {total(row, unit)} in total{counted}**{located(row)}, {own(row, unit)} of it itself."


def _share(around: dict[str, Any]) -> str:
    row, unit = row_of(around), around["unit"]
    return (
        f"**{_it(around)} takes {share(row['total_share'])} of all that is {verb(unit)}** "
        f"({amount(row['total_value'], unit)}), {share(row['self_share'])} itself."
    )


def _mean(around: dict[str, Any]) -> str:
    row, unit, what = row_of(around), around["unit"], around["counted"]
    if what in _ONE_BY_ONE and row["count"]:  # each of these was recorded, so that their mean says something
        each = amount(row["self_value"] / row["count"], unit)
        return (
            f"**{_it(around)} has {each} in each of its {row['count']:,} {what} on average**, {own(row, unit)} itself."
        )
    if what != CALLS or not row["count"]:
        return f"**What one call of {_it(around)} takes cannot be said**: calls were not counted. {cost(around)}"
    each = amount(row["total_value"] / row["count"], unit)
    return f"**{_it(around)} takes {each} a call on average**, in {row['count']:,} calls. {cost(around)}"


_ONE_BY_ONE = ("allocations", "contentions")
_ALONE: dict[str, Callable[[dict[str, Any]], str]] = {
    "calls": _calls,
    "self": _self,
    "share": _share,
    "mean": _mean,
    "total": _total,
    "everywhere": _total,
}


def of_one_call(measure: str, around: dict[str, Any], evidence: Evidence) -> str:
    """How long the shortest, the middle or nearly the longest call took, where single calls were recorded."""
    row, unit = row_of(around), around["unit"]
    rankings = [one.data for one in evidence.all("get_top_functions") if "filter" in one.arguments]
    rows = [one for data in rankings for one in data["rows"] if one["handle"] == row["handle"]]
    took = next((one["durations"] for one in rows if one.get("durations")), None)
    if took is None:
        return (
            f"{calls_of.NO_SINGLE_CALLS} {_it(around)} takes {total(row, unit)} in total and {own(row, unit)} itself."
        )
    key, words = {
        "shortest": ("least", "The shortest call"),
        "median": ("median", "The middle call"),
        "p99": ("p99", "The 99th percentile of calls"),
    }[measure]
    others = [
        f"{amount(took[one], unit)} {said}"
        for one, said in (("least", "at least"), ("median", "in the middle"), ("longest", "at most"))
        if one != key
    ]
    return f"**{words} of {_it(around)} took {amount(took[key], unit)}**; {joined(others)}, in {took['calls']:,} calls."
