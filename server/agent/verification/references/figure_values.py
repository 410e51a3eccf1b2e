"""What an address stands for: its exact value, from the trace or from the tool result that it names.

Measures are those that docs/protocol.md defines. A base makes a share of it: of a function its total, of a thread's
time its length, else the total of what it names.
"""

from collections.abc import Callable
from dataclasses import replace

from server.agent.verification.recompute import Recomputation
from server.agent.verification.references.addressed_values import LATE, NO_MEASURE, NOTHING, Unknown, Value
from server.agent.verification.references.addresses import OF_CELLS, Address, FigureAddress
from server.agent.verification.references.returned_figures import ReturnedFigures
from server.agent.verification.references.tool_results import Conversation
from server.agent.verification.references.trace_figures import TraceFigures
from server.agent.verification.working_time import working_clock
from server.agent.verification.written_numbers import Dimension
from traces.errors import TraceError
from traces.model import Trace

SECONDS = 1.0
"""For all addresses of an answer: what is not resolved by then is not checked."""

LENGTHS = frozenset({"start", "end", "duration", "busy", "waiting", "idle"})


class FigureValues:
    """Resolves the addresses of one answer. Never raises for an address; `seconds` bounds all of them together."""

    def __init__(
        self,
        trace: Trace,
        conversation: Conversation,
        *,
        seconds: float = SECONDS,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._clock = clock or working_clock()
        self._until = self._clock() + seconds
        self._known: dict[str, Value | Unknown] = {}
        self._on_a_path = Recomputation(trace).on_a_path
        self._of_trace = TraceFigures(trace, conversation, self._is_late)
        self._returned = ReturnedFigures(trace, conversation, self._of_trace.frames_of)

    def _is_late(self) -> bool:
        return self._clock() > self._until

    def value(self, address: Address) -> Value | Unknown:
        """What the address stands for."""
        one = self._of(address.figure)
        if address.other is None or isinstance(one, Unknown):
            return one
        other = self._of(address.other)
        if isinstance(other, Unknown):
            return other
        if address.operator == "+" and (why := self._not_added(address.figure, one, address.other, other)):
            return Unknown(why)
        return _joined(one, address.operator or "/", other)

    def _not_added(self, one: FigureAddress, first: Value, other: FigureAddress, second: Value) -> str | None:
        """Why the two are not added up; None when they can be."""
        cells = one.subject[0] in OF_CELLS or other.subject[0] in OF_CELLS
        if not cells and (one.measure, one.base) != (other.measure, other.base):
            return "they are not of one measure and base"
        if first.dimension is Dimension.SHARE and not cells and one.scope != other.scope:
            return "they are shares of two scopes"
        nested = one.measure == "total" and first.frames and second.frames and first.frames != second.frames
        if nested and self._on_a_path(tuple(first.frames), tuple(second.frames)) and one.subject != other.subject:
            return "one calls the other: the total of one is in that of the other"
        return None

    def at(self, figure: FigureAddress, frame: int) -> Value | Unknown:
        """The same measure of another function."""
        return self._of(FigureAddress(figure.scope, f"f{frame}", figure.measure, figure.base))

    def _of(self, figure: FigureAddress) -> Value | Unknown:
        name = str(figure)
        if name not in self._known:
            if self._is_late():
                return LATE
            try:
                self._known[name] = self._resolved(figure)
            except TraceError:
                self._known[name] = NOTHING
        return self._known[name]

    def _resolved(self, figure: FigureAddress) -> Value | Unknown:
        base = figure.base or ""
        if figure.scope is None and figure.subject[0] == "f" and base[:1] in ("p", "t"):
            figure = replace(figure, scope=base)
        value = self._measured(figure)
        if isinstance(value, Unknown) or figure.base is None:
            return value
        of = self._base(figure)
        if isinstance(of, Unknown):
            return of
        if not of or value.dimension is Dimension.SHARE:
            return NO_MEASURE
        what = f"{value.what}, of {figure.base}"
        share = 100 * value.value / of
        return Value(
            share, Dimension.SHARE, what, value.frames, 100 * value.half_digit / of, call=value.call, place=value.place
        )

    def _measured(self, figure: FigureAddress) -> Value | Unknown:
        is_returned = (figure.scope or "")[:1] in ("c", "q", "i") or figure.subject[0] in "gqir"
        return self._returned.value(figure) if is_returned else self._of_trace.value(figure)

    def _base(self, figure: FigureAddress) -> float | Unknown:
        assert figure.base is not None
        kind = figure.base[0]
        if figure.measure in ("calls", "samples"):
            measure = figure.measure
        elif figure.measure in LENGTHS and kind in "pstw":
            measure = "duration"
        else:
            measure = "duration" if kind == "s" else "total"
        scope = figure.scope if kind in "fn" and figure.scope and figure.scope[0] in "tpw" else None
        value = self._measured(FigureAddress(scope, figure.base, measure, None))
        return value if isinstance(value, Unknown) else value.value


def _joined(one: Value, operator: str, other: Value) -> Value | Unknown:
    what, frames = f"{one.what} {operator} {other.what}", one.frames | other.frames
    if one.dimension is not other.dimension:
        is_mean = operator == "/" and other.dimension is Dimension.COUNT and other.value
        return Value(one.value / other.value, one.dimension, what, frames) if is_mean else NO_MEASURE
    if operator == "/":
        if not other.value:
            return NO_MEASURE
        slack = (one.half_digit + abs(one.value / other.value) * other.half_digit) / abs(other.value)
        return Value(one.value / other.value, Dimension.COUNT, what, frames, slack, is_ratio=True)
    value = one.value + other.value if operator == "+" else one.value - other.value
    return Value(value, one.dimension, what, frames, one.half_digit + other.half_digit)
