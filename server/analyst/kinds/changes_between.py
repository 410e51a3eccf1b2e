"""What changed from the earlier of two recordings to the later one: what explains the difference, how much of it one
function makes, what stayed, and whether a function is called more often or costs more in each call.
"""

from dataclasses import dataclass
from typing import Any

from server.analyst.kinds.other_recording import turned
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.wording import amount, cited, coded, joined, share
from traces.lazy_regex import lazy_regex

_HEX = lazy_regex(r"0x[0-9a-f]+")
SHOWN = 3
MUCH = 1.05
"""Times as much as another value from which it is more."""
ALIKE = 1.1
"""Times as much as another value up to which a function takes about the same."""
_SMALL = 0.005
"""Share of the smaller sum below which a function is not worth a word."""
_MOST_OF_IT = 0.9
"""Share of all from which a function calls nearly everything and explains nothing."""
_TENTHS = (
    "hardly any of",
    "a tenth of",
    "a fifth of",
    "three tenths of",
    "two fifths of",
    "half of",
    "three fifths of",
    "seven tenths of",
    "four fifths of",
    "nine tenths of",
    "nearly all of",
)


@dataclass(frozen=True, slots=True)
class Change:
    """The comparison, `before` the earlier recording and `after` the later one, with what they are called."""

    found: dict[str, Any]
    old: str
    new: str

    @property
    def unit(self) -> str:
        return str(self.found["unit"])

    @property
    def sums(self) -> tuple[float, float]:
        return self.found["before"]["whole"], self.found["after"]["whole"]

    @property
    def is_more(self) -> bool:
        """Also where it is about the same: what takes more now is asked for."""
        return self.sums[1] * MUCH > self.sums[0]

    def by_change(self, key: str = "self_value", *, grown: bool | None = None) -> list[dict[str, Any]]:
        """The functions that changed the way that all of it did, or that is asked for; the most first."""
        sign = 1 if (self.is_more if grown is None else grown) else -1
        rows = [row for row in self.found["rows"] if sign * (row["after"][key] - row["before"][key]) > 0]
        rows.sort(key=lambda row: sign * (row["before"][key] - row["after"][key]))
        return [row for row in rows if not is_pseudo(row)]

    def pair(self, row: dict[str, Any], key: str = "self_value") -> str:
        """`134 ms in 1,400 calls to 2.44 ms in 12 calls` of a function."""
        return " to ".join(_side(row[side], key, self.unit) for side in ("before", "after"))


def change_of(found: dict[str, Any], this: str, there: str, *, is_later_there: bool) -> Change:
    """The change, with the later of the two as the one after; `found` has the open recording there."""
    return Change(turned(found), this, there) if is_later_there else Change(found, there, this)


def cited_row(row: dict[str, Any]) -> str:
    return cited(row) if row["handle"] else coded(row["name"])


def total_of(side: dict[str, Any]) -> Any:
    """What a function takes with what it calls, as the file has it where it has that."""
    value = side.get("recorded_total")
    return side["total_value"] if value is None else value


def _side(side: dict[str, Any], key: str, unit: str) -> str:
    value = side[key] if key == "self_value" else total_of(side)
    if value <= 0:
        return "nothing"
    calls = f" in {side['count']:,} call{'' if side['count'] == 1 else 's'}" if "count" in side else ""
    return f"{amount(value, unit)}{calls}"


def went(change: Change) -> str:
    """How much all of it takes in both."""
    before, after = change.sums
    less, more = sorted((before, after))
    ratio = f", {more / less:.1f} times {'as much' if change.is_more else 'less'}" if less > 0 else ""
    said = f"from {change.old} to {change.new} it went from {amount(before, change.unit)} to "
    return f"{said}{amount(after, change.unit)}{ratio if more >= MUCH * less else ', about the same'}"


