"""Frames that are only names stay columns until another kind comes, and are the same frames before and after."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.builder import TraceBuilder
from traces.frame_table import FrameTable
from traces.kernels.library import NotReadable
from traces.kernels.texts import Texts, joined, picked
from traces.string_arena import StringArena

names = st.lists(st.binary(max_size=4), max_size=12, unique=True).map(tuple)


def shown(table: FrameTable, used: list[int]) -> list[str]:
    strings = StringArena()
    frames = table.columns(np.array(used, np.int64), strings)
    return [strings.columns()[int(name)] for name in frames.name]


@given(names, st.booleans(), st.data())
def test_names_in_one_go_are_those_one_at_a_time(pieces: tuple[bytes, ...], another: bool, data: st.DataObject) -> None:
    """Also where two names read the same once they are text, or one is half a character."""
    decoded = [piece.decode("utf-8", "replace") for piece in pieces]
    at_once, one_by_one = FrameTable(), FrameTable()
    numbers = at_once.indices(joined(pieces)).tolist()
    assert numbers == [one_by_one.index(name, None, None, None, None) for name in decoded]
    if another:
        for table in (at_once, one_by_one):
            table.index("main", "app.py", 1, None, "js")
            assert table.index(decoded[0], None, None, None, None) == 0 if decoded else True
    assert len(at_once) == len(one_by_one)
    used = data.draw(st.permutations(range(len(at_once))))
    assert shown(at_once, used) == shown(one_by_one, used)
    assert [at_once.name(frame) for frame in used] == shown(one_by_one, used)


@given(names, names)
def test_a_second_set_of_names_finds_those_of_the_first(first: tuple[bytes, ...], second: tuple[bytes, ...]) -> None:
    table = FrameTable()
    numbers = [*table.indices(joined(first)).tolist(), *table.indices(joined(second)).tolist()]
    decoded = [piece.decode("utf-8", "replace") for piece in (*first, *second)]
    assert shown(table, numbers) == decoded


def test_texts_of_side_tables_share_the_names_of_frames() -> None:
    strings = StringArena()
    assert strings.distinct(joined((b"a", b"b", b"c")), np.array([2, 0])).tolist() == [0, 1]
    assert [strings.index(text) for text in ("a", "new", None, "c")] == [1, 2, -1, 0]
    assert [strings.columns()[i] for i in range(3)] == ["c", "a", "new"]


def test_places_outside_of_a_source_are_refused() -> None:
    source = np.frombuffer(b"abcdef", np.uint8)
    texts = picked(source, np.array([4, 0]), np.array([2, 1], np.int32))
    assert texts.pieces() == (b"ef", b"a")
    for offset, length in ((5, 2), (-1, 1), (0, -1)):
        with pytest.raises((NotReadable, ValueError)):
            picked(source, np.array([offset]), np.array([length], np.int32))


def test_half_a_character_at_a_border_is_no_utf8() -> None:
    assert joined(("é".encode(), b"", b"x")).is_utf8
    assert not joined((b"\xc3", b"\xa9")).is_utf8
    assert not joined((b"\xff",)).is_utf8
    assert Texts(np.zeros(0, np.uint8), np.zeros(1, np.int64)).is_utf8


def test_the_builder_takes_them() -> None:
    builder = TraceBuilder("a", "example")
    assert builder.frames(joined((b"main", b"work"))).tolist() == [0, 1]
    assert builder.frame("work") == 1
    assert builder.frame("work", "app.py") == 2
