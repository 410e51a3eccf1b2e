"""Functions set next to each other: in an order, as a part of another, one against another, added up."""

from typing import Any

from server.analyst.asks import answering
from server.analyst.asks.answering import Row
from server.analyst.asks.ask import MOMENTS
from server.analyst.asks.ask_statements import Asked, by_work
from server.analyst.evidence import busy_of
from server.analyst.figures import linked
from server.analyst.wording import amount, cited, cited_profile, joined, moment, share

_PLACES = ("first", "second", "third", "fourth", "fifth")


def ranked(asked: Asked, rows: list[Row]) -> str | None:
    """The functions at the places that are asked for, and what follows them."""
    rank = asked.ask.rank
    assert rank is not None
    shown, further = rows[rank.first : rank.first + rank.number], rows[rank.first + rank.number :]
    if not shown:
        return None
    each = [f"{_cited(one)} {_figure(asked, one)}" for one in shown]
    if "sum" in asked.ask.how and len(shown) > 1:
        value, base = sum(row[rank.by] for row in shown), shown[0].get("base")
        of_all = f" ({share(value / base)})" if base else ""
        return f"**Together they take {amount(value, asked.unit)}{of_all} themselves**: {joined(each)}."
    below = f" of what is called below {asked.within.label}" if asked.within else ""
    below = f" of what {asked.label} calls" if rank.of == "callee" else below
    besides = f" besides {asked.gone.label}" if asked.gone else ""
    together = ", over all threads together" if len(asked.profiles) > 1 and not asked.thread else ""
    where = f" in {asked.thread.label}" if asked.thread else ""
    by = {"self": "takes the most itself", "total": "takes the most in total", "calls": "is called most often"}[rank.by]
    if rank.first == 0 and rank.number == 1 and rank.by == "calls":
        begins = f"**The most calls go to {_cited(shown[0])}{below}{besides}{where}: {_figure(asked, shown[0])}**"
    elif rank.first == 0 and rank.number == 1:
        begins = (
            f"**{_cited(shown[0])} {by}{below}{besides}{where}: {_figure(asked, shown[0])}{_of_all(asked, shown[0])}**"
        )
    elif rank.number == 1:
        place = _PLACES[rank.first] if rank.first < len(_PLACES) else f"{rank.first + 1}th"
        begins = f"**The {place}{below}{besides}{where} is {each[0]}**"
    else:
        begins = f"**{joined(each)}**, in the order of what {by}{below}{besides}{where}"
    if rank.by != "calls" and "calls" in asked.ask.measures:
        if not asked.counts_calls:
            return None
        counts = [f"{_cited(one)} was called {'once' if one['calls'] == 1 else _times(one)}" for one in shown]
        first = f", and {by}{below}{where}: {_figure(asked, shown[0])}" if not (rank.first or rank.number > 1) else ""
        begins = f"**{joined(counts)}**{first}"
    then = [f"{_cited(one)} {_figure(asked, one)}" for one in further]
    begins += together
    return f"{begins}. Then {joined(then)}." if then else f"{begins}."


def _cited(row: Row) -> str:
    return cited({"name": row["name"], "handle": row["key"]})


def _times(row: Row) -> str:
    return f"{answering.number(row['calls'])} time{'' if row['calls'] == 1 else 's'}"


def _figure(asked: Asked, row: Row) -> str:
    assert asked.ask.rank is not None
    if asked.ask.rank.by == "calls":
        return _times(row)
    value = row[asked.ask.rank.by]
    return (
        f"{amount(value, asked.unit)} ({share(value / row['base'])})" if row.get("base") else amount(value, asked.unit)
    )


def _of_all(asked: Asked, row: Row) -> str:
    return f" of {amount(row['base'], asked.unit)}" if row.get("base") else ""


def as_part(asked: Asked, below: Row, base: Row, alone: Row) -> str | None:
    """What of a function is spent in another one."""
    assert asked.base is not None
    if not base.get("total") or not alone.get("total"):
        return None
    of_all = f"{asked.base.label} takes {amount(base['total'], asked.unit)}"
    if not below.get("total"):
        takes = amount(alone["total"], asked.unit)
        return f"**Nothing of {asked.base.label} is {asked.label}**, which runs elsewhere: it takes {takes}, {of_all}."
    part = amount(below["total"], asked.unit)
    begins = f"**{share(below['total'] / base['total'])} of {asked.base.label} is {asked.label}**"
    return f"{begins}: {part} of {amount(base['total'], asked.unit)}."


