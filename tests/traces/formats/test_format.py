"""What a format says of itself, and where its reader is found."""

from importlib.util import find_spec

import pytest

from traces.builder import TraceBuilder
from traces.formats.detection import FORMATS
from traces.formats.format import Format, break_off, sums
from traces.values import Clock, Counts, Order, Waits


def a_format(name: str, reader: str | None = None) -> Format:
    return Format(name, "A", lambda _: True, "traces.formats.text", (sums(),), reader=reader)


def test_the_reader_is_the_module_of_the_format_s_name_unless_another_is_named() -> None:
    assert a_format("collapsed").module == "traces.formats.text.collapsed"
    assert a_format("of-two-words").module == "traces.formats.text.of_two_words"
    assert a_format("of-two-words", "collapsed").module == "traces.formats.text.collapsed"


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: str(known.name))
def test_every_format_has_a_reader_and_facts(known: Format) -> None:
    assert find_spec(known.module) is not None
    assert callable(known.read)
    assert known.facts


def test_sums_have_no_times() -> None:
    facts = sums(Counts.CALLS, Waits.WORK, count_value=1)
    assert (facts.order, facts.clock, facts.counts, facts.waits) == (Order.NONE, Clock.NONE, Counts.CALLS, Waits.WORK)
    assert sums().counts is Counts.NONE


def test_a_file_that_breaks_off_says_behind_how_many_bytes() -> None:
    builder = TraceBuilder("small", "example")
    break_off(builder, 12_345)
    assert builder.breaks_off is not None
    assert builder.breaks_off.startswith("it breaks off after 12,345 bytes")
