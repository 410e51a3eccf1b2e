"""Command lines within recordings: their secrets are masked before a recording is kept, the rest stays to the byte."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from server.adapters.recording.recordings_folder import mask_command_lines
from server.recording.recorders.native_programs import CALLGRIND_COMMAND
from server.recording.recorders.python_programs import MEMRAY_COMMAND, PY_SPY_PROCESS

SECRET = "hunter2-of-a-test"


def frame_of(command: str) -> bytes:
    """As py-spy writes the process at the root of its stacks."""
    frames = [{"name": f'process 7:"{command}"'}, {"name": "main", "file": "a.py"}]
    return json.dumps({"shared": {"frames": frames}}, separators=(",", ":")).encode()


def metadata_of(command: str) -> bytes:
    return json.dumps({"metadata": {"pid": 7, "command_line": command}, "total": 3}).encode()


def header_of(command: str) -> bytes:
    return f"# callgrind format\npid: 7\ncmd:  {command}\npart: 1\n\nfn=main\n1 {SECRET}\n".encode()


FORMATS = [(frame_of, PY_SPY_PROCESS), (metadata_of, MEMRAY_COMMAND)]


@pytest.mark.parametrize(
    "command",
    [
        f"python a.py --password={SECRET} --rows 3",
        f"python a.py --api-key {SECRET}",
        f'python a.py --password="two {SECRET}"',
        f'python a.py "a name" postgres://me:{SECRET}@db/x',
    ],
)
@pytest.mark.parametrize(("written", "pattern"), FORMATS)
def test_secrets_of_a_command_are_masked_and_the_file_is_still_read(
    tmp_path: Path, written: Callable[[str], bytes], pattern: re.Pattern[bytes], command: str
) -> None:
    file = tmp_path / "recording.json"
    file.write_bytes(written(command))
    mask_command_lines(file, pattern)
    assert SECRET.encode() not in file.read_bytes()
    assert b"python a.py" in file.read_bytes()
    assert json.loads(file.read_bytes()).keys() == json.loads(written(command)).keys()


def test_only_the_header_of_a_call_graph_names_the_command(tmp_path: Path) -> None:
    file = tmp_path / "callgrind.out.7"
    file.write_bytes(header_of(f"./slow --token {SECRET}"))
    mask_command_lines(file, CALLGRIND_COMMAND)
    assert file.read_bytes() == header_of("./slow --token •••")


@pytest.mark.parametrize(("written", "pattern"), [*FORMATS, (header_of, CALLGRIND_COMMAND)])
def test_a_command_without_secrets_stays_to_the_byte(
    tmp_path: Path, written: Callable[[str], bytes], pattern: re.Pattern[bytes]
) -> None:
    file = tmp_path / "recording"
    content = written("/usr/bin/python3 -m app --rows 3 'a  b' Größe")
    file.write_bytes(content)
    mask_command_lines(file, pattern)
    assert file.read_bytes() == content