def threads(asked: Asked, rows: list[Row]) -> str | None:
    """How long threads work, and the function that makes the difference between the busiest and the least busy."""
    most, *others = by_work(asked)
    if any(not busy_of(one) for one in (most, *others)):
        return None
    each = [f"{cited_profile(one)} {amount(busy_of(one), asked.unit)}" for one in others[: answering.SHOWN]]
    begins = f"**{cited_profile(most)} works the longest: {amount(busy_of(most), asked.unit)}**, {joined(each)}."
    row = rows[0]
    if row["more"] - row["less"] <= (busy_of(most) - busy_of(others[-1])) * LITTLE:
        return begins
    figures = f"{amount(row['more'], asked.unit)} in {cited_profile(most)}, {amount(row['less'], asked.unit)} in"
    longest = f"; one call of it takes {amount(row['longest'], 'nanoseconds')}" if row.get("longest") else ""
    return f"{begins} The most of the difference is in {_cited(row)}: {figures} {cited_profile(others[-1])}{longest}."


LITTLE = 0.3
"""Part of a difference below which no function is named for it."""


def moments(asked: Asked, rows: list[Row]) -> str | None:
    """When threads begin and end, as far as they are recorded."""
    named = {one["handle"]: one for one in asked.profiles}
    if any(row.get("first") is None or row.get("end") is None for row in rows):
        return None
    rows.sort(key=lambda row: float(row["end"]))
    each = [
        f"{cited_profile(named[row['key']])} from {moment(row['first'] / 1e6)} to {moment(row['end'] / 1e6)}"
        for row in rows[: answering.SHOWN]
    ]
    return f"**What is recorded of {joined(each)}**, in the recording's time."


def several(asked: Asked, rows: list[Row], together: Row | None) -> str | None:
    """The measures of each, of all together, and by how much one has more."""
    narrowed = answering.narrowed(asked)
    if not asked.thread and len(asked.profiles) > 1:
        narrowed += ", of all threads together"
    if "compare" in asked.ask.how:
        return _against(asked, rows, narrowed)
    each = [f"{one.label} {answering.figures(one, row, 'phrases')}" for one, row in zip(asked.parts, rows, strict=True)]
    if together is not None:
        all_of = answering.figures(asked, together, "figures").replace(" itself", " themselves")
        all_of += " in total" if {*asked.ask.measures} == {"self", "total"} else ""
        return f"**Together {asked.label} take {all_of}{narrowed}.** {joined(each)}."
    return f"**{joined(each)}{narrowed}.**"


def _against(asked: Asked, rows: list[Row], narrowed: str) -> str | None:
    """Which has the most of the first measure that is asked for, and how many times as much as the next."""
    if "mean" in asked.ask.measures and all(row.get("calls") and row.get("total") is not None for row in rows):
        rows = [{"mean": row["total"] / row["calls"]} | row for row in rows]
    if {*asked.ask.measures} & MOMENTS:
        return None
    measure = next((one for one in asked.ask.measures if one in rows[0]), "total")
    values: list[Any] = [row.get(measure) for row in rows]
    if any(value is None for value in values):
        return None
    more, less, *others = sorted(range(len(values)), key=lambda at: -float(values[at]))
    figures = [answering.figures(one, row, "figures") for one, row in zip(asked.parts, rows, strict=True)]
    labels = [one.label for one in asked.parts]
    next_ = joined([f"{labels[at]} {figures[at]}" for at in (less, *others)])
    if values[more] == values[less]:
        return f"**{labels[more]} and {labels[less]} take the same**: {figures[more]}{narrowed}."
    of_them = " of them" if others else ""
    much = "the most" if others else "more"
    has = f"{labels[more]} {f'has {much} calls' if measure == 'calls' else f'takes {much}'}{of_them}"
    has = f"A call of {has}" if measure in ("mean", "median", "longest", "shortest") else has
    factor = ""
    if values[less]:
        times, further = values[more] / values[less], values[more] - values[less]
        difference = answering.number(further) if measure == "calls" else amount(further, asked.unit)
        factor = f" That is {difference} more, {linked(f'{float(times):.3g}', times)} times as much"
        factor += " as the next." if others else "."
    return f"**{has}**: {figures[more]}, and {next_}{narrowed}.{factor}"
