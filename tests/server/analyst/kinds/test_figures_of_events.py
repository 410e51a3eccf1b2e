"""The figures of single events in sentences, the one that is asked for first."""

import pytest

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.evidence import Evidence
from server.analyst.kinds.single_events import Events, said

MS = 1_000_000.0
EVENTS = Events((("f1", "sweep", 50 * MS, 7 * MS, "p0"), ("f2", "mark", 20 * MS, None, "p0")), 4, 100 * MS, 15 * MS, 2)
MIDDLE = "the middle one 15.0 ms"
LONGEST = "he longest pause took 50.0 ms from 7.00 ms on in [`sweep`](#f1)"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("how long are the pauses?", f"**4 pauses took 100 ms together**; the middle one 15.0 ms, t{LONGEST}."),
        ("what is the median pause?", f"**The middle pause took 15.0 ms**; t{LONGEST}; 4 pauses took 100 ms together."),
        ("how many pauses were over 16 ms?", f"**2 of 4 pauses took longer than 16 ms.** T{LONGEST}; {MIDDLE}."),
    ],
)  # fmt: skip
def test_what_is_asked_for_comes_first(text: str, answer: str) -> None:
    assert without_addresses(said(EVENTS, "pause", text, Evidence(text, {}, ()))) == answer
