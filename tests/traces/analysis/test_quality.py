"""What the summary says about how a trace was recorded, and what therefore stays hidden."""

from pathlib import Path

import numpy as np
import pytest

from traces.analysis.summary import TraceSummary, summarise
from traces.builder import TraceBuilder
from traces.formats.format import RUNNING, SAMPLED, sums
from traces.reader import read_trace
from traces.stacks import StackTable
from traces.values import Facts, Unit, ValueType, Waits

MS = 1_000_000


def recorded(
    stacks: list[list[str]], *, every: list[int] | None = None, facts: Facts = SAMPLED, value: str = "time"
) -> TraceSummary:
    """The summary of one profile with a sample a stack, each `every` ms (10 without any)."""
    builder = TraceBuilder("t", "test")
    table = StackTable()
    leaves = table.leaves([[builder.frame(name) for name in stack] for stack in stacks])
    weights = np.array(every or [10] * len(stacks)) * MS
    values = (ValueType(value, Unit.NANOSECONDS),)
    builder.add_sampled("p", table, leaves, [weights], values=values, facts=facts)
    return summarise(builder.build(content_key="0" * 64, source_bytes=1))


def hidden(summary: TraceSummary) -> str:
    return "\n".join(summary.cannot_answer)


def test_the_rate_of_samples_says_how_short_a_thing_can_be_seen() -> None:
    summary = recorded([["a"]] * 50)
    quality = summary.profiles[0].quality
    assert (quality.interval_ns, quality.rate_hz, quality.regular_share) == (10 * MS, 100, 1)
    assert summary.as_json()["profiles"][0]["quality"]["rate_hz"] == 100
    assert "what lasts less than 10.0 ms: samples are so far apart" in hidden(summary)


def test_irregular_samples_are_said() -> None:
    summary = recorded([["a"]] * 40, every=[1, 1, 5, 30] * 10)
    assert summary.profiles[0].quality.regular_share is not None
    assert "irregular intervals" in hidden(summary)
    assert "irregular" not in hidden(recorded([["a"]] * 40))


@pytest.mark.parametrize(
    ("facts", "only_running"), [(RUNNING, True), (SAMPLED, False), (sums(waits=Waits.WORK), True), (sums(), False)]
)
def test_a_profiler_that_counts_running_code_cannot_see_waiting(facts: Facts, only_running: bool) -> None:
    summary = recorded([["a"]] * 9, facts=facts)
    assert summary.profiles[0].quality.only_running is only_running
    assert ("waiting for locks" in hidden(summary)) is only_running


def test_sums_have_no_rate() -> None:
    assert recorded([["a"]] * 9, facts=sums()).profiles[0].quality.interval_ns is None


def test_stacks_that_lost_their_beginning_are_counted() -> None:
    complete = ["main", *(f"f{i}" for i in range(62)), "leaf"]
    cut = [f"f{i % 62}" for i in range(64)]  # begins with what main calls elsewhere
    quality = recorded([complete, complete, complete, cut]).profiles[0].quality
    assert quality.cut_share == 0.25
    assert recorded([complete] * 4).profiles[0].quality.cut_share == 0
    assert recorded([["a", "b"], ["b", "a"]]).profiles[0].quality.cut_share == 0  # no profiler stops this early


def test_code_without_a_name_is_counted() -> None:
    named = ["main", "0xabc_handler", "unknown_origin", "decade", "operator new", "facade"]
    unnamed = ["0x7f00aa", "[unknown]", "??", "libc.so.6!0x1234", "7f3a9c001122", "<unknown>"]
    assert recorded([[n] for n in named]).profiles[0].quality.unnamed_share == 0
    assert recorded([[n] for n in unnamed]).profiles[0].quality.unnamed_share == 1
    assert "the names of 50.0%" in hidden(recorded([["a"], ["0x12"]]))


def test_a_real_profile_has_its_rate_and_the_time_of_recording(fixtures: Path) -> None:
    summary = summarise(read_trace((fixtures / "settlement.go-cpu.pb.gz").read_bytes(), name="cpu"))
    assert summary.recorded_at_ns is not None
    assert summary.profiles[0].quality.only_running
    summary = summarise(read_trace((fixtures / "search-index.cpuprofile.gz").read_bytes(), name="js"))
    rate = summary.profiles[0].quality.rate_hz
    assert rate is not None
    assert 100 < rate < 20_000
