"""Numbers as people read them."""

from datetime import UTC, datetime, timedelta, timezone
from typing import assert_never

from traces.values import Unit

TIME_STEPS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
SUMMED = 1e-9
"""What sums of numbers with a point lose: a share that lacks no more is all of it."""
BYTE_STEPS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def format_value(value: float, unit: Unit) -> str:
    """`1.23 ms`, `12.3 kB`, `1,234`: three digits that count, bytes in steps of 1,000, minutes from two on."""
    match unit:
        case Unit.NANOSECONDS:
            if abs(value) >= 120e9:
                minutes, seconds = divmod(round(abs(value) / 1e9), 60)
                return f"{'-' if value < 0 else ''}{minutes:,} min {seconds} s"
            return _stepped(value, TIME_STEPS, "ns")
        case Unit.BYTES:
            return _stepped(value, BYTE_STEPS, "B")
        case Unit.COUNT:
            return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else _digits(value)
        case _:
            assert_never(unit)


def format_share(share: float) -> str:
    """`12.3%`; what rounds to nothing or to all, and is not, is `<0.1%` or `>99.9%`."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1 - SUMMED:
        return ">99.9%"
    return f"{share * 100:.1f}%"


def format_moment(nanoseconds: int, utc_offset_minutes: int | None) -> str:
    """A moment since 1970 by the clock of where it was, else in UTC: `2026-03-01 13:00:05 UTC+01:00`."""
    zone = UTC if utc_offset_minutes is None else timezone(timedelta(minutes=utc_offset_minutes))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=nanoseconds // 1_000_000_000)
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S} {zone}"


def _stepped(value: float, steps: tuple[tuple[float, str], ...], smallest: str) -> str:
    for size, suffix in steps:
        if abs(value) >= size * 0.9995:
            return f"{_digits(value / size)} {suffix}"
    return f"{value:,.0f} {smallest}" if value == round(value) else f"{_digits(value)} {smallest}"


def _digits(value: float) -> str:
    size = abs(value)
    if size >= 999.5:
        return f"{value:,.0f}"
    if size >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"
