"""Numbers that know their address: what the tools return, so that every figure the analyst writes says what it is of.

A number keeps its address through what changes nothing but its unit; a sum, difference or ratio of two has their
formula's; anything else computed from it is a plain number. `linked` writes the link.
"""

from dataclasses import dataclass
from typing import Any, Self

from server.agent.verification.references.result_figures import Cell, rebuilt
from server.agent.verification.references.tool_results import FINDINGS_OF_A_RESULT

_POWERS_OF_TEN = frozenset(10.0**power for power in range(-9, 10))
_RANKINGS = frozenset({"get_top_functions", "find_frames", "get_callers_callees", "get_call_tree"})
"""Tools whose rows are functions or nodes of what they looked at."""
_LOOKING_ELSEWHERE = frozenset({"get_callers_callees"})
"""Tools that answer of another profile than the main one where that does not have the function."""
_NARROWING = ("my_code", "transforms", "start_time_ms", "end_time_ms", "window", "value")
_OF_FUNCTIONS = {"self_value": "self", "total_value": "total", "self_share": "self", "total_share": "total"}
_OF_PROFILES = {"total": "total", "busy": "busy", "waiting": "waiting", "idle": "idle", "idle_share": "idle"}


WINDOW = "window_ms"
"""The key of the time range that a result looked at."""


class Figure(float):
    """A measured value and its address."""

    __slots__ = ("address",)
    address: str

    def __new__(cls, value: float, address: str) -> Self:
        figure = super().__new__(cls, value)
        figure.address = address
        return figure

    def __add__(self, other: float) -> float:
        return _joined(self, "+", other, float(self) + other)

    def __radd__(self, other: float) -> float:
        return self if other == 0 else float(self) + other

    def __sub__(self, other: float) -> float:
        return _joined(self, "-", other, float(self) - other)

    def __truediv__(self, other: float) -> float:
        if isinstance(other, Figure | Count):
            return _joined(self, "/", other, float(self) / other)
        return self._scaled(float(self) / other, other)

    def __mul__(self, other: float) -> float:
        return self._scaled(float(self) * other, other)

    __rmul__ = __mul__

    def __abs__(self) -> float:
        return Figure(abs(float(self)), self.address)

    def _scaled(self, value: float, factor: float) -> float:
        return Figure(value, self.address) if factor in _POWERS_OF_TEN else value


class Count(int):
    """A number of things and its address; in a text it is a link."""

    address: str

    def __new__(cls, value: int, address: str) -> Self:
        count = super().__new__(cls, value)
        count.address = address
        return count

    def __format__(self, spec: str) -> str:
        return linked(format(int(self), spec), self)

    def __str__(self) -> str:
        return linked(str(int(self)), self)

    def __truediv__(self, other: float) -> float:
        if other in _POWERS_OF_TEN and not isinstance(other, Figure | Count):
            return Figure(int(self) / other, self.address)
        return _joined(self, "/", other, int(self) / other)

    def __sub__(self, other: int) -> Any:
        return _joined(self, "-", other, int(self) - other)

    def __mul__(self, other: float) -> Any:
        return Figure(int(self) * other, self.address) if other in _POWERS_OF_TEN else int(self) * other


def linked(written: str, value: Any) -> str:
    """The figure as written, as a link where its address is known."""
    return f"[{written}](#{value.address})" if isinstance(value, Figure | Count) else written


def remainder(amount: float, share: float) -> tuple[float, float]:
    """What of a total is not in this part of it, which is that share above 0: an amount, and its share from 0 to 1."""
    value, rest = float(amount) * (1 - float(share)) / float(share), 1 - float(share)
    base = share.address.rpartition("/")[2] if isinstance(share, Figure) else ""
    if not base or not isinstance(amount, Figure | Count) or _is_formula(amount.address):
        return value, rest
    return (
        Figure(value, f"{base}.total-{amount.address}"),
        Figure(rest, f"{base}.total/{base}-{amount.address}/{base}"),
    )


