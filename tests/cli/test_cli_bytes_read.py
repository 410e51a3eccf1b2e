"""The bar of a command shows the bytes that were read, and no guess."""

import mmap
import sys
from pathlib import Path

import pytest

from server.edges.cli.reading import how_far, mapped, read_or_fail
from server.turns import bytes_read as counting
from server.turns.bytes_read import bytes_read

LARGE = 8 << 20
AROUND = 1 << 20
"""The system reads pages next to a touched one along with it."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which pages a process has touched")
def test_the_bytes_read_are_those_touched(tmp_path: Path) -> None:
    file = tmp_path / "large trace.json"
    file.write_bytes(bytes(LARGE))
    assert bytes_read(file) is None
    content = mapped(file)
    for part in (LARGE // 4, LARGE // 2):
        for page in range(0, part, mmap.PAGESIZE):
            content[page]
        read = bytes_read(file)
        assert read is not None
        assert part <= read <= part + AROUND
        assert how_far(file)["completed"] == pytest.approx(part, abs=AROUND)
        assert how_far(file)["total"] == LARGE


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which pages a process has touched")
def test_after_the_last_byte_nobody_knows_how_much_is_left(tmp_path: Path) -> None:
    file = tmp_path / "small"
    file.write_bytes(b"main 2\n")
    content = mapped(file)
    assert content[0]
    assert how_far(file) == {"total": None, "read": "7 B read"}


def test_where_the_system_does_not_report_nothing_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "SMAPS", tmp_path / "no such file")
    file = tmp_path / "small"
    file.write_bytes(b"main 2\n")
    assert how_far(file) == {"total": None, "read": ""}


def test_a_terminal_sees_the_bar_and_the_trace_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "stacks.txt"
    file.write_bytes(b"main;work 3\nmain 2\n" * 1000)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(read_or_fail(file).frames) == 2
