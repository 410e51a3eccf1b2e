"""The sentence that answers an ask: composed from its slots and the figures of its statement."""

from typing import Any

from server.analyst.asks.ask import CALLS_LEFT_OUT
from server.analyst.asks.ask_statements import Asked, table
from server.analyst.asks.named import Subject
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.wording import amount, cited, cited_profile, few, joined, moment, share

_FORMS = forms("asks")

Row = dict[str, Any]
SHOWN = 6
LARGE = 100
OF_FUNCTIONS = frozenset(table()["phrases"])
"""Measures that a sentence here can have."""
OF_THREADS = {"busy": "works for", "waiting": "waits for", "idle": "is idle for"}
_MOMENTS = ("first", "last", "end", "longest_at")
_NUMBERS = ("calls", "limit_calls", "begun")


def is_of_another_unit(prompt: str, unit: str) -> bool:
    """Whether it asks for a time, for bytes or for instructions of what are none."""
    of_time, of_bytes = _FORMS.of_time.search(prompt), _FORMS.of_bytes.search(prompt)
    of_time = of_time or _FORMS.asks_how_long.search(prompt)
    is_measured = _FORMS.of_instructions.search(prompt) and unit in ("nanoseconds", "bytes")
    return bool((of_time and unit != "nanoseconds") or (of_bytes and unit != "bytes") or is_measured)


def rows_of(data: dict[str, Any]) -> list[Row]:
    """A statement's rows by column, without the unit; the first is of all together."""
    return [{_column(cell["column"]): _value(cell) for cell in row} for row in data["rows"]]


def called(row: Row) -> str:
    """The function of a row with a `name` and its `frame`, cited."""
    return cited({"name": row["name"], "handle": row["frame"]})


def _column(name: str) -> str:
    what, _, unit = name.rpartition("_")
    return what if unit in ("ns", "bytes", "count") else name


def _value(cell: dict[str, Any]) -> Any:
    return next((cell[key] for key in ("name", "value_ns", "value_bytes", "value") if key in cell), None)


def narrowed(asked: Asked) -> str:
    """What the figures are narrowed to, behind them; empty where they are of all."""
    window, without = asked.window, CALLS_LEFT_OUT.get(asked.ask.without)
    parts = (
        f", between {moment(window[0])} and {moment(window[1])}" if window else "",
        f", in {asked.thread.label}" if asked.thread else "",
        f", below {asked.within.label}" if asked.within else "",
        f", without the {without} call" if without else "",
    )
    return "".join(parts)


def _measures(asked: Asked) -> tuple[str, ...]:
    found = asked.ask.measures
    if asked.ask.limit:
        return ("limit", *(one for one in found if one not in ("calls", "limit", "longest", "total")))
    left = {
        *(("share",) if "total" in found else ()),
        *(("when", "first") if "longest" in found else ()),
        *(("calls", "mean") if "rate" in found else ()),
    }
    return tuple(one for one in found if one not in left) or ("total",)


def figures(asked: Asked, row: Row, phrases: str) -> str:
    """The measures of a row in the order of the prompt, as phrases of a sentence or as bare figures."""
    limit, base = asked.ask.limit, row.get("base")
    written = {name: _written(asked, name, value) for name, value in row.items() if value is not None}
    counted = "begun" if "begun" in row and not limit else "calls"  # a call is in a time that it begins in
    written |= {"calls": written.get(counted, ""), "s": "" if row.get(counted) == 1 else "s"}
    if "mean" not in row and row.get("calls") and row.get("total") is not None:
        written["mean"] = amount(row["total"] / row["calls"], asked.unit)
    of_all = f"{share(row['total'] / base)} of {amount(base, asked.unit)}" if base and row.get("total") else ""
    known = {"self": amount(0, asked.unit), "total": amount(0, asked.unit)} | written
    known |= {
        "percent": f"{asked.ask.percent or 95:g}",
        "part": f" ({of_all})" if of_all else "",
        "of_all": of_all or "nothing",
    }
    known["own"] = f" ({share(row['self'] / base)} of {amount(base, asked.unit)})" if base and row.get("self") else ""
    place = next((one for one in asked.profiles if one["handle"] == row.get("longest_in")), None)
    known["place"] = f" in {cited_profile(place)}" if place and len(asked.profiles) > 1 else ""
    written_limit = f"{limit.written} of {written[limit.of]}" if limit and limit.of else limit.written if limit else ""
    known |= {"side": "longer" if limit and limit.is_over else "less", "limit": written_limit}
    known |= _rate(asked, row.get(counted))
    return joined([table()[phrases][one].format(**known) for one in _measures(asked)])


def _rate(asked: Asked, calls: Any) -> dict[str, str]:
    """How often a second something was called, in the time that was asked for or all of the recording."""
    start, end = asked.window or (0.0, 0.0)
    length = (end - start) * 1e6 if asked.window else max(row["duration"] or 0.0 for row in asked.profiles)
    if not (calls and length):
        return {"rate": "0", "span": amount(length, "nanoseconds")}
    rate = calls / length * 1e9
    return {
        "rate": linked(f"{float(rate):,.0f}" if rate >= LARGE else f"{float(rate):.3g}", rate),
        "span": amount(length, "nanoseconds"),
    }


