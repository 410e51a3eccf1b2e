"""Which digits of a text are figures, what they measure, and how precisely they were written."""

import pytest

from server.agent.verification.written_numbers import NUMBER, Dimension, mentions

TIME, BYTES, SHARE, COUNT = Dimension.TIME, Dimension.BYTES, Dimension.SHARE, Dimension.COUNT


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("**N+1 queries**: 301 calls", ["301"]),
        ("grew by +12 %, then +1", ["12 %", "1"]),
        ("1,204 calls took 3.5 ms", ["1,204", "3.5 ms"]),
        ("worker-3 and f12 and v2.1", []),
    ],
)
def test_names_with_digits_are_no_figures(text: str, figures: list[str]) -> None:
    assert [found[0] for found in NUMBER.finditer(text)] == figures


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("7", 7, COUNT),
        ("7 %", 7, SHARE),
        ("7 percent", 7, SHARE),
        ("7 Prozent", 7, SHARE),
        ("7 pour cent", 7, SHARE),
        ("7 por ciento", 7, SHARE),
        ("7 ns", 7, TIME),
        ("7 nanoseconds", 7, TIME),
        ("7 µs", 7e3, TIME),
        ("7 μs", 7e3, TIME),
        ("7 us", 7e3, TIME),
        ("7 microseconds", 7e3, TIME),
        ("7 ms", 7e6, TIME),
        ("7 msecs", 7e6, TIME),
        ("7 milliseconds", 7e6, TIME),
        ("7 s", 7e9, TIME),
        ("7 secs", 7e9, TIME),
        ("7 seconds", 7e9, TIME),
        ("7 mins", 420e9, TIME),
        ("7 minutes", 420e9, TIME),
        ("7 hours", 25_200e9, TIME),
        ("7 Sekunden", 7e9, TIME),
        ("1 Sekunde", 1e9, TIME),
        ("7 Millisekunden", 7e6, TIME),
        ("7 Mikrosekunden", 7e3, TIME),
        ("7 Nanosekunden", 7, TIME),
        ("7 secondes", 7e9, TIME),
        ("7 millisecondes", 7e6, TIME),
        ("7 microsecondes", 7e3, TIME),
        ("7 nanosecondes", 7, TIME),
        ("7 segundos", 7e9, TIME),
        ("7 milisegundos", 7e6, TIME),
        ("7 microsegundos", 7e3, TIME),
        ("7 nanosegundos", 7, TIME),
        ("7 Minuten", 420e9, TIME),
        ("7 minutos", 420e9, TIME),
        ("7 B", 7, BYTES),
        ("7 bytes", 7, BYTES),
        ("7 octets", 7, BYTES),
        ("7 kB", 7e3, BYTES),
        ("7 MB", 7e6, BYTES),
        ("7 GB", 7e9, BYTES),
        ("7 TB", 7e12, BYTES),
        ("7 KiB", 7 * 1024, BYTES),
        ("7 MiB", 7 * 1024**2, BYTES),
        ("7 GiB", 7 * 1024**3, BYTES),
        ("7 TiB", 7 * 1024**4, BYTES),
        ("7 ko", 7e3, BYTES),
        ("7 Mo", 7e6, BYTES),
        ("7 Go", 7e9, BYTES),
        ("7 To", 7e12, BYTES),
        ("7 Hz", 7, COUNT),
        ("7 kHz", 7e3, COUNT),
        ("7k", 7e3, COUNT),
        ("7 thousand", 7e3, COUNT),
        ("7M", 7e6, COUNT),
        ("7 million", 7e6, COUNT),
        ("7 billion", 7e9, COUNT),
        ("1,234.5 ms", 1_234.5e6, TIME),
    ],
)
def test_a_unit_says_what_is_measured_and_how_much_it_is(text: str, value: float, dimension: Dimension) -> None:
    (found,) = mentions(f"It has {text}, no more.")
    assert (found.value, found.dimension, found.start, found.end) == (value, dimension, 7, 7 + len(text))
    assert (found.has_unit, found.hedged) == (text != "7", False)


@pytest.mark.parametrize(
    ("text", "half"), [("12 ms", 0.5e6), ("12.5 ms", 0.05e6), ("1.25 s", 0.005e9), ("1,200", 0.5), ("0.5 %", 0.05)]
)
def test_half_of_the_last_digit_is_how_precise_a_figure_is(text: str, half: float) -> None:
    (found,) = mentions(text)
    assert found.half_digit == pytest.approx(half)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("half a second", 0.5e9),
        ("half a microsecond", 500),
        ("a millisecond", 1e6),
        ("eine halbe Sekunde", 0.5e9),
        ("une demi-seconde", 0.5e9),
        ("medio segundo", 0.5e9),
        ("eine Millisekunde", 1e6),
    ],
)
def test_times_in_words_are_figures_of_a_tenth(text: str, value: float) -> None:
    (found,) = mentions(f"It takes {text}.")
    assert (found.value, found.half_digit, found.dimension) == (value, 0.1 * value, TIME)
    assert (found.has_unit, found.hedged) == (True, False)


def test_minutes_with_seconds_are_one_figure_down_to_a_second() -> None:
    (found,) = mentions("after 1,003 min 12 s")
    assert (found.value, found.half_digit, found.dimension) == ((1_003 * 60 + 12) * 1e9, 0.5e9, TIME)
    assert (found.has_unit, found.hedged, found.start, found.end) == (True, False, 6, 20)


def test_a_range_is_two_figures_of_its_unit_unless_the_first_has_its_own() -> None:
    assert [(one.value, one.start, one.end) for one in mentions("10–20 ms")] == [(10e6, 0, 2), (20e6, 3, 8)]
    assert [(one.value, one.end) for one in mentions("from 10 µs to 2.5 ms")] == [(10e3, 10), (2.5e6, 20)]
    assert [one.value for one in mentions("5 to 6 s and 3 min 1 s, then 8")] == [5e9, 6e9, 181e9, 8]


def test_what_is_about_so_much_is_hedged_and_figures_come_in_order() -> None:
    first, second, third = mentions("~5 ms, ≈7 and 9 of 3 seconds"[:14] + " 9")
    assert (first.value, first.hedged, second.hedged) == (5e6, True, True)
    assert third.start > second.start
