"""What `flamechat record` takes on its command line, before anything is recorded."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.edges.cli import record as recording
from server.edges.cli.command_values import RecordOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from tests.server.edges.cli.test_questions import no_model, no_server

Given = list[tuple[RecordOptions, dict[str, Any]]]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    """What would be recorded."""
    found: Given = []
    monkeypatch.setattr(recording, "record", lambda _, options, **more: found.append((options, more)))
    return found


def run(*words: str) -> Result:
    return CliRunner().invoke(build_cli(CliEntryPoints(serve=no_server, analysis=no_model)), ["record", *words])


def test_a_command_is_recorded_as_it_stands_with_its_own_options(given: Given) -> None:
    assert run("--", "python", "app.py", "--seconds", "3").exit_code == 0
    ((options, more),) = given
    assert options.argv == ("python", "app.py", "--seconds", "3")
    assert (options.what, options.seconds, options.url, options.pid, options.data) == ("cpu", None, None, None, None)
    assert more == {"question": None, "answered": True, "runs": 1}


def test_every_option_is_passed_on(given: Given, tmp_path: Path) -> None:
    page = ("--url", "https://a.example", "--reload", "--throttle-cpu", "4", "--throttle-network", "slow-3g")
    more = ("--seconds", "2.5", "--label", "a=1", "--label", "b=2", "--repeat", "3", "--compare", "LAST")
    asked = ("--question", "why?", "--no-answer", "--recorder", "chrome", "--what", "wall", "--data", str(tmp_path))
    assert run(*page, *more, *asked).exit_code == 0
    ((options, rest),) = given
    assert (options.url, options.reload, options.slower_cpu, options.network) == (
        "https://a.example",
        True,
        4.0,
        "slow-3g",
    )
    assert (options.seconds, options.labels, options.compare) == (2.5, ("a=1", "b=2"), "LAST")
    assert (options.recorder, options.what, options.data) == ("chrome", "wall", tmp_path)
    assert rest == {"question": "why?", "answered": False, "runs": 3}


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ((), "a command is needed"),
        (("--url", "https://a.example", "--", "ls"), "a command is needed"),
        (("--url", "https://a.example", "--pid", "1"), "a command is needed"),
        (("--pid", "0"), "'--pid'"),
        (("--seconds", "0", "--", "ls"), "'--seconds'"),
        (("--repeat", "0", "--", "ls"), "'--repeat'"),
        (("--repeat", "101", "--", "ls"), "'--repeat'"),
        (("--throttle-cpu", "0.5", "--url", "https://a.example"), "'--throttle-cpu'"),
        (("--throttle-network", "4g", "--url", "https://a.example"), "'--throttle-network'"),
        (("--what", "disk", "--", "ls"), "'--what'"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_option(given: Given, words: tuple[str, ...], refused: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert refused in result.stderr
    assert given == []


@pytest.mark.parametrize(
    "words", [("--pid", "1"), ("--repeat", "100", "--", "ls"), ("--throttle-cpu", "1", "--url", "https://a.example")]
)
def test_the_ends_of_what_may_be_asked_may_be(given: Given, words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 0
    assert len(given) == 1


def test_recorders_are_listed_and_nothing_is_recorded(given: Given) -> None:
    assert run("--list").exit_code == 0
    assert given == []
