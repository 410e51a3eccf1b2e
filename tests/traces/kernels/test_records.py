"""records.c against its reference: the same columns, texts and refusals for any document."""

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.kernels.records_alike import assert_alike, assert_same, outcome
from traces.kernels.library import NotReadable, kernels
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.records import scan_records, scan_slices
from traces.kernels.records_reference import scan_records_reference, scan_slices_reference
from traces.kernels.scaled import LARGEST, MISSING

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")

EVENT = (
    Field("name", "name", Kind.TEXT),
    Field("phase", "ph", Kind.TEXT),
    Field("time", "ts", Kind.SCALED, scale=3),
    Field("duration", "dur", Kind.SCALED, scale=3),
    Field("duration", "tdur", Kind.SCALED, scale=3, weak=True),
    Field("ident", "id", Kind.TEXT),
    Field("ident", "id2", Kind.TEXT, weak=True),
    Field("args", "args", Kind.SLICE),
    Field("event", "", Kind.RECORD),
)
NODE = (
    Field("id", "id", Kind.SCALED),
    Field("", "callFrame", Kind.OBJECT),
    Field("function", "functionName", Kind.TEXT, level=1),
    Field("line", "lineNumber", Kind.SCALED, level=1),
    Field("children", "children", Kind.INTEGERS),
)


def agree(document: bytes, fields: tuple[Field, ...] = EVENT, member: str = "traceEvents") -> Table | NotReadable:
    mine = outcome(scan_records, document, fields, member)
    reference = outcome(scan_records_reference, document, fields, member)
    assert_alike(mine, reference)
    return mine  # type: ignore[no-any-return]


def table(document: str | bytes, fields: tuple[Field, ...] = EVENT) -> Table:
    found = agree(document.encode() if isinstance(document, str) else document, fields)
    assert isinstance(found, Table), found
    return found


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
times = (
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-(10**12), 10**12, places=4).map(str)
)
events = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(max_size=20) | values,
        "ph": st.sampled_from("XBEM") | values,
        "ts": times | values,
        "dur": times | values,
        "tdur": times,
        "id": st.integers(0, 5) | st.text(max_size=3),
        "id2": st.dictionaries(st.text(), st.text()),
        "args": values,
        "other": values,
    },
)
documents = st.lists(events | values) | st.fixed_dictionaries({"traceEvents": st.lists(events)}, optional={"x": values})


@given(documents, st.booleans())
def test_any_document_gives_the_same_columns_both_ways(document: Any, ascii_only: bool) -> None:
    table(json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))


@given(documents, st.data())
def test_any_cut_or_flipped_document_is_read_or_refused_alike(document: Any, data: st.DataObject) -> None:
    text = bytearray(json.dumps(document).encode())
    cut = data.draw(st.integers(0, len(text)))
    agree(bytes(text[:cut]))
    if text:
        place = data.draw(st.integers(0, len(text) - 1))
        text[place] = data.draw(st.sampled_from(b'"\\{}[],:0-eE.+tfn \x00\x1f\xff9'))
        agree(bytes(text))


@given(st.text(alphabet='[]{},:"\\u0019ab-.eE+ntrf \n', max_size=30))
def test_any_text_of_json_characters_is_read_or_refused_alike(text: str) -> None:
    agree(text.encode())


@pytest.mark.parametrize(
    ("written", "nanoseconds"),
    [
        ("4438174583932.109", 4438174583932109),
        ("0.0005", 1),
        ("-0.0005", -1),
        ("0.0004999999999999999999999999999", 0),
        ("1e-05", 0),
        ("1.5E3", 1_500_000),
        ('"12.5"', 12_500),
        ("9223372036854775", 9223372036854775000),
        ("1e400", LARGEST),
        ("-1e99999999999999999999", -LARGEST),
        ("0e99999999999999999999", 0),
        ("null", MISSING),
        ('"12.5 "', MISSING),
        ("[1]", MISSING),
    ],
)
def test_times_are_exact_decimals_of_a_nanosecond(written: str, nanoseconds: int) -> None:
    assert table(f'[{{"ts": {written}}}]').numbers("time").tolist() == [nanoseconds]


def test_the_thread_clock_stands_in_for_a_missing_duration_only() -> None:
    found = table('[{"tdur": 2, "dur": 1}, {"dur": 1, "tdur": 2}, {"tdur": 2}, {"dur": null, "tdur": 2}, {}]')
    assert found.numbers("duration").tolist() == [1000, 1000, 2000, 2000, MISSING]


def test_names_are_unescaped_once_each() -> None:
    found = table(r'[{"name": "a\"b\u00e9\ud83d\ude00"}, {"name": "plain"}, {"name": "plain"}, {"name": 7}]')
    assert found.texts("name") == ('a"bé\U0001f600', "plain", "7")
    assert found.ids("name").tolist() == [0, 1, 1, 2]


