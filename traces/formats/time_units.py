"""Times as files write them become integer nanoseconds."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from traces.builder import MAX_TIME_NS
from traces.model import Int64, Values
from traces.values import Unit


def nanoseconds(values: Sequence[Any] | Values, nanoseconds_per_unit: int) -> Int64:
    """Rounded to the nearest nanosecond; numbers may be written as text. Raises ValueError for what is no finite time.

    Integer and fractional parts are scaled apart: a float64 of microseconds holds the nanosecond digits up to 2**43 µs
    (101 days), but its product with 1,000 does not.
    """
    column = np.asarray(values)
    if column.dtype.kind not in "iuf":
        column = np.array([float(v) for v in values], np.float64)
    if len(column) == 0:
        return np.zeros(0, np.int64)
    limit = MAX_TIME_NS // nanoseconds_per_unit
    if not (np.abs(column.astype(np.float64)) <= limit).all():
        raise ValueError("a time is not a number or out of range")
    if column.dtype.kind in "iu":
        return column.astype(np.int64) * nanoseconds_per_unit
    integral: Values = np.floor(column)
    fraction: Values = np.rint((column - integral) * nanoseconds_per_unit)
    return integral.astype(np.int64) * nanoseconds_per_unit + fraction.astype(np.int64)


def moment_written(text: str) -> tuple[int, int | None] | None:
    """A moment in ISO 8601 as nanoseconds since 1970, and how many minutes ahead of UTC clocks were there.

    None for other text and for a moment without a time zone; what is written in UTC does not say what clocks showed.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    ahead = moment.utcoffset()
    if ahead is None:
        return None
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1) * 1_000, ahead // timedelta(minutes=1) or None


# How speedscope and pprof name units; what is not here is a count.
UNITS: dict[str, tuple[Unit, int]] = {
    "nanoseconds": (Unit.NANOSECONDS, 1),
    "nanosecond": (Unit.NANOSECONDS, 1),
    "ns": (Unit.NANOSECONDS, 1),
    "microseconds": (Unit.NANOSECONDS, 1_000),
    "microsecond": (Unit.NANOSECONDS, 1_000),
    "us": (Unit.NANOSECONDS, 1_000),
    "µs": (Unit.NANOSECONDS, 1_000),
    "milliseconds": (Unit.NANOSECONDS, 1_000_000),
    "millisecond": (Unit.NANOSECONDS, 1_000_000),
    "ms": (Unit.NANOSECONDS, 1_000_000),
    "seconds": (Unit.NANOSECONDS, 1_000_000_000),
    "second": (Unit.NANOSECONDS, 1_000_000_000),
    "s": (Unit.NANOSECONDS, 1_000_000_000),
    "bytes": (Unit.BYTES, 1),
    "byte": (Unit.BYTES, 1),
    "kilobytes": (Unit.BYTES, 1_024),
    "kilobyte": (Unit.BYTES, 1_024),
    "megabytes": (Unit.BYTES, 1_048_576),
    "megabyte": (Unit.BYTES, 1_048_576),
}


def unit_named(name: str) -> tuple[Unit, int]:
    """The unit and how many of it one written unit is; a count of 1 for names that measure neither time nor bytes."""
    return UNITS.get(name.lower(), (Unit.COUNT, 1))


def in_unit(values: Sequence[Any] | Values, unit: Unit, factor: int) -> Values:
    """A column in our unit: int64 nanoseconds, or float64. Raises ValueError for what is no finite number."""
    if unit.is_time:
        return nanoseconds(values, factor)
    column = np.asarray(values, np.float64) * factor
    if not np.isfinite(column).all():
        raise ValueError("a value is not a finite number")
    return column
