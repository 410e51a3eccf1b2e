"""The folder of recordings: whose it is, what is kept of each, and what is passed over."""

import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.adapters.recording.recordings_folder import (
    ABOUT,
    heaviest,
    keep,
    kept,
    mask_command_lines,
    new_folder,
    own_labels,
)
from server.recording.recording_labels import KeptRecording

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_folder_is_named_for_time_and_program_and_is_the_owner_s_alone(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "data", "my app/../x.py", AT)
    assert folder.name.startswith("20260102-030405-my-app-..-x.py-")
    assert folder.parent == tmp_path / "data" / "recordings"
    for one in (folder, folder.parent, tmp_path / "data"):
        assert stat.S_IMODE(one.stat().st_mode) == 0o700
    assert new_folder(tmp_path / "data", "my app/../x.py", AT) != folder
    assert new_folder(tmp_path / "data", "///", AT).name.startswith("20260102-030405-program-")


def test_of_several_files_the_largest_is_the_recording(tmp_path: Path) -> None:
    assert heaviest(tmp_path, "*.prof") is None
    for name, content in (("a.prof", b""), ("b.prof", b"long"), ("c.prof", b"x"), ("d.other", b"much longer")):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.prof").mkdir()
    (tmp_path / "folder.prof" / "in").write_bytes(b"x" * 99)
    assert heaviest(tmp_path, "*.prof") == tmp_path / "b.prof"
    assert heaviest(tmp_path, "a.prof") is None, "one without content is none"


def test_secrets_of_command_lines_are_masked_and_other_files_are_left_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "recording.txt"
    file.write_bytes(b"# cmdline : app --token hunter2 run\nmain;work 3\n")
    lines = re.compile(rb"^# cmdline : (.*)$", re.MULTILINE)
    mask_command_lines(file, lines)
    assert b"hunter2" not in file.read_bytes()
    assert file.read_bytes().startswith(b"# cmdline : app --token ")
    assert file.read_bytes().endswith(b" run\nmain;work 3\n")
    masked = file.read_bytes()
    file.chmod(0o400)
    mask_command_lines(file, lines)
    assert file.read_bytes() == masked


def about(file: str) -> KeptRecording:
    return KeptRecording(
        file=file,
        at=AT.isoformat(),
        recorder="py-spy",
        what="cpu",
        command=("app", "run"),
        exit_code=0,
        seconds=1.5,
        labels={"program": "app"},
    )


def test_what_is_kept_comes_back_oldest_first_and_damaged_ones_are_passed_over(tmp_path: Path) -> None:
    folders = [new_folder(tmp_path, "app", AT.replace(day=day)) for day in (3, 1, 2)]
    for folder in folders:
        (folder / "recording.prof").write_bytes(b"x")
        keep(folder, about("recording.prof"))
        assert {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()} == {0o600}
    assert [file.parent for file, _ in kept(tmp_path)] == [folders[1], folders[2], folders[0]]
    assert [one for _, one in kept(tmp_path)] == [about("recording.prof")] * 3
    (folders[0] / ABOUT).write_text("{")
    (folders[1] / "recording.prof").unlink()
    keep(folders[2], about("../elsewhere"))
    assert list(kept(tmp_path)) == []
    assert list(kept(tmp_path / "nowhere")) == []


def test_a_recording_has_program_time_and_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    labels = own_labels("app", AT)
    assert (labels["program"], labels["time"]) == ("app", "2026-01-02T03:04:05+00:00")
    assert labels["host"]
    assert "commit" not in labels, "the working directory is not Git's"
