"""The bar on one line of a terminal."""

import sys

import pytest

from server.edges.cli import progress_bar
from server.edges.cli.progress_bar import BLOCK, WIDTH, ProgressBar, columns_of, drawn, fitted
from server.edges.cli.reading import progress


@pytest.mark.parametrize(("part", "filled"), [(0.0, 0), (0.25, 6), (0.999, 23), (1.0, 24)])
def test_the_bar_is_filled_to_the_part_that_is_done(part: float, filled: int) -> None:
    assert drawn(part, 0) == "[" + "#" * filled + " " * (24 - filled) + "]"


def test_where_the_rest_is_unknown_a_block_goes_there_and_back() -> None:
    places = [drawn(None, step / 10).index("#") - 1 for step in range(38)]
    room = WIDTH - BLOCK
    assert places == [*range(room), *range(room, 0, -1), 0, 1]
    assert all(len(drawn(None, step / 10)) == WIDTH + 2 for step in range(38))


@pytest.mark.parametrize("text", ["", "short", "x" * 200, "読み込み" * 30, "a" + "読" * 99, "e\u0301" * 50])
def test_a_line_takes_the_columns_of_the_terminal_exactly(text: str) -> None:
    line = fitted(text, 79)
    assert sum(map(columns_of, line)) == 79
    assert text.startswith(line.rstrip()) or line.startswith(text)


def test_a_terminal_sees_what_is_done_and_an_empty_line_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_bar, "_columns", lambda: 100)
    bar = ProgressBar("Reading a\x1b[2Jb")
    bar.show(0.5, "1 MB of 2 MB")
    bar.draw()
    bar.erase()
    first, last = capsys.readouterr().err.removeprefix("\r").removesuffix("\r").split("\r\r")
    assert first.rstrip() == f"Reading a\\u001b[2Jb [{'#' * 12}{' ' * 12}] 1 MB of 2 MB 0:00"
    assert (len(first), last) == (100, " " * 100)


def test_the_line_is_empty_also_after_a_failure_and_nothing_is_drawn_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        with pytest.raises(OSError, match="gone"), progress("Reading"):
            raise OSError("gone")
        written = capsys.readouterr().err
        assert written.endswith("\r" + " " * 79 + "\r") if is_terminal else written == ""
