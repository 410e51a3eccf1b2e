"""What would be: without a function, with one that is faster, with several at a time."""

from server.analyst.asks.answering import Row
from server.analyst.asks.ask import THEM
from server.analyst.asks.ask_statements import Asked
from server.analyst.wording import amount, few, share


def supposed(asked: Asked, row: Row) -> str | None:
    """What would be left and what would be saved at most, the one that is asked for first."""
    assert asked.gone is not None
    assert asked.ask.what_if is not None
    what, unit, gone = asked.ask.what_if, asked.unit, asked.gone.label
    if not row["whole"] or not row["gone"]:
        return None
    if "share" in asked.ask.measures and asked.subjects:
        return _share(asked, row)
    place = f" of {asked.label}" if asked.subjects else _of_all(asked)
    everything = f"{amount(row['whole'], unit)}{place}"
    saves, left = ("saved", "left") if what.times else ("gone", "rest")
    saved_share, left_share = (share(row[one] / row["whole"]) for one in (saves, left))
    saved_, left_ = (amount(row[one], unit) for one in (saves, left))
    takes = f"{gone} {'take' if asked.ask.without in THEM else 'takes'} {amount(row['gone'], unit)}"
    if what.asks == "saved":
        how = f"if {gone} and all that it calls cost nothing" if what.times is None else f"with {gone} {_faster(asked)}"
        own = f"{share(row['own'] / row['whole'])} ({amount(row['own'], unit)}) itself; " if what.times is None else ""
        begins = f"**At most {saved_share} ({saved_}){place} would be saved, {how}**"
        return f"{begins}: {own}{left_} of {everything} would be left."
    how = f"Without {gone}" if what.times is None else f"With {gone} {_faster(asked)}"
    return (
        f"**{how}, {left_} ({left_share}) of {everything} would be left at best**: {saved_} would be saved, as {takes}."
    )


def _faster(asked: Asked) -> str:
    what = asked.ask.what_if
    assert what is not None
    assert what.times is not None
    times = few(int(what.times)) if what.times.is_integer() else f"{what.times:g}"
    return f"{times} at a time" if what.is_parallel else f"{times} times as fast"


def _of_all(asked: Asked) -> str:
    return " of all threads together" if len(asked.profiles) > 1 else ""


def _share(asked: Asked, row: Row) -> str | None:
    """The share that others would have of what is left."""
    assert asked.gone is not None
    if not row["rest"] or asked.ask.what_if is None or asked.ask.what_if.times:
        return None
    of = f"{amount(row['third'], asked.unit)} of {amount(row['rest'], asked.unit)}"
    begins = (
        f"**Without {asked.gone.label}, {asked.label} would be {share(row['third'] / row['rest'])} of what is left**"
    )
    return f"{begins}: {of}. Without it, {amount(row['gone'], asked.unit)} of {amount(row['whole'], asked.unit)} go."
