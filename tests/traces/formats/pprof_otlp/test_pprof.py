"""pprof's protobuf: names stand at the end of a file, so what breaks off loses them first."""

import pytest

from tests.traces.formats.protobuf_messages import message
from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.analysis.thread_time import View, thread_time
from traces.errors import DamagedTrace, UnrecognisedTrace
from traces.formats.pprof_otlp.locations import NO_STACK

STRINGS = ("", "samples", "count", "main", "work")


def a_profile(*, names: int) -> bytes:
    """Two functions, with so many of their names, of a file that breaks off there."""
    functions = [(5, message((1, k), (2, 2 + k))) for k in (1, 2)]
    locations = [(4, message((1, k), (4, message((1, k))))) for k in (1, 2)]
    samples = [(2, message((1, b"\2\1"), (2, b"\5")))]
    texts = [(6, text) for text in STRINGS[: 3 + names]]
    complete = message((1, message((1, 1), (2, 2))), *samples, *locations, *functions, *texts)
    return complete + b"\x32\x7f"


def test_a_function_whose_name_is_lost_is_said_to_be() -> None:
    trace = read(a_profile(names=1))
    assert stacks(trace) == [("main;(name lost)", 5)]
    assert warnings(trace)["lost_names"] == 1


def test_without_any_name_it_is_refused() -> None:
    with pytest.raises(DamagedTrace, match="no function has a name: names stand at the end"):
        read(a_profile(names=0))


def test_a_difference_of_two_profiles_is_called_what_it_is() -> None:
    texts = [(6, text) for text in STRINGS]
    sample = (2, message((1, b"\1"), (2, b"\xfb" + b"\xff" * 8 + b"\1")))
    content = message((1, message((1, 1), (2, 2))), sample, (4, message((1, 1))), *texts)
    with pytest.raises(UnrecognisedTrace, match="the difference of two pprof profiles"):
        read(content)


def test_what_was_sampled_without_a_stack_is_in_the_total_and_no_idle_time() -> None:
    function, location = (5, message((1, 1), (2, 3))), (4, message((1, 1), (4, message((1, 1)))))
    samples = [(2, message((1, b"\1" * depth), (2, bytes([time])))) for depth, time in ((0, 3), (1, 5), (0, 7))]
    texts = [(6, text) for text in ("", "cpu", "nanoseconds", "main")]
    trace = read(message((1, message((1, 1), (2, 2))), *samples, location, function, *texts))
    assert stacks(trace) == [(NO_STACK, 3), ("main", 5), (NO_STACK, 7)]
    spent = thread_time(trace, trace.profiles[0])
    assert spent is not None
    assert (spent.by, spent.length, spent.busy) == (View.SUMS, 15, 15)
