"""What an address can stand for: a value with what it measures, or why there is none."""

from dataclasses import dataclass

from server.agent.verification.written_numbers import Dimension


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the chart a figure is of: a handle, its profile, and the window of that profile's axis in which it was
    measured."""

    handle: str
    profile: str | None = None
    window: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """`value` in its dimension's base unit, `what` in words (`self of f12 in p0`), `frames` the functions it is of.
    `scope_total` is what a share without a base is of; `is_ratio` of a plain factor; `is_change` of a signed
    difference; `is_column` of a query's, whose unit nobody knows. `place` is None where the address itself says where
    it is, or nothing does."""

    value: float
    dimension: Dimension
    what: str
    frames: frozenset[int] = frozenset()
    half_digit: float = 0.0
    scope_total: float | None = None
    is_ratio: bool = False
    is_change: bool = False
    is_column: bool = False
    call: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why an address stands for nothing here."""

    why: str


NOTHING = Unknown("it names nothing in this trace")
NO_MEASURE = Unknown("that is not measured there")
NOT_MEASURED = Unknown("it is what a person said, and not measured")
GONE = Unknown("the result that it names is not in this conversation")
LATE = Unknown("there was no time left to look it up")


def measured(measure: str) -> str:
    """A measure in words."""
    words = {"p50": "median", "p95": "95th percentile", "p99": "99th percentile", "max": "longest call"}
    return words.get(measure, measure)