def _joined(one: Figure | Count, operator: str, other: float, value: float) -> float:
    if not isinstance(other, Figure | Count) or _is_formula(one.address) or _is_formula(other.address):
        return value
    return Figure(value, f"{one.address}{operator}{other.address}")


def _is_formula(address: str) -> bool:
    figures = address.count(".") - sum(part.count(".") == 2 for part in address.replace("/", "+").split("+"))
    return "+" in address or "-" in address or figures > 1


def referenced(data: dict[str, Any], number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A result's data with an address for every figure."""
    if tool != "get_insights":
        found: dict[str, Any] = _Referencing(f"q{number}", _scope_of(data, number, tool, arguments)).of(data)
        return found | _window(number, arguments)
    findings = [
        _Referencing(f"i{number * FINDINGS_OF_A_RESULT + place}", None).of(row)
        for place, row in enumerate(data.get("insights", ()), start=1)
    ]
    everything: dict[str, Any] = _Referencing(f"q{number}", None).of(data)
    return everything | {"insights": findings}


def _window(number: int, arguments: dict[str, Any]) -> dict[str, Any]:
    """The time range that a result looked at, in milliseconds, where both its ends were named."""
    start, end = arguments.get("start_time_ms"), arguments.get("end_time_ms")
    if start is None or end is None:
        return {}
    return {WINDOW: (Figure(start, f"w{number}.start"), Figure(end, f"w{number}.end"))}


@dataclass(frozen=True, slots=True)
class _Scope:
    """What stands before a function's address, and the base of its shares; `things` are the letters of what has one
    there: nodes only of one profile with all its functions."""

    prefix: str
    base: str
    counts: str | None
    things: str


def _scope_of(data: dict[str, Any], number: int, tool: str, arguments: dict[str, Any]) -> _Scope | None:
    if tool not in _RANKINGS or not isinstance(profile := data.get("profile"), str):
        return None
    counts = data.get("counted") if data.get("counted") in ("calls", "samples") else None
    things = "f" if profile == "all" or arguments.get("my_code") or arguments.get("transforms") else "fn"
    if any(arguments.get(key) for key in _NARROWING):
        return _Scope(f"w{number}.", f"w{number}", counts, things)
    if profile == "all":
        return _Scope("t.", "t", counts, things)
    is_named = arguments.get("profile") is not None or tool in _LOOKING_ELSEWHERE
    return _Scope(f"{profile}." if is_named else "", profile, counts, things)


class _Referencing:
    """Addresses the figures of one result or finding; `scope` where its rows are functions."""

    def __init__(self, subject: str, scope: _Scope | None) -> None:
        self._subject = subject
        self._scope = scope
        self._count = 0

    def of(self, data: Any) -> Any:
        return rebuilt(data, self._number, self._figure)

    def _next(self) -> str:
        self._count += 1
        return f"{self._subject}.c{self._count}"

    def _number(self, cell: Cell, value: float) -> Any:
        place = self._next()
        address = self._of_the_trace(cell) or place
        return Count(value, address) if isinstance(value, int) else Figure(value, address)

    def _figure(self, cell: Cell, written: str) -> str:
        return f"[{written}](#{self._next()})"

    def _of_the_trace(self, cell: Cell) -> str | None:
        if cell.about is None:
            return None
        if cell.about[0] == "p" and cell.key in _OF_PROFILES:
            share = f"/{cell.about}" if cell.key.endswith("share") else ""
            return f"{cell.about}.{_OF_PROFILES[cell.key]}{share}"
        scope = self._scope
        if scope is None or cell.about[0] not in scope.things:
            return None
        if cell.key == "count" and scope.counts:
            return f"{scope.prefix}{cell.about}.{scope.counts}"
        if cell.key not in _OF_FUNCTIONS:
            return None
        share = f"/{scope.base}" if cell.key.endswith("share") else ""
        return f"{scope.prefix}{cell.about}.{_OF_FUNCTIONS[cell.key]}{share}"
