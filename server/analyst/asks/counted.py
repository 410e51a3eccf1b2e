"""Waits or objects of a function, where these are counted in place of calls: how many there are, and what each has."""

from server.analyst.asks import answering
from server.analyst.asks.ask_statements import Asked
from server.analyst.kinds.kind import Call
from server.analyst.wording import CALLS, amount

MOST_NAMED = 50
"""Functions of like names that are looked through for it."""


def counting(asked: Asked) -> Call | None:
    """What looks up how many waits or objects lie in one function, where these are counted, and what each has."""
    row, ask = asked.profiles[0], asked.ask
    is_plain = len(asked.subjects) == len(asked.profiles) == 1 and not (ask.by or answering.narrowed(asked))
    if not (is_plain and {*ask.measures} <= {"mean", "calls", "total"} and {*ask.measures} & {"mean", "calls"}):
        return None
    counts = {one["name"] for one in row["values"] if one["unit"] == "count"} - {"samples", CALLS}
    if row["counted"] not in counts or asked.unit == "count":
        return None
    name = asked.label.removeprefix("[`").partition("`")[0]
    return "get_top_functions", {"sort_by": "total", "limit": MOST_NAMED, "value": row["counted"], "filter": name[:100]}


def counted_of(asked: Asked, counted: answering.Row, row: answering.Row) -> str | None:
    """How many of what is counted lie in a function, and what each has on average."""
    many, what = counted["total_value"], asked.profiles[0]["counted"].replace("_", " ")
    if not many or not row.get("total"):
        return None
    in_all = f"{answering.number(many)} {what}"
    takes = f"{amount(row['total'], asked.unit)} in all"
    if "mean" in asked.ask.measures:
        each = amount(row["total"] / many, asked.unit)
        return f"**{each} for each of the {in_all} of {asked.label}** on average: {takes}."
    return f"**{in_all} lie in {asked.label} and what it calls**: {takes}."