def test_arguments_are_slices_of_the_document() -> None:
    document = '{"a": 1, "traceEvents": [ {"args": {"x": "}"} , "ph":"X"}], "b": [2]}'
    found = table(document)
    (offset,), (length,) = (column.tolist() for column in found.slices("args"))
    assert document[offset : offset + length] == '{"x": "}"}'
    (offset,), (length,) = (column.tolist() for column in found.slices("event"))
    assert document[offset : offset + length] == '{"args": {"x": "}"} , "ph":"X"}'
    assert {key: document[o : o + n] for key, (o, n) in found.members.items()} == {"a": "1", "b": "[2]"}


@pytest.mark.parametrize(
    "document",
    ['[{"ph":"X"}', '[{"ph":"X"},', '[{"ph":"X"} , ]', '{"traceEvents":[{"ph":"X"}', '{"traceEvents":[{"ph":"X"}],'],
)
def test_a_missing_end_is_no_fault(document: str) -> None:
    found = table(document)
    assert found.unterminated
    assert found.texts("phase") == ("X",)


def test_a_record_that_breaks_off_is_dropped() -> None:
    found = table('[{"name":"whole"},{"name":"half","args":{"a":"}]')
    assert found.unterminated
    assert found.count == 1
    assert found.texts("name") == ("whole",)


def test_a_document_may_break_off_inside_an_escape_but_not_go_on_behind_half_of_one() -> None:
    pieces = (rb"\ud83d", rb"\ude00", rb"\\", b"x", b'"', rb"\u00", b"\\", b"}]", b"u")
    for head in (b'[{"name":"a"},{"name":"', b'{"traceEvents":[{"name":"'):
        for chosen in itertools.product(pieces, repeat=2):
            for tail in (b"", b"\n", b'"}]'):
                agree(head + b"".join(chosen) + tail)


def test_a_document_may_break_off_inside_a_number_or_a_word() -> None:
    pieces = (b"-", b"1", b".", b"e", b"0", b"t", b"ru", b"null", b" ", b"{", b"}", b"[", b",", b'"', b":")
    for head in (b'[{"name":"a"},{"name":', b'{"traceEvents":[{"name":'):
        for chosen in itertools.product(pieces, repeat=2):
            agree(head + b"".join(chosen))


@pytest.mark.parametrize(
    ("document", "position"),
    [('[{"a":1}{', 8), ('{"a":tru}', 8), ('[{"a" 1}]', 6), ("\x00", 0), ('[{"a":01}]', 7), ('[{"a":"\n"}]', 7)],
)
def test_what_is_no_json_is_refused_with_its_place(document: str, position: int) -> None:
    error = outcome(scan_records, document.encode(), EVENT, "traceEvents")
    assert isinstance(error, NotReadable)
    assert error.position == position


def test_nesting_has_a_bound() -> None:
    for depth in (10, 900, 5_000, 200_000):
        found = agree(b'[{"args":' + b"[" * depth + b"]" * depth + b"}]")
        assert isinstance(found, Table) == (depth <= 900)


def test_a_key_may_be_spelled_with_escapes_and_stand_twice() -> None:
    found = table(r'[{"n\u0061me": "a"}, {"name": "b", "name": "c"}]')
    assert found.texts("name") == ("a", "c")


def test_objects_inside_records_are_entered() -> None:
    nodes = [
        {"id": 1, "callFrame": {"functionName": "f", "lineNumber": 3}, "children": [2, 3]},
        {
            "id": 2,
            "callFrame": {"functionName": "g", "extra": {"functionName": "not this"}},
            "functionName": "nor this",
        },
        {"id": 3, "callFrame": 5, "children": []},
    ]
    document = json.dumps({"x": nodes, "y": nodes[:1], "z": [], "w": 5}).encode()
    places = [(document.index(key), json.dumps(value)) for key, value in ((b"[{", nodes),)]
    offset = places[0][0]
    length = len(places[0][1])
    end = document.index(b"[]")
    slices = ([offset, end], [length, 2])
    mine, mine_ends = scan_slices(document, slices, NODE, arrays=True)
    reference, reference_ends = scan_slices_reference(document, *slices, NODE, arrays=True)
    assert_same(mine, reference)
    assert mine_ends.tolist() == reference_ends == [3, 3]
    assert mine.texts("function") == ("f", "g")
    assert mine.ids("function").tolist() == [0, 1, -1]
    assert mine.columns["children"].items.tolist() == [2, 3]
    assert mine.columns["children"].ids.tolist() == [2, 0, 0]


def test_slices_may_be_single_records() -> None:
    document = b'xx{"id": 4}yy[1]zz'
    mine, mine_ends = scan_slices(document, ([2, 13], [9, 3]), NODE, arrays=False)
    reference, ends = scan_slices_reference(document, [2, 13], [9, 3], NODE, arrays=False)
    assert_same(mine, reference)
    assert mine.numbers("id").tolist() == [4, MISSING]
    assert mine_ends.tolist() == ends == [1, 2]