def explained(change: Change) -> str:
    """Which functions make the difference, by themselves and with what they call, and which went the other way."""
    rows, against = change.by_change(), change.by_change(grown=not change.is_more)
    least = _SMALL * min(change.sums)
    rows = [row for row in rows if _moved(row) > least] or rows[:1]
    if not rows:
        return f"**No function takes clearly {'more' if change.is_more else 'less'}.**"
    verb = "grew" if change.is_more else "shrank"
    each = [f"{cited_row(row)} ({change.pair(row)})" for row in rows[: SHOWN - 1]]
    then = f", then {joined(each[1:])}" if each[1:] else ""
    said = f"**By itself {each[0]} {verb} most{then}.**"
    wide = [row for row in change.by_change("total_value") if _is_part(row, change)]
    if wide and wide[0]["name"] != rows[0]["name"]:
        said += f" With all that it calls, {cited_row(wide[0])} {verb} most: {change.pair(wide[0], 'total_value')}."
    if against and _moved(against[0]) > least:
        other = "shrank" if change.is_more else "grew"
        said += f" {cited_row(against[0])} {other} ({change.pair(against[0])} by itself)."
    return said


def _moved(row: dict[str, Any]) -> float:
    return abs(float(row["after"]["self_value"]) - float(row["before"]["self_value"]))


def _is_part(row: dict[str, Any], change: Change) -> bool:
    """Whether a function is less than nearly all of either."""
    sides = zip(("before", "after"), change.sums, strict=True)
    return all(row[side]["total_value"] < _MOST_OF_IT * of_all for side, of_all in sides)


def part_of_it(change: Change, row: dict[str, Any]) -> str:
    """How much of the difference one function makes, with what it calls."""
    (before, after), sides = change.sums, (row["before"]["total_value"], row["after"]["total_value"])
    by, of_all = sides[1] - sides[0], after - before
    if not of_all or by * of_all <= 0:
        way = "does not take less" if of_all < 0 else "does not take more"
        return f"**None of it: {cited_row(row)} {way}**, with what it calls {change.pair(row, 'total_value')}."
    tenths = _TENTHS[min(10, round(10 * float(by) / float(of_all)))]
    of_it = f"{amount(abs(by), change.unit)} of the {amount(abs(of_all), change.unit)}"
    own = amount(abs(row["after"]["self_value"] - row["before"]["self_value"]), change.unit)
    way = "more" if of_all > 0 else "less"
    of_it = f"{of_it} that {change.new} takes {way}, {tenths} it"
    return f"**{cited_row(row)} makes {of_it}**, with what it calls ({own} itself)."


def alike(change: Change) -> str:
    """The functions that take about the same in both, the heaviest first."""
    rows = [
        row
        for row in change.found["rows"]
        if min(row[side]["self_value"] for side in ("before", "after")) > _SMALL * min(change.sums)
        and not is_pseudo(row)
        and max(row["before"]["self_value"], row["after"]["self_value"])
        <= ALIKE * min(row["before"]["self_value"], row["after"]["self_value"])
    ]
    rows.sort(key=lambda row: -row["after"]["self_value"])
    if not rows:
        return f"**No function of any size takes the same in {change.old} and {change.new}.**"
    each = [f"{cited_row(row)} ({change.pair(row)})" for row in rows[:SHOWN]]
    return f"**About the same in both, from {change.old} to {change.new}: {joined(each)}, each by itself.**"


def calls_or_cost(change: Change, row: dict[str, Any]) -> str:
    """Whether a function is called more often, or costs more in each call; what it takes where calls are not known. One
    that is in one of them alone is set against the heaviest that is in the other one alone.
    """
    old, new = row["before"], row["after"]
    takes = f"{cited_row(row)} takes {change.pair(row, 'total_value')}, from {change.old} to {change.new}"
    if not (total_of(old) > 0 and total_of(new) > 0):
        is_new = total_of(new) > 0
        status, side, name = ("vanished", "before", change.old) if is_new else ("new", "after", change.new)
        rows = sorted(_only(status, change.found), key=lambda one: -one[side]["total_value"])
        others = (
            f"; in {name} alone is {cited_row(rows[0])}, {_each(rows[0][side], change)}"
            if rows and total_of(rows[0][side]) > _SMALL * change.found[side]["whole"]
            else ""
        )
        here, its = (change.new, new) if is_new else (change.old, old)
        return f"**{cited_row(row)} is in {here} alone, {_each(its, change)}{others}.**"
    if not (old.get("count") and new.get("count")):
        return (
            f"**More calls or slower ones: that cannot be told apart, these recordings have no calls of it.** {takes}."
        )
    often = _against(new["count"], old["count"], ("More calls", "Fewer calls", "As many calls"))
    means = [total_of(one) / one["count"] for one in (old, new)]
    cost = _against(means[1], means[0], ("slower per call", "faster per call", "the same per call"))
    sides = [f"{_each(one, change)} in {name}" for one, name in ((old, change.old), (new, change.new))]
    return f"**{often}, {cost}: {cited_row(row)} has {joined(sides)}.** In all {change.pair(row, 'total_value')}."


