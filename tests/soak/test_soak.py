"""The soak's parts, shortened: what is not exact in small is not exact in large."""

import re
from pathlib import Path
from time import monotonic
from typing import Protocol

import pytest

from tests.soak.calls import Calls
from tests.soak.cuts import Cuts
from tests.soak.kills import Kills
from tests.soak.restarts import Restarts
from tests.soak.speaking import Script, from_letters, in_letters
from tests.soak.tally import Figure, Tally
from tests.soak.versions import previous_commit

RUN_S = 240.0
"""Only a bound."""


class Part(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def aim(self) -> int: ...

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None: ...

    def figures(self, tally: Tally) -> list[Figure]: ...


NOT_JUDGED = {
    "recovery",
    "database back",
    "cuts while the turn ran",
    "kills that hit a running turn",
    "turns that failed without cause",
    "times PostgreSQL was stopped",
    "bytes, uncut = 1",
    "ended cancelled",
    "rows fallback",
    "rows retry",
}
"""Times, and how many there were of what: a slow machine has fewer, and joins more pieces of text into one. How a turn
may end is judged turn by turn."""


async def what_does_not_hold(part: Part, folder: Path) -> list[Figure | str]:
    """The figures of a run that miss their bound, and why."""
    tally = Tally(part.name, part.aim)
    await part.run(folder, folder / "state", tally, monotonic() + RUN_S)
    assert tally.done
    missed = [one for one in part.figures(tally) if one.holds is False and one.name not in NOT_JUDGED]
    return [*missed, *tally.complaints]


@pytest.mark.timeout(600)
@pytest.mark.long
async def test_a_connection_that_is_cut_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    assert await what_does_not_hold(Cuts(aim=8, words=60), tmp_path) == []


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_a_server_killed_while_it_answers_loses_nothing(tmp_path: Path) -> None:
    assert await what_does_not_hold(Kills(aim=16), tmp_path) == []


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_every_model_call_is_accounted_for_whatever_breaks(tmp_path: Path) -> None:
    assert await what_does_not_hold(Calls(aim=10), tmp_path) == []


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_a_database_that_goes_away_three_ways_is_back_by_itself_and_nothing_is_lost(tmp_path: Path) -> None:
    assert await what_does_not_hold(Restarts(aim=3), tmp_path) == []


def test_the_version_before_is_a_commit() -> None:
    assert re.fullmatch("[0-9a-f]{40}", previous_commit())


def test_a_soak_goes_on_where_it_stopped(tmp_path: Path) -> None:
    tally = Tally.load(tmp_path, "cuts", 100)
    tally.done = 7
    tally.count("turns", 3)
    tally.save(tmp_path)
    again = Tally.load(tmp_path, "cuts", 50)
    assert (again.done, again.counts, again.is_complete) == (7, {"turns": 3}, False)


@pytest.mark.parametrize("script", [Script("anna"), Script("ben", words=3, every_ms=2.5, looks=0, timed=True)])
def test_a_prompt_says_what_is_to_be_answered(script: Script) -> None:
    assert Script.of(f"Looking at the flame chart.\n{script.prompt}") == script
    assert [from_letters(in_letters(number)) for number in range(800)] == list(range(800))