@pytest.mark.parametrize("slices", [([-1], [3]), ([0], [99]), ([5], [-2])])
def test_slices_outside_the_document_are_refused(slices: tuple[list[int], list[int]]) -> None:
    with pytest.raises(NotReadable):
        scan_slices(b"[1,2,3]", slices, NODE, arrays=True)


pieces = st.sampled_from(
    [
        *(
            '"ph":"X"',
            '"ph": "X"',
            '"ph":"B"',
            '"ph":5',
            '"ph":55',
            '"name":"a"',
            '"name":"ab"',
            '"name":"a\\n"',
            '"id":7',
        ),
        *('"id":"7"', '"id":77', '"id":7 ', '"id2":8', '"ts":1', '"ts":2.5', '"args":{}', '"other":1', '"line":3'),
        *('"callFrame":{"functionName":"f","lineNumber":1}', '"callFrame":{"functionName":"g"}', '"callFrame":{}'),
    ]
)
fields_of_both = (*EVENT[:-1], *NODE[1:4])


@given(
    st.lists(st.lists(pieces, max_size=4).map(",".join), min_size=1, max_size=3),
    st.lists(st.integers(0, 2), max_size=12),
    st.data(),
)
def test_records_that_repeat_one_another_are_read_alike(
    shapes: list[str], order: list[int], data: st.DataObject
) -> None:
    text = bytearray(b"[" + b",".join(b"{%s}" % shapes[i % len(shapes)].encode() for i in order) + b"]")
    agree(bytes(text), fields_of_both)
    place = data.draw(st.integers(0, len(text) - 1))
    text[place : place + data.draw(st.integers(0, 2))] = data.draw(
        st.sampled_from([b"", b",", b" ", b"}", b"{", b'"', b"1"])
    )
    agree(bytes(text), fields_of_both)
    agree(bytes(text[: data.draw(st.integers(0, len(text)))]), fields_of_both)


ENDINGS = ["", "x", "\\n", '\\"', "y" * 9, "z" * 40]


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from(ENDINGS), st.booleans(), st.integers(1, 90)),
        min_size=1,
        max_size=9,
    )
)
def test_texts_that_begin_alike_or_come_again_and_again_are_distinguished(
    said: list[tuple[int, str, bool, int]],
) -> None:
    """Known texts are found by their first 32 bytes, and become part of what is expected after 64 records."""
    records = [
        b'{"name":"%s%s","ph":%s}' % (b"p" * shared, ending.encode(), b'"X"' if quoted else b"7")
        for shared, ending, quoted, times in said
        for _ in range(times)
    ]
    agree(b"[" + b",".join(records + records) + b"]", EVENT)


@given(st.lists(st.from_regex(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,12})?(e[0-3])?", fullmatch=True), max_size=9))
def test_numbers_of_any_length_are_the_same_decimals(written: list[str]) -> None:
    records = [f'{{"ts":{number},"dur":"{number}"}}' for number in written]
    agree(f"[{','.join(records)}]".encode(), EVENT)


@pytest.mark.parametrize("wrong", ['{,"ph":"X"}', '{"ts":1"ph":"X"}', '{"ph":"X",}', '{"ts":1,,"ph":"X"}', '{"ph":X}'])
def test_what_repeats_a_record_but_for_a_comma_is_no_json(wrong: str) -> None:
    before = '{"ph":"X"},{"ts":1,"ph":"X"},{"ph":"X"},{"ts":1,"ph":"X"}'
    assert isinstance(agree(f"[{before},{wrong}]".encode()), NotReadable)


@pytest.mark.parametrize("distinct", [3, 127, 128, 129, 32_767, 32_768, 32_769, 40_000])
@pytest.mark.long
def test_ids_take_the_bytes_that_the_number_of_texts_asks_for(distinct: int) -> None:
    names = [*range(distinct), 0, distinct - 1]
    found = table(json.dumps([{}, *({"name": f"n{i}"} for i in names), {}]))
    assert found.ids("name").tolist() == [-1, *names, -1]
    assert found.ids("name").itemsize == (1 if distinct <= 128 else 2 if distinct <= 32_768 else 4)


@pytest.mark.parametrize("said", [[0], [5], [0, 5], [7, 8, 9], list(range(9))])
def test_columns_that_few_records_speak_of_are_filled_up(said: list[int]) -> None:
    event = {"name": "a", "ts": 1, "args": {"x": 1}}
    found = table(json.dumps([event if i in said else {"other": i} for i in range(10)]))
    assert np.flatnonzero(found.ids("name") >= 0).tolist() == said
    assert np.flatnonzero(found.numbers("time") != MISSING).tolist() == said
    assert np.flatnonzero(found.slices("args")[1]).tolist() == said


@pytest.mark.long
def test_recorded_traces_give_the_same_columns_both_ways(fixtures: Path) -> None:
    read = 0
    for path in fixtures.rglob("*.json*"):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if b'"traceEvents"' in content[:100_000]:
            table(content)
            read += 1
    assert read or not any(fixtures.rglob("*trace*.json*"))
