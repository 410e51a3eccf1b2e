"""A file that cannot be read is refused with its name and a reason, at each way in, and nothing of it stays."""

import re
import sys
from pathlib import Path

import httpx
import pytest

from server.app import main
from tests.e2e.bad_files import BAD_FILES, bad_file
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

REFUSALS = {
    "empty.json": (422, "empty"),
    "notes.txt": (415, "text, but not of a profiler"),
    "truncated.json.gz": (422, "truncated|damaged|broken"),
    "orders.json": (415, "JSON, but not of a trace"),
    "bomb.json.gz": (413, "times|expand|decompress"),
    "large.json": (413, "larger than"),
}
"""Status and a word of the reason."""


def files_below(folder: Path) -> set[Path]:
    """What a server keeps of uploads; its database moves on its own."""
    return {path for path in folder.rglob("*") if path.is_file() and "postgres" not in path.parts}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("way", ["raw body", pytest.param("multipart", marks=pytest.mark.long)])
def test_an_upload_is_refused_with_a_problem_document(analyst_server: RunningServer, name: str, way: str) -> None:
    address = f"{analyst_server.address}/api/v1/traces"
    before, kept = httpx.get(address, timeout=60).json(), files_below(analyst_server.data)
    if way == "multipart":
        answer = httpx.post(address, files={"file": (name, bad_file(name))}, timeout=60)
    else:
        answer = httpx.post(address, params={"name": name}, content=bad_file(name), timeout=60)
    assert answer.headers["content-type"] == "application/problem+json"
    status, reason = REFUSALS[name]
    assert answer.status_code == status
    problem = answer.json()
    assert problem["status"] == status
    assert name in problem["detail"]
    assert re.search(reason, problem["detail"])
    assert httpx.get(address, timeout=60).json() == before
    assert files_below(analyst_server.data) == kept


@pytest.mark.parametrize("name", [name for name in BAD_FILES if name != "large.json"])
@pytest.mark.parametrize("command", [pytest.param("analyze", marks=pytest.mark.long), "summary"])
def test_a_command_ends_with_one_line_and_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    (tmp_path / name).write_bytes(bad_file(name))
    monkeypatch.setattr(sys, "argv", ["flamechat", command, str(tmp_path / name)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 1
    assert printed.out == ""
    assert name in printed.err
    assert re.search(REFUSALS[name][1], printed.err)
    assert len(printed.err.strip().splitlines()) == 1
