"""json_rows.c against its reference."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels.json_rows import COLUMNS, Cell, scan_rows, scan_rows_reference
from traces.kernels.library import kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
KINDS = [Cell.INTEGER, Cell.NUMBER, Cell.SKIPPED, Cell.ANYTHING, Cell.NUMBER, Cell.INTEGER, Cell.SKIPPED, Cell.SKIPPED]


def assert_same(text: bytes, kinds: list[Cell]) -> bool:
    """Whether the kernel reads it, which is then what the reference reads."""
    mine, theirs = scan_rows(text, kinds), scan_rows_reference(text, kinds)
    if mine is None:
        return False
    assert theirs is not None, text
    assert mine.keys() == theirs.keys()
    for at, column in mine.items():
        assert column.dtype == theirs[at].dtype
        np.testing.assert_array_equal(column, theirs[at])
    return True


integers = st.none() | st.integers(0, 10**9 - 1)
number = (
    st.none() | st.integers(-(10**15) + 1, 10**15 - 1) | st.floats(-1e15, 1e15).filter(lambda x: "e" not in repr(x))
)
ascii_texts = st.text(st.characters(codec="ascii"), max_size=40)
anything = st.recursive(st.none() | st.booleans() | st.text(max_size=9) | st.floats(0, 9), st.lists)
CELLS = {Cell.INTEGER: integers, Cell.NUMBER: number, Cell.SKIPPED: ascii_texts | integers, Cell.ANYTHING: anything}
usual_rows = st.lists(
    st.integers(0, 10).flatmap(lambda n: st.tuples(*(CELLS[k] for k in [*KINDS, *KINDS][:n]))), max_size=9
)
separators = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n ", ":")])


@given(usual_rows, separators)
def test_rows_of_the_kinds_that_are_asked_for_are_read(
    rows: list[tuple[Any, ...]], separators: tuple[str, str]
) -> None:
    text = json.dumps(rows, separators=separators, ensure_ascii=False).encode()
    assert assert_same(text, KINDS) or any(digits(cell) > 19 for row in rows for cell in row)


def digits(cell: Any) -> int:
    return sum(map(str.isdigit, repr(cell))) if isinstance(cell, float) else 0


@given(usual_rows, st.lists(st.sampled_from(Cell), max_size=COLUMNS), st.data())
def test_rows_of_other_kinds_or_damaged_are_left_alone(
    rows: list[tuple[Any, ...]], kinds: list[Cell], data: st.DataObject
) -> None:
    kinds = [*kinds, *[Cell.SKIPPED] * (COLUMNS - len(kinds))]
    text = json.dumps(rows, ensure_ascii=False).encode()
    at = data.draw(st.integers(0, len(text) - 1))
    byte = bytes([data.draw(st.sampled_from(b'[]{},:"0 9-.en\\x\x80'))])
    for part in (text, text[:at], text[:at] + byte + text[at + 1 :], text[:at] + byte + text[at:]):
        assert_same(part, kinds)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("[]", True),
        (" [ ] ", True),
        ("[[]]", True),
        ("[[null,null]]", True),
        ("[[1],[]]", True),
        ("[[1,1e3]]", False),
        ("[[1.0]]", False),
        ("[[-1]]", False),
        ("[[1000000000]]", False),
        ("[[true]]", False),
        ("[[1,1234567890123456]]", False),
        ("[[1,1234567890.123456789]]", True),
        ('[["1"]]', False),
        ('[[1,2,"\u00e9"]]', False),
        ('[[1,2,3,"\u00e9"]]', True),
        ('[[1,2,3,4,5,6,7,8,"\u00e9"]]', True),
        ("[[1],]", False),
        ("[[1,]]", False),
        ("[1]", False),
        ("[[1]", False),
        ("[[1]]]", False),
        ("{}", False),
        ("", False),
    ],
)
def test_what_is_read(text: str, is_read: bool) -> None:
    assert assert_same(text.encode(), KINDS) == is_read


def test_none_is_no_number() -> None:
    columns = scan_rows(b"[[0,0],[null,null],[],[7,-2.5]]", KINDS) or {}
    assert columns[0].tolist() == [0, -1, -1, 7]
    np.testing.assert_array_equal(columns[1], [0, np.nan, np.nan, -2.5])


def test_many_rows_agree() -> None:
    rows = [[at, at / 8, "x", None, -at, None if at % 3 else at] for at in range(5_000)]
    assert assert_same(json.dumps(rows).encode(), KINDS)
