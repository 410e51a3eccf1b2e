"""`flamechat record` with what comes with Python alone: exit codes, output, what is kept, what is refused."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.composing.command_parts import build_entry_points
from server.edges.cli.command_values import ListedRecorder
from server.edges.cli.main import build_cli
from server.edges.cli.record import print_recorders
from tests.server.edges.cli.recorded_programs import PYTHON, kept_files, record


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(PYTHON)
    return tmp_path


def refused(*words: str) -> tuple[int, str]:
    cli = build_cli(build_entry_points(lambda _: 1))
    result = CliRunner().invoke(cli, ["record", *words])
    return result.exit_code, result.stderr


def test_a_program_keeps_its_output_and_exit_code_and_leaves_a_recording_of_the_owner_alone(program: Path) -> None:
    options = ("--no-answer", "--recorder", "cProfile", "--label", "branch=main")
    ended = record(program, *options, "--", sys.executable, "slow.py", "0.05", "--token", "hunter2")
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "recording with cProfile" in ended.stderr
    about, recording = kept_files(program)
    assert (about.name, recording.name) == ("recording.json", "recording.prof")
    assert str(recording) in ended.stderr
    for path in (about, recording):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    known = json.loads(about.read_text())
    assert known["labels"]["program"] == "slow.py"
    assert known["labels"]["branch"] == "main"
    assert known["exit_code"] == 3
    assert "hunter2" not in about.read_text()


def test_an_error_of_the_program_is_printed_as_without_a_profiler(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("def fail():\n    raise ValueError('planted')\nfail()\n")
    alone = subprocess.run([sys.executable, "wrong.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    ended = record(tmp_path, "--no-answer", "--recorder", "cProfile", "--", sys.executable, "wrong.py")
    assert ended.returncode == alone.returncode == 1
    _, *printed, _ = ended.stderr.splitlines()
    assert printed == alone.stderr.splitlines()


def test_a_program_that_is_missing_or_none_is_refused_as_by_a_shell(tmp_path: Path) -> None:
    assert refused("--", "no-such-program") == (127, "flamechat: no-such-program: no such command\n")
    text = tmp_path / "text"
    text.write_text("no program")
    assert refused("--", str(text)) == (126, f"flamechat: {text} cannot be run: it is no program\n")
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o700)
    assert refused("--", str(script)) == (
        127,
        f"flamechat: {script} needs /no/such/interpreter: no such command\n",
    )


def test_nothing_runs_without_a_command_or_with_a_label_that_is_none(tmp_path: Path) -> None:
    assert refused()[0] == 2
    code, line = refused("--data", str(tmp_path), "--label", "main", "--", sys.executable, "-c", "print()")
    assert (code, line) == (2, "flamechat: main is no label: write it as name=value\n")
    assert not list(tmp_path.iterdir())


def test_only_one_of_a_command_a_page_and_a_process_is_recorded() -> None:
    assert refused("--pid", "1", "--", "true")[0] == 2
    assert refused("--url", "https://example.org", "--pid", "1")[0] == 2


def test_a_process_that_is_not_there_and_a_page_that_is_none_are_refused() -> None:
    code, line = refused("--pid", "2147483647")
    assert (code, line) == (2, "flamechat: there is no process 2147483647, or no /proc to find it in\n")
    code, line = refused("--url", "javascript:alert(1)")
    assert (code, line) == (2, "flamechat: javascript:alert(1) is no page: write it as https://…\n")


def test_a_data_folder_that_cannot_be_made_ends_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    words = ("--recorder", "cProfile", "--", sys.executable, "-c", "print()")
    code, line = refused("--data", str(tmp_path / "file" / "data"), *words)
    assert code == 2
    assert line.startswith(f"flamechat: cannot write to the data folder {tmp_path / 'file' / 'data'}: ")
    assert line.count("\n") == 1


def test_the_list_says_what_is_here_and_what_would_be(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ListedRecorder(name="first", of="Python", records=("cpu", "wall"), merit="fast", problem=None)
    absent = ListedRecorder(
        name="other", of="Python", records=("cpu",), merit="slow", problem="is not here; found after: get other"
    )
    print_recorders((shown, absent))
    assert capsys.readouterr().out.splitlines() == [
        "Python",
        "  first  cpu, wall: fast",
        "         here",
        "  other  cpu: slow",
        "         is not here; found after: get other",
    ]


def test_a_program_waits_neither_for_an_http_client_nor_for_what_drives_a_browser() -> None:
    """They took half of what the command adds to a recorder's start."""
    code = "import sys, server.composing.recordings; print({'httpx', 'asyncio'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert shown.stdout == "set()\n"
