"""Records as most are, and one odd thing among them: the typed way of the reference may not be told from records.c, nor
from the raw way."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.formats.trace_event.chrome_samples import CHUNK
from traces.formats.trace_event.event_list import EVENT
from traces.formats.v8.v8_nodes import NODE
from traces.kernels import records_reference, records_rows
from traces.kernels.library import NotReadable, kernels
from traces.kernels.records import Field, Kind, Table, column_names, scan_records, scan_slices
from traces.kernels.records_reference import scan_records_reference, scan_slices_reference
from traces.kernels.records_typed import Parts, TypedColumns, TypedRecords

WEAK = (*EVENT, Field("category", "also", Kind.TEXT, weak=True))
FIELDS = st.sampled_from([EVENT, WEAK])

names = st.text(max_size=4) | st.sampled_from(["args", "a-0", "é", "\\", '"args":', "x-0.5"])
words = st.sampled_from(
    ["-0", "-0.0", "0", "7", '"7"', "1.0", "1e2", "null", "true", "[]", '""', "1" * 30, "9" * 5000]
) | st.sampled_from(['"/"', '"\\/"', '"\\u002f"', '"\\\\/"', '"\\\\u002f"', '"\\t"'])
times = st.sampled_from(
    [
        "0",
        "-0",
        "12.5",
        "0.0005",
        "0.0015",
        "1695836650310318.318",
        "9007199254740993",
        '"12.5"',
        "null",
        "1e400",
        "-1.5",
    ]
) | st.integers(0, 10**16).map(str)
inner = st.sampled_from(
    [
        '[{"name":1},{"name":2}]',
        '"},{"',
        "{}",
        "7",
        "null",
        '"-0"',
        '{"args": 1}',
        '{"a\\n":[-0]}',
        '"\\"args\\":"',
        '{"x":{"args":{}}}',
    ]
)
keys = st.sampled_from(['"args"', '"args" ', '"arg\\u0073"', '"other"', '"name"', '"dur"', '"\\u0064ur"'])


@st.composite
def usual(draw: st.DrawFn) -> list[tuple[str, str]]:
    """The members of a record that is read the typed way."""
    members = [
        ('"name"', json.dumps(draw(st.sampled_from(["f", "g", "args", "é"])), ensure_ascii=False)),
        ('"cat"', draw(st.sampled_from(['"c"', '""']))),
        ('"also"', '"d"'),
        ('"ph"', '"X"'),
        ('"ts"', str(draw(st.integers(0, 10**9)))),
        ('"pid"', str(draw(st.integers(0, 3)))),
        ('"tid"', draw(st.sampled_from(["1", '"1"', '"GPU 0"']))),
    ]
    members += draw(st.sampled_from([[], [('"dur"', "1.25")], [('"tdur"', "3")], [('"dur"', "2"), ('"tdur"', "3")]]))
    members += draw(st.sampled_from([[], [('"args"', "{}")], [('"args"', '{"a":{"args":"\\\\"}}')]]))
    members += draw(st.sampled_from([[], [('"id2"', '{"local":"0x1"}')], [('"id2"', '{"global":5,"x":{"args":1}}')]]))
    return draw(st.permutations(members))


@st.composite
def odd(draw: st.DrawFn) -> list[tuple[str, str]]:
    """A usual record with a member more, which may be one that it has, or one in other words."""
    members = draw(usual())
    extra = draw(
        st.tuples(keys, inner)
        | st.tuples(st.sampled_from(['"name"', '"id"', '"cat"', '"also"']), names.map(json.dumps))
        | st.tuples(st.sampled_from(['"pid"', '"id"', '"name"', '"id2"']), words)
        | st.tuples(st.sampled_from(['"ts"', '"dur"', '"tdur"']), times)
    )
    members.insert(draw(st.integers(0, len(members))), extra)
    return members


def spelled(members: list[tuple[str, str]], colon: str) -> str:
    return "{{{}}}".format(",".join(f"{key}{colon}{value}" for key, value in members))


records = st.lists(usual() | odd(), min_size=1, max_size=6)
colons = st.sampled_from([":", ": ", ":\n\t   ", " : "])
elements = st.sampled_from([[], ["7"], ['"args"'], ['{"args":1}']])
arounds = st.sampled_from(
    [
        "ARRAY",
        ' { "traceEvents" :\nARRAY}',
        '{"traceEvents":ARRAY, "b": {"args": 1}, "c": [{"name": 1}, {"name": 2}]}',
        '{"a": 1, "traceEvents": ARRAY, "b": {"args": 1}}',
        '{"traceEvents": ARRAY, "traceEvents": [{"name":"x"}]}',
        '{"traceEvents": ARRAY, "traceEvents": 7}',
    ]
)


def assert_same(mine: Table, other: Table) -> None:
    assert (mine.count, mine.skipped, mine.members) == (other.count, other.skipped, other.members)
    for name, column in mine.columns.items():
        assert column.texts == other.columns[name].texts, name
        for part in ("values", "ids", "items"):
            np.testing.assert_array_equal(getattr(column, part), getattr(other.columns[name], part), f"{name}.{part}")


@contextmanager
def raw_only() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TypedRecords, "read", lambda *_: None)
        yield


@given(records, colons, elements, FIELDS, st.integers(1, 300), arounds)
def test_no_spelling_tells_the_typed_way_from_the_others(
    rows: list[list[tuple[str, str]]],
    colon: str,
    more: list[str],
    fields: tuple[Field, ...],
    piece: int,
    around: str,
) -> None:
    array = "[{}]".format(" ,\n".join([*(spelled(members, colon) for members in rows), *more]))
    document = around.replace("ARRAY", array).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_rows, "PIECE", piece)
        patch.setattr(records_reference, "LITTLE", 1)  # the whole of it
        found = scan_records_reference(document, fields, "traceEvents")
        with raw_only():
            assert_same(found, scan_records_reference(document, fields, "traceEvents"))
    if kernels() is not None:
        assert_same(found, scan_records(document, fields, "traceEvents"))


node_members = st.tuples(
    st.sampled_from(['"id":1', '"id":1.5', '"id":null', '"id":9007199254740993', '"id":"4"']),
    st.sampled_from(['"parent":7', '"x":1', '"parent":1e400']),
    st.sampled_from(
        ['"children":[]', '"children":[1,2]', '"children":[0.5,9007199254740993]', '"children":null', '"children":7']
    ),
    st.sampled_from(['"x":2', '"children":[3]', '"children":["a"]', '"children":[[]]', '"children":[1e400]']),
    st.sampled_from(
        [
            '"callFrame":{"functionName":"f","url":"u","lineNumber":-1}',
            '"callFrame":{"functionName":"\\u0066","lineNumber":0.5,"columnNumber":9007199254740993}',
            '"callFrame":{"url":-0,"lineNumber":"3"}',
            '"callFrame":{"url":"\\\\","functionName":"u-0","lineNumber":3}',
            '"callFrame":null',
            '"callFrame":[]',
            '"y":1',
        ]
    ),
)
USUAL_NODE = ('"id":1', '"parent":7', '"x":1', '"x":2', '"callFrame":{"functionName":"f","url":"u","lineNumber":3}')


def outcome(scan: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return scan(*arguments, **options)
    except NotReadable as error:
        return error.reason


def assert_same_in_every_way(parts: list[bytes], fields: tuple[Field, ...], piece: int, *, arrays: bool) -> None:
    """Parts of a document are read alike by types in pieces, the raw way, and the kernel."""
    document = b" ".join(parts)
    lengths = [len(part) for part in parts]
    offsets = [sum(lengths[:index]) + index for index in range(len(parts))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_rows, "PIECE", piece)
        found = outcome(scan_slices_reference, document, offsets, lengths, fields, arrays=arrays)
        with raw_only():
            raw = outcome(scan_slices_reference, document, offsets, lengths, fields, arrays=arrays)
    compiled = outcome(scan_slices, document, (offsets, lengths), fields, arrays=arrays) if kernels() else raw
    for other in (raw, compiled):
        if isinstance(found, str):
            assert found == other
        else:
            assert_same(found[0], other[0])
            assert list(found[1]) == list(other[1])


@given(st.lists(st.lists(st.just(USUAL_NODE) | node_members, max_size=4), min_size=1, max_size=3), st.integers(1, 300))
def test_nodes_of_v8_are_the_same_in_every_way(arrays: list[list[tuple[str, ...]]], piece: int) -> None:
    parts = ["[{}]".format(",".join(f"{{{','.join(node)}}}" for node in nodes)).encode() for nodes in arrays]
    assert_same_in_every_way(parts, NODE, piece, arrays=True)


chunks = st.tuples(
    st.sampled_from(['"x":1', '"startTime":1.5', '"startTime":null', '"timeDeltas":[1,2.5]', '"timeDeltas":[]']),
    st.sampled_from(
        [
            '"cpuProfile":{"nodes":[{"id":1,"nodes":[]}],"samples":[1,2]}',
            '"cpuProfile": {"samples":[9007199254740993],"nodes" :\n[]}',
            '"cpuProfile":{"n\\u006fdes":[1],"startTime":-0,"timeDeltas":[0.0005]}',
            '"cpuProfile":{"nodes":{},"samples":null}',
            '"cpuProfile":{"nodes":1,"nodes":2}',
            '"cpuProfile":7',
            '"y":{"nodes":[2]}',
        ]
    ),
)
said = chunks.map(lambda members: f'{{"data":{{{",".join(members)}}}}}') | st.sampled_from(["{}", "[]", '{"data":[]}'])


@given(st.lists(said, max_size=4), st.integers(1, 300))
def test_pieces_of_v8_are_the_same_in_every_way(parts: list[str], piece: int) -> None:
    assert_same_in_every_way([part.encode() for part in parts], CHUNK, piece, arrays=False)


def typed(fields: tuple[Field, ...]) -> TypedRecords:
    return TypedRecords(fields, {name: {} for name in column_names(fields)})


def whole(array: str) -> Parts:
    return Parts([array.encode()], [0], arrays=True)


@given(st.lists(usual(), min_size=1, max_size=6), colons)
def test_usual_records_are_read_the_typed_way(rows: list[list[tuple[str, str]]], colon: str) -> None:
    piece = "[{}]".format(",".join(spelled(members, colon) for members in rows))
    columns = typed(EVENT).read(whole(piece))
    assert isinstance(columns, TypedColumns)
    assert columns.count == len(rows)
    assert not columns.tokens


@pytest.mark.parametrize("text", ["\\\\u0062", "\\\\/", '\\"', "\\\\\\n", "\\t", "é"])
def test_escapes_that_leave_no_choice_are_words(text: str) -> None:
    texts = {name: dict[bytes, int]() for name in column_names(EVENT)}
    columns = TypedRecords(EVENT, texts).read(whole(f'[{{"name": "{text}", "args": {{"x": "\\/"}}}}]'))
    assert columns is not None
    assert not columns.tokens
    assert list(texts["name"]) == [text.encode()]


@pytest.mark.parametrize(
    "member",
    [
        '"name": "a\\/"',
        '"name": "\\\\\\/"',
        '"name": "a\\u0062"',
        '"n\\u0061me": "a"',
        '"pid": -0',
        '"pid": 1.0',
        '"id": []',
    ],
)
def test_texts_that_their_words_do_not_tell_exactly_stay_tokens(member: str) -> None:
    columns = typed(EVENT).read(whole(f'[{{"args": {{"x": "\\n-0"}}}}, {{{member}}}]'))
    assert columns is not None
    assert columns.tokens
    assert not columns.words


@pytest.mark.parametrize(("first", "then"), [("-0", "0"), ("0", "-0"), ("-0", "-0"), ("7", "0")])
def test_zeros_are_known_as_they_are_written_and_in_their_order(first: str, then: str) -> None:
    document = f'{{"traceEvents": [{{"pid": {first}}}, {{"pid": {then}}}], "x": 1}}'.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_rows, "PIECE", 1)
        table = scan_records_reference(document, EVENT, "traceEvents")
    assert table.columns["pid"].texts == tuple(dict.fromkeys((first.encode(), then.encode())))


def test_what_stands_behind_a_minus_zero_is_known_after_it() -> None:
    document = b'{"traceEvents": [{"pid": 0}, {"pid": 0}, {"pid": -0}, {"pid": "new"}], "x": 1}'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_rows, "PIECE", 15)  # two records
        table = scan_records_reference(document, EVENT, "traceEvents")
    assert table.columns["pid"].texts == (b"0", b"-0", b"new")
    assert table.ids("pid").tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("member", ['"dur": "5"', '"dur": null', '"id2": 5', '"ts": 1e400'])
def test_what_no_type_fits_is_left_to_the_raw_way(member: str) -> None:
    assert typed(EVENT).read(whole(f"[{{{member}}}]")) is None


def test_arguments_are_found_though_their_key_stands_elsewhere_too() -> None:
    piece = '[{"name": "args"}, {"x": {"args": 1}, "args": {"args": 2}}, {"args"\n: 3}]'
    columns = typed(EVENT).read(whole(piece))
    assert columns is not None
    offsets, lengths = columns.slices["args"]
    said = [piece[offset : offset + length] for offset, length in zip(offsets.tolist(), lengths.tolist(), strict=True)]
    assert said == ["", '{"args": 2}', "3"]


def test_a_number_read_again_as_it_is_written_stays_with_its_record() -> None:
    """Found by mutation: behind a node without a call frame, it went to the record before."""
    nodes = [
        {"id": 1},
        {"id": 2, "callFrame": {"functionName": "f", "columnNumber": 35}},
        {"id": 3, "callFrame": {"functionName": "f", "columnNumber": -(2**63) - 1}},
        {"id": 4, "callFrame": {"functionName": "f", "columnNumber": 36}},
    ]
    data = json.dumps(nodes).encode()
    table, _ = scan_slices_reference(data, [0], [len(data)], NODE, arrays=True)
    assert table.numbers("column").tolist() == [-(2**63), 35, -(2**63) + 1, 36]


@pytest.mark.parametrize("wrong", [0, 3, 5, 11])
@pytest.mark.parametrize("piece", [100, 300, 700])
def test_what_was_filled_before_a_piece_proved_wrong_is_not_taken_for_the_next_ones(piece: int, wrong: int) -> None:
    """Found by mutation: a longer piece is tried next, whose records had the rows of the shorter one."""
    nodes: list[dict[str, Any]] = [
        {"id": number, "callFrame": {"functionName": f"f{number}", "lineNumber": number}, "children": [number + 1]}
        for number in range(12)
    ]
    nodes[wrong]["children"] = ["x"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_rows, "PIECE", piece)
        with pytest.raises(NotReadable):
            scan_records_reference(json.dumps({"nodes": nodes}).encode(), NODE, "nodes")
