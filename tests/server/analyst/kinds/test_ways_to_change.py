"""What is changed about a function: by a finding, by what it waits for, by names, else in general."""

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled, timeline


@pytest.mark.parametrize(
    ("stack", "spoken", "has"),
    [
        ("main;list_of;runtime.concatstrings;runtime.memmove", "runtime.memmove", "join them once at the end"),
        ("main;mirror;strlen", "strlen", "once before the loop and keep it in a variable"),
        ("main;enqueue;by_rank", "enqueue", "a heap (priority queue)"),
        ("main;have_met", "have_met", "a set or a dict"),
        ("main;parse_day;_strptime", "_strptime", "`fromisoformat`"),
        ("main;played_by;String#downcase", "String#downcase", "keep the result"),
        ("main;copy_track", "copy_track", "instead of a copy"),
        ("main;addRow", "addRow", "Build all of it first"),
        ("main;sound_of;malloc", "malloc", "reuse buffers"),
        ("main;nearest;SequenceMatcher.ratio", "SequenceMatcher.ratio", "Compare fewer pairs"),
        ("main;crush", "crush", "Do less in it"),
    ],
)
async def test_the_names_of_what_is_done_say_what_is_changed(stack: str, spoken: str, has: str) -> None:
    trace = sampled({stack: 80.0, "main;other": 20.0})
    *_, answer = await talk(trace, f"how long does `{spoken}` take?", "how would you fix that?")
    assert has in answer.partition("\n")[0], answer
    assert "At most 80.0% (80.0 ms) can be saved there" in answer, answer


async def test_what_waits_is_started_together_with_others() -> None:
    trace = timeline([("main", 0, 100), ("epoll_wait", 0, 90)])
    *_, answer = await talk(trace, "how long does `epoll_wait` take?", "how could i get that down")
    assert "wait for all at once (gather" in answer.partition("\n")[0], answer
