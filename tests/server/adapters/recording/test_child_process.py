"""The child that is recorded: how it ends is what is returned, and it ends when its time is over."""

import sys
from pathlib import Path

import pytest

from server.adapters.recording.child_process import run_attached, run_child


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -9 $$", 137)]
)
def test_the_exit_code_is_a_shells(tmp_path: Path, script: str, code: int) -> None:
    assert run_child(["sh", "-c", script], environment={}, folder=tmp_path).exit_code == code


def test_a_child_whose_seconds_are_over_is_interrupted(tmp_path: Path) -> None:
    ended = run_child(["sleep", "600"], environment={}, folder=tmp_path, seconds=0.1)
    assert (ended.exit_code, ended.was_stopped) == (130, True)


def test_a_variable_is_added_to_what_it_had_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAD", "--old")
    script = 'test "$HAD" = "--old --new" && test "$NEW" = "--new"'
    added = {"HAD": "{before} --new", "NEW": "{before} --new"}
    assert run_child(["sh", "-c", script], environment=added, folder=tmp_path).exit_code == 0


def test_what_is_attached_knows_the_childs_process_and_writes_into_the_log(tmp_path: Path) -> None:
    watching = ("sh", "-c", "echo of {pid}")
    script = f"import os, pathlib; pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))"
    run_child([sys.executable, "-c", script], environment={}, folder=tmp_path, attach=watching)
    assert (tmp_path / "recorder.log").read_text() == f"of {(tmp_path / 'pid').read_text()}\n"


def test_a_recorder_that_ends_by_itself_ends_the_recording_of_a_process(tmp_path: Path) -> None:
    ended = run_attached(["sh", "-c", "echo {pid}"], 77, folder=tmp_path, seconds=600)
    assert (ended.exit_code, ended.was_stopped) == (0, False)
    assert (tmp_path / "recorder.log").read_text() == "77\n"