def _each(side: dict[str, Any], change: Change) -> str:
    if not side.get("count"):
        return str(amount(total_of(side), change.unit))
    calls = f"{side['count']:,} call{'' if side['count'] == 1 else 's'}"
    return f"{calls} of {amount(total_of(side) / side['count'], change.unit)} each"


def _against(one: float, other: float, words: tuple[str, str, str]) -> str:
    return words[0] if one > MUCH * other else words[1] if other > MUCH * one else words[2]


def changed(change: Change, *, grown: bool) -> str:
    """The functions that take more, or less, in the later one."""
    each = [f"{cited_row(row)} ({change.pair(row)}, itself)" for row in change.by_change(grown=grown)[: SHOWN - 1]]
    verb = "grew" if grown else "shrank"
    then = f", then {joined(each[1:])}" if each[1:] else ""
    what = f"{each[0]} {verb} most{then}" if each else f"no function {verb}"
    return f"**From {change.old} to {change.new} {what}.**"


def only_in_one(change: Change, *, is_new: bool) -> str:
    """Which functions are in one of the two alone; one whose name holds an address is another function in each."""
    ways = ((change.new, "new", "after"), (change.old, "vanished", "before"))
    first, second = (
        f"nly in {name}: {_listed(_only(status, change.found), side, change.unit, shown)}"
        for (name, status, side), shown in zip(ways if is_new else ways[::-1], (SHOWN, 1), strict=True)
    )
    return f"**O{first}**; o{second}."


def _only(status: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    others = {_HEX.sub("", row["name"]) for row in found["rows"] if row["status"] != status}
    return [row for row in found["rows"] if row["status"] == status and _HEX.sub("", row["name"]) not in others]


def _listed(rows: list[dict[str, Any]], side: str, unit: str, shown: int) -> str:
    rows = sorted((row for row in rows if not is_pseudo(row)), key=lambda row: -row[side]["total_value"])
    more = f" and {len(rows) - shown} more" if len(rows) > shown else ""
    each = [f"{cited_row(row)} ({amount(total_of(row[side]), unit)})" for row in rows[:shown]]
    return joined(each) + more if each else "none"


def most(change: Change) -> str:
    """What takes the most by itself in the later one, and with all that it calls."""
    rows = [row for row in change.found["rows"] if row["after"]["self_value"] > 0 and not is_pseudo(row)]
    rows.sort(key=lambda row: -row["after"]["self_value"])
    each = [f"{cited_row(row)} with {_of_all(row, 'self', change)}" for row in rows[:SHOWN]]
    wide = [row for row in rows if _is_part(row, change)]
    wide.sort(key=lambda row: -row["after"]["total_value"])
    then = f", then {joined(each[1:])}" if each[1:] else ""
    said = f"**In {change.new} {each[0]} itself leads{then}.**" if each else ""
    if each and wide and wide[0]["name"] != rows[0]["name"]:
        said += f" With all that it calls, {cited_row(wide[0])} has {_of_all(wide[0], 'total', change)}."
    return said


def _of_all(row: dict[str, Any], key: str, change: Change) -> str:
    side = row["after"]
    return f"{amount(side[f'{key}_value'], change.unit)} ({share(side[f'{key}_share'])})"
