"""Files that are packed many times over, or hold much more than their size."""

import gzip

import pytest

from traces.compression import collect
from traces.errors import TraceTooLarge, UnrecognisedTrace
from traces.reader import read_trace

STACKS = b"main;load 3\nmain;save 4\n"


def packed(times: int) -> bytes:
    content = STACKS
    for _ in range(times):
        content = gzip.compress(content)
    return content


def test_what_is_packed_four_times_is_read() -> None:
    assert read_trace(packed(4), name="stacks.collapsed.gz").frames.name.size == 3


def test_what_is_packed_more_often_is_said_to_be() -> None:
    with pytest.raises(UnrecognisedTrace, match="packed more than 4 times over"):
        read_trace(packed(5), name="stacks.collapsed.gz")


def test_much_content_may_be_a_hundred_times_its_size_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traces.compression.GREAT_BYTES", 1 << 20)
    chunks = [bytes(1 << 20)] * 2
    assert len(collect(chunks, 30_000, "a.gz")) == 2 << 20
    with pytest.raises(TraceTooLarge, match="100 times its size"):
        collect(chunks, 10_000, "a.gz")
