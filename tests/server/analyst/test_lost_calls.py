"""Answers about calls of which some were lost while recording say what their figures are worth."""

import json
from typing import Any

from tests.server.analyst.test_analyst_chat import asked
from traces.losses import LOST_CALLS
from traces.model import Trace
from traces.reader import read_trace

CALLS = [("main", 0, 100), ("early", 0, 80), ("leaf", 70, 5), ("late", 80, 20)]
REMARK = f"{LOST_CALLS[:1].upper()}{LOST_CALLS[1:]}."


def recorded(*, overflow: bool) -> Trace:
    events: list[dict[str, Any]] = [
        {"ph": "X", "name": name, "ts": at * 1000, "dur": lasting * 1000, "pid": 1, "tid": 1}
        for name, at, lasting in CALLS
    ]
    content = {"traceEvents": events, "viztracer_metadata": {"overflow": overflow}}
    return read_trace(json.dumps(content).encode(), name="app.json")


async def test_what_is_doubtful_stands_behind_the_first_paragraph() -> None:
    for prompt in ("Why is this slow?", "how often is leaf called?", "how long does early take itself?"):
        answer, _ = await asked(prompt, recorded(overflow=True))
        assert answer.text.split("\n\n")[1] == REMARK, answer.text
        answer, _ = await asked(prompt, recorded(overflow=False))
        assert REMARK not in answer.text


async def test_it_is_not_repeated_where_no_calls_are_spoken_of() -> None:
    answer, _ = await asked("how long is the recording?", recorded(overflow=True))
    assert REMARK not in answer.text
