"""Calls that never ended stay so in a changed tree, those of its first node, too."""

import json

from traces.reader import read_trace
from traces.transforms.transformed import transformed
from traces.transforms.vocabulary import parsed_transforms

EVENTS = [
    {"ph": "B", "name": "main", "pid": 1, "tid": 1, "ts": 0},
    {"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 5, "dur": 10},
    {"ph": "B", "name": "wait", "pid": 1, "tid": 1, "ts": 20},
    {"ph": "X", "name": "read", "pid": 1, "tid": 1, "ts": 25, "dur": 5},
]


def test_what_never_ended_is_unfinished_where_it_is_shown() -> None:
    trace = read_trace(json.dumps({"traceEvents": EVENTS}).encode(), name="cut")
    assert trace.profiles[0].spans is not None
    assert trace.profiles[0].spans.unfinished.tolist() == [0, 2]
    for text, left in (("merge-function:f1", [0, 1]), ("merge-function:f2", [0])):
        changed = transformed(trace, parsed_transforms(text)).profiles[0]
        assert changed.spans is not None
        assert changed.spans.unfinished.tolist() == left