def _written(asked: Asked, name: str, value: Any) -> str:
    if name in _MOMENTS:
        return moment(value / 1e6)
    if name in _NUMBERS:
        return number(value)
    return amount(value, asked.unit) if isinstance(value, int | float) else str(value)


def number(value: Any) -> str:
    return linked(f"{int(value):,}", value)


def sentence(asked: Asked, row: Row) -> str:
    """The measures of one function or group."""
    is_less = asked.ask.without in CALLS_LEFT_OUT and "mean" in asked.ask.measures and row.get("mean_with")
    compared = f", {amount(row['mean_with'], asked.unit)} with it" if is_less else ""
    begins = f"**{asked.label} {figures(asked, row, 'phrases')}{narrowed(asked)}**"
    return f"{begins}{compared}{_calls(asked, row, ', in')}{_only_in(asked, row)}."


def _only_in(asked: Asked, row: Row) -> str:
    """The thread that it runs in, where there are several and it runs in one."""
    place = next((one for one in asked.profiles if one["handle"] == row.get("only_in")), None)
    is_one = row.get("places") == 1 and len(asked.profiles) > 1 and not {"longest", "limit"} & {*_measures(asked)}
    return f", all in {cited_profile(place)}" if place and is_one else ""


def _calls(asked: Asked, row: Row, before: str) -> str:
    """In how many calls; empty where that is asked for itself, or was not counted."""
    if {"calls", "limit", "rate"} & {*_measures(asked)} or not (asked.counts_calls and row.get("calls")):
        return ""
    return f"{before} {number(row['calls'])} calls" if row["calls"] != 1 else f"{before} one call"


def keyed(asked: Asked, rows: list[Row]) -> str:
    """The measures for each thread, caller or function, the heaviest first, and of all together."""
    total, *parts = rows
    each = [
        f"{_named(asked, one)} {figures(asked, one, 'figures')}{_calls(asked, one, ' in')}" for one in parts[:SHOWN]
    ]
    more = f" and {few(len(parts) - SHOWN)} more" if len(parts) > SHOWN else ""
    together = ""
    if {*_measures(asked)} <= {"total", "calls", "self"} and (asked.ask.by or "sum" in asked.ask.how):
        together = f" Together: {figures(asked, total, 'figures')}."
    by = f" per {asked.ask.by}" if asked.ask.by else ""
    if asked.ask.by == "thread" and len(parts) < len(asked.profiles):
        by += f", in {few(len(parts))} of {few(len(asked.profiles))}"
    return f"**{asked.label}{by}{narrowed(asked)}: {joined(each)}{more}.**{together}"


def _named(asked: Asked, row: Row) -> str:
    profile = next((one for one in asked.profiles if one["handle"] == row["key"]), None)
    return cited_profile(profile) if profile else cited({"name": row["name"], "handle": row["key"]})


def divided(asked: Asked, row: Row, base: Row) -> str:
    """The calls of a function, and what they take, for each call of another."""
    assert asked.divisor is not None
    calls, other = base.get("calls"), asked.divisor.label
    if not calls or not asked.counts_calls:
        return f"**How much that is for each call of {other} cannot be said**: calls were not counted."
    takes = f"{amount(row['total'] / calls, asked.unit)} for each of the {number(calls)} calls of {other}"
    times = row["calls"] / calls
    many = f"{linked(f'{float(times):,.4g}', times)} call{'' if float(times) == 1 else 's'}"
    begins = f"**{many} of {asked.label} for each call of {other}{narrowed(asked)}**"
    return f"{begins}: {number(row['calls'])} in all. It takes {takes}."


def not_there(asked: Asked, total: Row, evidence: Evidence) -> str:
    """That a function does not run in the thread that is asked about; empty where it does, or nobody knows."""
    ask, is_one_kind = asked.ask, {row["kind"] for row in evidence.profiles} == {asked.kind}
    is_plain = {*ask.measures} <= {"calls", "total", "self", "share", "mean"} and len(asked.profiles) == 1
    if any(total.get(one) for one in ("calls", "samples", "total")) or not (asked.thread and is_plain and is_one_kind):
        return ""
    narrowed_more = asked.window or asked.within or ask.limit or ask.by
    return "" if narrowed_more else f"**{asked.label} does not run in {asked.thread.label}.**"


def thread_of(row: Row) -> Subject:
    """A thread as what figures are narrowed to."""
    return Subject(cited_profile(row), profiles=(row,))


def of_threads(asked: Asked) -> str | None:
    """How long each of some threads works, waits and stands idle; None where that is not recorded."""
    measures = [one for one in asked.ask.measures if one in OF_THREADS] or ["busy"]
    rows = [one for one in asked.profiles if all(one.get(name) is not None for name in measures)]
    if not rows:
        return None
    times = [[f"{OF_THREADS[name]} {amount(one[name], asked.unit)}" for name in measures] for one in rows[:SHOWN]]
    each = [f"{cited_profile(one)} {joined(some)}" for one, some in zip(rows, times, strict=False)]
    more = f" and {few(len(rows) - SHOWN)} more" if len(rows) > SHOWN else ""
    return f"**{joined(each)}{more}.**"
