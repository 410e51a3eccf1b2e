"""The bar of a command shows the bytes that were read, and no guess."""

import gzip
import sys
import threading
from pathlib import Path

import pytest

from server.edges.cli import reading
from server.edges.cli.reading import how_far, read_or_fail
from traces.progress import Progress

STACKS = b"main;work 3\nmain 2\n" * 1000


def test_the_bar_has_an_end_while_a_file_is_read_and_none_before_and_after() -> None:
    assert how_far(0, 8_000) == (None, "")
    assert how_far(2_000, 8_000) == (0.25, "2.00 kB of 8.00 kB")
    assert how_far(8_000, 8_000) == (None, "8.00 kB read")


@pytest.mark.parametrize("content", [STACKS, gzip.compress(STACKS)])
def test_a_terminal_sees_the_bar_up_to_the_last_byte_and_the_trace_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    file = tmp_path / "stacks.txt"
    file.write_bytes(content)
    shown: list[tuple[int, int]] = []
    looked = threading.Event()

    def seen(done: int, size: int) -> tuple[float | None, str]:
        shown.append((done, size))
        looked.set()
        return how_far(done, size)

    class Waiting(Progress):
        """Is read to the end only when somebody has looked, and after that once more."""

        def finish(self) -> None:
            for _ in range(2):
                looked.clear()
                assert looked.wait(60)
                super().finish()

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(reading, "how_far", seen)
    monkeypatch.setattr("traces.progress.Progress", Waiting)
    assert len(read_or_fail(file).frames) == 2
    assert shown == sorted(shown)
    assert shown[-1] == (len(content), len(content))
    assert 0 < next(done for done, _ in shown if done) < len(content)
