"""numbers.c, stacks.c, lines.c and protobuf.c against their references."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels import lines, numbers, perf_script, protobuf
from traces.kernels.library import NotReadable, kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
MAX_DEPTH = 6


def same(mine: Any, reference: Any, *arguments: Any, **options: Any) -> Any:
    """What both give; their refusal, if both refuse."""
    results = []
    for function in (mine, reference):
        try:
            results.append(function(*arguments, **options))
        except NotReadable as error:
            results.append(error)
    assert type(results[0]) is type(results[1]), (arguments, results)
    if isinstance(results[0], NotReadable):
        assert str(results[0]) == str(results[1]), arguments
    return results


def same_columns(mine: Any, reference: Any, *arguments: Any, **options: Any) -> None:
    first, second = same(mine, reference, *arguments, **options)
    if not isinstance(first, NotReadable):
        for left, right in zip(first, second, strict=True):
            np.testing.assert_array_equal(left, right)


integers = st.integers(-(2**70), 2**70) | st.integers(0, 300)
fractions = st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-9999, 9999, places=10)
spaces = st.sampled_from(["", " ", "\n", "\t\r "])


@given(st.lists(integers | fractions.map(str).map(str.lower)), st.sampled_from([0, 3, 6, 9]), st.booleans(), spaces)
def test_arrays_of_numbers_agree(items: list[Any], scale: int, exact: bool, space: str) -> None:
    text = ("[" + space + f"{space},{space}".join(map(str, items)) + space + "]").encode()
    same_columns(numbers.scan_numbers, numbers.scan_numbers_reference, text, ([0], [len(text)]), scale, exact=exact)


@given(st.lists(st.lists(st.integers(0, 10**20) | st.none() | st.text(max_size=2), max_size=4), max_size=4), st.data())
def test_nested_arrays_agree_also_when_they_break_off(arrays: list[list[Any]], data: st.DataObject) -> None:
    text = json.dumps(arrays).encode()
    cut = data.draw(st.integers(0, len(text)))
    for part in (text, text[:cut]):
        same_columns(
            numbers.scan_numbers, numbers.scan_numbers_reference, part, ([0], [len(part)]), nested=True, exact=True
        )


@pytest.mark.parametrize(
    "number", ["1e400", "-1e400", "1e999999999", "1" * 400, "0.0005", "1.00049999999999999", "-2.5e-4"]
)
@pytest.mark.parametrize("nested", [True, False])
def test_numbers_that_a_float_cannot_distinguish_agree(number: str, nested: bool) -> None:
    text = (f"[[7],[3,{number}]]" if nested else f"[3,{number}]").encode()
    place = ([0], [len(text)])
    same_columns(numbers.scan_numbers, numbers.scan_numbers_reference, text, place, 3, nested=nested)
    items, _ = numbers.scan_numbers_reference(text, place, 3, nested=nested)
    assert items[-2] == 3_000


def narrow_reference(text: bytes) -> tuple[Any, Any]:
    wide, ends = numbers.scan_numbers_reference(text, ([0], [len(text)]), nested=True, exact=True)
    return np.clip(wide, -(2**31), 2**31 - 1), ends


stacks = st.lists(st.lists(st.integers(0, 300) | st.integers(-1, 10**12), max_size=40), max_size=12)


@given(stacks, st.sampled_from([(",", ":"), (", ", ":")]), st.data())
def test_stacks_agree_also_when_they_break_off_or_are_damaged(
    arrays: list[list[int]], separators: tuple[str, str], data: st.DataObject
) -> None:
    text = json.dumps(arrays, separators=separators).encode()
    at = data.draw(st.integers(0, len(text) - 1))
    byte = data.draw(st.sampled_from(b'[],0 9-.e"x\x80'))
    for part in (text, text[:at], text[:at] + bytes([byte]) + text[at + 1 :], text[:at] + bytes([byte]) + text[at:]):
        same_columns(numbers.scan_stacks, narrow_reference, part)


SPELLINGS = "[] [[]] [[],[]] [[],[1]] [[1]]] [[1],] [,[1]] [[1][2]] [[1,]] [[,1]] [1] [[01]] [[1234567]] [[12345678]]"
BROKEN = "[[1]]7 7[[1]] [[1] [[[1]]] [[1]2,[3]] [ [[1],[2]5]"
MANY = ["", f"[[{','.join(['7'] * 200)}]]", f"[{','.join(['[12,345]'] * 100)}]", f"[[1]]{' ' * 70}"]
SPACED = [
    "[[1], [2]]",
    "[ [ 1,  2],[3]]",
    "[[1 ,2]]",
    "[[1 2]]",
    "[[1, ]]",
    "[[ ]]",
    "[ ]",
    "[, [1]]",
    "[[1], ]",
    "[[1] ]",
]


@pytest.mark.parametrize("text", [*SPELLINGS.split(), *BROKEN.split(), *MANY, *SPACED])
def test_stacks_of_every_spelling_agree(text: str) -> None:
    same_columns(numbers.scan_stacks, narrow_reference, text.encode())


@pytest.mark.parametrize("text", [b"[[3,20],[],[4567]]", b"[[3, 20], [], [4567]]"])
def test_stacks_with_and_without_spaces_are_read_by_their_own_kernel(
    text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "scan_numbers", None)
    items, ends = numbers.scan_stacks(text)
    assert (items.tolist(), ends.tolist()) == ([3, 20, 4567], [2, 2, 3])


def test_several_arrays_are_one_column() -> None:
    document = b"[1,2]--[]--[ -3 ]"
    items, ends = numbers.scan_numbers(document, ([0, 7, 11], [5, 2, 6]))
    assert items.tolist() == [1, 2, -3]
    assert ends.tolist() == [2, 2, 3]


def test_the_place_of_what_is_no_number_is_said() -> None:
    with pytest.raises(NotReadable, match="something else") as caught:
        numbers.scan_numbers(b"[1, null]", ([0], [9]))
    assert caught.value.position == 4


stack_texts = st.lists(st.sampled_from(["a", "b", "", "main (x.py:3)", "é", "a b"]), max_size=8).map(";".join)
collapsed = st.lists(
    st.tuples(stack_texts, st.integers(0, 10**17)).map(lambda row: f"{row[0]} {row[1]}")
    | st.sampled_from(["", "# comment 5", "   ", "no weight", "12", " 12", "x 1.5", "x 007", "a;b 3\r", "a 1 \r\r"])
    | st.sampled_from(
        ["a\t2", "a;b \t 3.", "x .5", "x 1.2.3", "1.25", "a 0.0", "a 0.12345678901234567", "b\t# 1 ", "\t4"]
    )
)


@given(collapsed, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_collapsed_lines_agree(rows: list[str], newline: str, ended: bool) -> None:
    assert_same_lines((newline.join(rows) + newline * ended).encode())


@given(st.binary(max_size=200))
def test_any_bytes_as_collapsed_lines_agree(data: bytes) -> None:
    assert_same_lines(data)


def assert_same_lines(data: bytes) -> None:
    first, second = same(lines.scan_lines, lines.scan_lines_reference, data, MAX_DEPTH)
    if isinstance(first, lines.Lines):
        np.testing.assert_array_equal(first.weight, second.weight)
        assert (first.names.pieces(), first.skipped) == (second.names.pieces(), second.skipped)
        assert first.paths.truncated == second.paths.truncated
        for column in ("frame", "parent", "depth", "leaf"):
            np.testing.assert_array_equal(getattr(first.paths, column), getattr(second.paths, column))
    else:
        assert first.position == second.position


def test_a_collapsed_line_is_a_path_and_a_weight() -> None:
    found = lines.scan_lines(b"# head\nmain;work;sum 3\nmain;work 4\r\nmain;work;sum 1", 100)
    assert found.names.pieces() == (b"main", b"work", b"sum")
    assert found.paths.leaf.tolist() == [2, 1, 2]
    assert found.weight.tolist() == [3, 4, 1]


def test_a_path_to_a_name_that_was_new_is_found_again() -> None:
    text = b"a;b 1\nb;a 1\na;c 1\nb 1\na;c 2\nb;a;d 1\na 1\nb;a;d 1"
    assert_same_lines(text)
    assert lines.scan_lines(text, 100).paths.leaf.tolist() == [1, 3, 4, 2, 4, 5, 0, 5]


@pytest.mark.parametrize("names", [40, 700, 50_000])
def test_more_lines_and_names_than_are_looked_at_at_once_agree(names: int) -> None:
    """And more names than have a near slot each, in lines that repeat them, alone and many in one."""
    rows = [f"main;request-{number // 2};b 1\nmain;{'n' * (number % 3)}{number} 2" for number in range(names)]
    rows += [f"main;request-{number};b 1" for number in range(names)]
    rows += [";".join(map(str, range(first, first + 300))) + " 3" for first in (0, 100, names)] * 2
    assert_same_lines("\n".join(rows).encode())


def test_a_weight_may_have_decimals_and_stand_behind_tabs() -> None:
    found = lines.scan_lines(b"a;b\t1.5\na;c\t\t2.\na .5\nb 0.30000000000000004\n", 100)
    assert found.names.pieces() == (b"a", b"b", b"c")
    assert found.weight.tolist() == [1.5, 2.0, 0.3]
    assert found.skipped == 1


@pytest.mark.parametrize("between", ["", " 5\n", "# comment\n", "b 1\n"])
@pytest.mark.parametrize("longer", ["a;a;a;a;a;a;a;a", "a;a;a;a;a;a;a", "a;a;a;a;a;a;aa"])
def test_each_line_that_was_cut_counts_once_whatever_line_is_before_it(between: str, longer: str) -> None:
    text = f"a;a;a;a;a;a;a 1\n{between}{longer} 1\n{longer} 2\na;a;a;a;a;a 1".encode()
    assert_same_lines(text)
    assert lines.scan_lines(text, MAX_DEPTH).paths.truncated == 3


def encode(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


field_bytes = st.one_of(
    st.tuples(st.integers(1, 40), st.integers(0, 2**64 - 1)).map(lambda f: encode(f[0] << 3) + encode(f[1])),
    st.tuples(st.integers(1, 40), st.binary(max_size=12)).map(
        lambda f: encode(f[0] << 3 | 2) + encode(len(f[1])) + f[1]
    ),
    st.integers(1, 40).map(lambda number: encode(number << 3 | 1) + b"12345678"),
    st.integers(1, 40).map(lambda number: encode(number << 3 | 5) + b"1234"),
)


@given(st.lists(field_bytes).map(b"".join) | st.binary(max_size=60), st.data())
def test_messages_agree(data: bytes, draw: st.DataObject) -> None:
    middle = draw.draw(st.integers(0, len(data)))
    for firsts, lasts in (([0], [len(data)]), ([0, middle], [middle, len(data)])):
        first, second = same(protobuf.scan_fields, protobuf.scan_fields_reference, data, firsts, lasts)
        if isinstance(first, protobuf.Fields):
            for column in ("number", "wire", "first", "last", "ends"):
                np.testing.assert_array_equal(getattr(first, column), getattr(second, column))
            rows = np.flatnonzero(first.wire != protobuf.FIXED64)
            same_columns(protobuf.scan_varints, protobuf.scan_varints_reference, data, first, rows)


@given(st.lists(st.lists(st.integers(0, 2**64 - 1))))
def test_packed_numbers_agree(rows: list[list[int]]) -> None:
    data = b"".join(encode(1 << 3 | 2) + encode(len(p)) + p for p in (b"".join(map(encode, row)) for row in rows))
    fields = protobuf.scan_fields(data, [0], [len(data)])
    same_columns(protobuf.scan_varints, protobuf.scan_varints_reference, data, fields, np.arange(len(rows)))
    items, ends = protobuf.scan_varints(data, fields, np.arange(len(rows)))
    assert [n % 2**64 for n in items.tolist()] == [n for row in rows for n in row]
    assert ends.tolist() == np.cumsum([len(row) for row in rows]).astype(int).tolist()


@pytest.mark.parametrize(("firsts", "lasts"), [([-1], [2]), ([0], [9]), ([3], [2])])
def test_messages_outside_the_data_are_refused(firsts: list[int], lasts: list[int]) -> None:
    with pytest.raises(NotReadable):
        protobuf.scan_fields(b"\x08\x01\x08\x01", firsts, lasts)


frame_lines = st.sampled_from(
    [
        "\t    8e2a do_lookup_x+0xca (/usr/lib/ld.so)",
        "\tffffffff821d3342 mas_wr_bnode+0x2 ([kernel.kallsyms])",
        "  12 [unknown] (/tmp/perf-1.map)",
        " 12 a (b) c+0x1 (x (y)",
        " 12 (only)",
        " 12 f (/a b (deleted))",
        " 12 (deleted))",
        " 00000000000000000 long (x)",
        "12  two spaces+0x1 (x)",
        " 1f plain",
        " 1f sym+0x",
        " 1f +0x12",
        "\tzz no address",
        " 12",
        "# comment",
        "",
        " \t\r",
        "node  2803  3367.738998:    1003009 cpu-clock:ppp: ",
        "   swapper     0 [000]  1.5: cycles: ",
    ]
)


header_parts = st.one_of(
    st.sampled_from(["node", "my prog", "dd", "a 12", "x 1/2 [0]", "[k]", "(sd-pam)", "-1", "a\v", "\f", "é"]),
    st.sampled_from(["7", "7/8", "-1/-1", "007", "1234567890", "7/", "[0]", "[]", "[1", "d..1.", "dNh.", "abcdefghi"]),
    st.sampled_from(["1.5:", "12.000000001:", "1.:", "1.5", "1.1234567890:", "999999999.999999999:"]),
    st.sampled_from(["1", "123456789012345678", "1234567890123456789", "cycles:", "cpu-clock:ppp:", ":", "::", "a\v:"]),
    st.sampled_from(["1f f+0x1 (o)", "args=1 (2)", "12:", "a" * 990]),
)
blanks = st.sampled_from([" ", "  ", "\t", " \v ", "\f"])
header_lines = st.lists(st.tuples(header_parts, blanks), max_size=9).map(lambda words: "".join(sum(words, ())))
ids, cpus = st.sampled_from(["7", "7/8", "-1/0", "9 "]), st.sampled_from(["", "[001] ", "[1]\td..2 ", "....  "])
times, periods = st.sampled_from(["1.5: ", "12.000000001:\t"]), st.sampled_from(["", "0 ", "12345 "])
events = st.sampled_from(["cycles:", "cpu:u: ", "sched:switch: prev=a next=b (1)", "x:  1f f+0x1 (o)", "x: \v1f f (o)"])
commands = st.sampled_from(["node ", "  my 7/8 prog\t", "dd ", "\tdd ", "5 6 ", "(a) [1] ", "x" * 980 + " "])
samples = st.tuples(commands, ids, st.just(" "), cpus, times, periods, events).map("".join)


@given(st.lists(frame_lines | samples | header_lines | st.text(alphabet="af09+x() \t\r#", max_size=12)).map("\n".join))
def test_blocks_of_perf_script_agree(text: str) -> None:
    mine, reference = perf_script.scan_blocks(text.encode()), perf_script.scan_blocks_reference(text.encode())
    for name in mine.__slots__:
        np.testing.assert_array_equal(getattr(mine, name), getattr(reference, name), err_msg=name)


def test_a_block_is_a_sample_and_its_frames_without_offsets() -> None:
    text = b"8 stray (x)\nnode  28/ 3.5: 10 x:\nnode  28 3.5: 10 cpu-clock: \n\t8e2a look+0xca (/usr/ld.so)\n"
    text += b"\t12 [unknown] ([vdso])\n\nmy prog 1/2 [0] 4: x:\n"
    text += b"my prog 1/2 [0] 4.25: x:  7 f (g)\n\t8 look (/usr/ld.so)\n"
    blocks = perf_script.scan_blocks(text)
    assert blocks.time.tolist() == [3_500_000_000, 4_250_000_000]
    assert blocks.period.tolist() == [10, perf_script.MISSING]
    assert [blocks.threads[i] for i in blocks.thread] == [(b"node", b"28", b"cpu-clock"), (b"my prog", b"1/2", b"x")]
    look = (b"look", b"/usr/ld.so")
    assert [blocks.frames[i] for i in blocks.frame] == [look, (b"[unknown]", b"[vdso]"), (b"f", b"g"), look]
    assert (blocks.ends.tolist(), blocks.unread) == ([2, 4], 2)


def test_a_thread_is_one_however_wide_its_column_is() -> None:
    blocks = perf_script.scan_blocks(b"a  7 1.0: x:\na\t7 2.0: x:\na 7 3.0: y:\n a 7 4.0:  x:\n")
    assert (blocks.thread.tolist(), len(blocks.threads)) == ([0, 0, 1, 0], 2)
