"""The recording's own time: what of a run no sample shows, how many processors were busy, how long it was recorded."""

from dataclasses import replace
from pathlib import Path

import pytest

from server.agent.verification.references.figure_links import without_addresses
from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import sampled, timeline
from traces.formats.format import sums
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit, Waits

WORK = replace(sums(), waits=Waits.WORK)
ONE_IN_FOUR = replace(sampled({"main;run;work": 2_000, "main;run": 500}, facts=WORK), recorded_for_ns=10_000_000_000)
TWO_AT_ONCE = replace(ONE_IN_FOUR, recorded_for_ns=1_000_000_000)
UNKNOWN_LENGTH = replace(ONE_IN_FOUR, recorded_for_ns=None)
WALL = timeline([("main", 0, 900), ("work", 100, 400)])
DELAYS = sampled({"main;Unlock": 8_000}, facts=replace(sums(), waits=Waits.WAITING), value="delay")
BYTES = sampled({"main;work": 5}, unit=Unit.BYTES, value="space")


@pytest.mark.parametrize(
    ("trace", "prompt", "first"),
    [
        (ONE_IN_FOUR, "10s wall but only 2.5s samples?? where is the rest", "**The rest was not on a processor"),
        (ONE_IN_FOUR, "why does the profile only have 2.5 s when the run took 10 s", "**The rest was not on a"),
        (ONE_IN_FOUR, "wo ist der rest der zeit", "**The rest was not on a processor"),
        (TWO_AT_ONCE, "samples add up to more than the run took, how come", "**In the recording there is no rest: sam"),
        (UNKNOWN_LENGTH, "it ran 10 s but there are just 2.5 s of samples", "**The rest was not on a processor"),
        (WALL, "where is the rest of the time", "**In the recording there is no rest**: "),
        (DELAYS, "8s of waiting, but the run was 4.4s. how?", "**Those are waits, added up**"),
        (BYTES, "where is the rest of the time", "**How long anything takes cannot be said: this trace measures bytes"),
        (ONE_IN_FOUR, "how busy was the cpu during this?", "**On average 25.0% of one processor was busy**: 2.50 s"),
        (ONE_IN_FOUR, "how many cores were busy on average", "**On average 25.0% of one processor was busy**: 2.50 s"),
        (TWO_AT_ONCE, "cpu utilisation?", "**On average 2.50 processors were busy**: 2.50 s of processor time in 1.00"),
        (WALL, "wie viele kerne waren beschäftigt", "**On average 1.00 threads were busy at once**, by their own"),
        (UNKNOWN_LENGTH, "how many cpus busy?", "**How many processors were busy cannot be told**"),
        (ONE_IN_FOUR, "duration of the run?", "**It was recorded for 10.0 s**, with 2.50 s of processor time in it."),
        (WALL, "how long did it run", "**It was recorded for 900 ms**"),
        (UNKNOWN_LENGTH, "how long was the recording", "**How long that was recorded, I cannot say.** It has 2.50 s"),
        (ONE_IN_FOUR, "total cpu time?", "**2.50 s of processor time in all**, in 10.0 s that were recorded."),
        (
            WALL,
            "how much cpu did the program use",
            "**900 ms of work in all**, in 900 ms that were recorded; by the wall",
        ),
        (ONE_IN_FOUR, "wall clock vs cpu?", "**CPU time: "),
        (ONE_IN_FOUR, "is that cpu time?", "**CPU time: "),
        (ONE_IN_FOUR, "how long does `run` take", "**[`run`](#f1) takes 2.50 s in total"),
    ],
)
async def test_what_the_recordings_time_is(trace: Trace, prompt: str, first: str) -> None:
    answer, _ = await asked(prompt, trace)
    said = answer.text.partition("\n")[0]
    assert without_addresses(said).startswith(first), said


async def test_what_a_processor_was_busy_is_no_claim_about_a_thread() -> None:
    file = Path(__file__).parents[4] / "evals/batches/twenty-four/skis-cpu.pb.gz"
    answer, _ = await asked("how many cores were busy on average", read_trace(file.read_bytes(), name=file.name))
    assert " of one processor was busy**" in answer.text or " processors were busy**" in answer.text, answer.text
    assert [check.claim for check in answer.checks if check.status == "contradicted"] == []
