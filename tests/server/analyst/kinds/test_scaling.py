"""How what a function takes grows with its input: what calls for each call can say, and what one recording cannot."""

import pytest

from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import sampled, timeline
from traces.model import Trace


def embossed() -> Trace:
    """Two calls of `emboss` that each call `length_of` twenty times."""
    rows: list[tuple[str, float, float]] = []
    for start in (0, 100):
        rows.append(("emboss", start, start + 90))
        rows += [("length_of", start + at, start + at + 4) for at in range(0, 80, 4)]
    return timeline(rows)


@pytest.mark.parametrize(
    "prompt", ["how does emboss scale with the length", "is emboss quadratic?", "wie skaliert emboss mit der länge?"]
)
async def test_calls_for_each_call_say_how_it_may_grow(prompt: str) -> None:
    answer, _ = await asked(prompt, embossed())
    begins = "**By its calls it may be quadratic: each of the 2 calls of [`emboss`](#f0) makes 20 of [`length_of`](#f1)"
    assert answer.text.startswith(begins), answer.text


async def test_samples_of_one_size_do_not_say_how_it_grows() -> None:
    trace = sampled({"main;work": 90.0, "main;other": 10.0})
    *_, answer = await talk(trace, "how long does `work` take?", "is that quadratic?")
    assert answer.startswith("**One recording, of one size, cannot show how [`work`]"), answer
