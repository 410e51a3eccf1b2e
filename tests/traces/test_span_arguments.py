"""The arguments of every span, for SQL."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from traces import span_arguments
from traces.errors import InvalidQuestion
from traces.reader import read_trace
from traces.span_arguments import argument_texts


def file_of(arguments: Sequence[dict[str, Any] | None]) -> bytes:
    """A call after the other, with these arguments."""
    events = [
        {"ph": "X", "name": f"call{at}", "pid": 1, "tid": 1, "ts": 10 * at, "dur": 5}
        | ({} if one is None else {"args": one})
        for at, one in enumerate(arguments)
    ]
    return json.dumps({"traceEvents": events}).encode()


def test_each_span_has_its_own_text_and_those_without_have_none() -> None:
    data = file_of([{"url": "/a", "n": 1}, None, {"data": {"deep": "ä"}}])
    spans, texts, left_out = argument_texts(data, read_trace(data, name="a.json"))
    assert dict(zip(spans.tolist(), map(json.loads, texts), strict=True)) == {
        0: {"url": "/a", "n": 1},
        2: {"data": {"deep": "ä"}},
    }
    assert not left_out


def test_past_the_bound_later_ones_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    data = file_of([{"url": "/a"}, {"url": "/b"}, {"url": "/c"}])
    monkeypatch.setattr(span_arguments, "MOST_BYTES", 2 * len('{"url": "/a"}'))
    spans, texts, left_out = argument_texts(data, read_trace(data, name="a.json"))
    assert (spans.tolist(), [json.loads(one)["url"] for one in texts], left_out) == ([0, 1], ["/a", "/b"], True)


def test_half_characters_become_readable() -> None:
    data = file_of([{"x": "PLACE"}]).replace(b"PLACE", b"\\ud83d")
    assert json.loads(argument_texts(data, read_trace(data, name="a.json"))[1][0]) == {"x": "�"}


def test_another_file_is_refused() -> None:
    data, other = file_of([{"url": "/a"}]), file_of([{"url": "/b"}])
    with pytest.raises(InvalidQuestion):
        argument_texts(other, read_trace(data, name="a.json"))
