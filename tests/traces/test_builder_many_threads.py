"""Threads by the thousand: each is a profile, up to a bound that is said."""

import pytest

from tests.traces.traces_of_threads import FORMATS
from traces import builder
from traces.bounds import MAX_PROFILES
from traces.cache import decode, encode
from traces.errors import TraceTooLarge
from traces.invariants import check
from traces.reader import read_trace

AT_THE_BOUND = ("callgrind", "nsys", "perfetto", "rbspy", "trace_event", "trace_event_samples")
"""At its true height the bound is tried with these; the others take a minute of a processor together to be refused."""


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_reads_as_many_threads_as_the_bound_allows_and_refuses_one_more(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "MAX_PROFILES", 200)
    trace = read_trace(FORMATS[form](200), name="threads")
    check(trace)
    assert len(trace.profiles) == 200
    with pytest.raises(TraceTooLarge, match=r"threads: this [\w-]+ file holds more than 200 threads or profiles"):
        read_trace(FORMATS[form](201), name="threads")


@pytest.mark.long
@pytest.mark.parametrize("form", AT_THE_BOUND)
def test_one_thread_more_than_the_bound_is_refused_with_it(form: str) -> None:
    data = FORMATS[form](MAX_PROFILES + 1)
    with pytest.raises(TraceTooLarge, match=f"more than {MAX_PROFILES:,} threads"):
        read_trace(data, name="threads")


@pytest.mark.long
def test_the_columns_of_many_threads_take_no_page_each() -> None:
    trace = read_trace(FORMATS["trace_event"](500), name="threads")
    buffers = encode(trace)
    assert sum(len(buffer) for buffer in buffers) < 500 * 4096
    again = decode(b"".join(buffers))
    check(again)
    assert encode(again) == buffers
