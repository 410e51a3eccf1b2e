"""Records as most are, and one odd thing among them: records.c and its reference read the same in any spelling."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.kernels.records_alike import assert_alike, assert_same, outcome
from traces.formats.trace_event.chrome_samples import CHUNK
from traces.formats.trace_event.event_list import EVENT
from traces.formats.v8.v8_nodes import NODE
from traces.kernels.library import kernels
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.records import scan_records, scan_slices
from traces.kernels.records_reference import scan_records_reference, scan_slices_reference
from traces.kernels.scaled import MISSING

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")

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


@given(records, colons, elements, FIELDS, arounds, st.data())
def test_kernel_and_reference_agree_on_every_spelling(
    rows: list[list[tuple[str, str]]],
    colon: str,
    more: list[str],
    fields: tuple[Field, ...],
    around: str,
    data: st.DataObject,
) -> None:
    array = "[{}]".format(" ,\n".join([*(spelled(members, colon) for members in rows), *more]))
    document = around.replace("ARRAY", array).encode()
    for text in (document, document[: data.draw(st.integers(0, len(document)))]):
        assert_alike(
            outcome(scan_records, text, fields, "traceEvents"),
            outcome(scan_records_reference, text, fields, "traceEvents"),
        )


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


def assert_parts_alike(parts: list[bytes], fields: tuple[Field, ...], *, arrays: bool) -> None:
    """Parts of a document are read alike, whole and with the last one cut."""
    document = b" ".join(parts)
    lengths = [len(part) for part in parts]
    offsets = [sum(lengths[:index]) + index for index in range(len(parts))]
    for cut in range(min(3, lengths[-1]) if lengths else 0):
        sizes = [*lengths[:-1], lengths[-1] - cut * lengths[-1] // 3]
        mine = outcome(scan_slices, document, (offsets, sizes), fields, arrays=arrays)
        reference = outcome(scan_slices_reference, document, offsets, sizes, fields, arrays=arrays)
        if isinstance(mine, tuple) and isinstance(reference, tuple):
            assert_same(mine[0], reference[0])
            assert list(mine[1]) == reference[1]
        else:
            assert str(mine) == str(reference)


@given(st.lists(st.lists(st.just(USUAL_NODE) | node_members, max_size=4), min_size=1, max_size=3), st.data())
def test_nodes_of_v8_are_read_alike(arrays: list[list[tuple[str, ...]]], data: st.DataObject) -> None:
    parts = ["[{}]".format(",".join(f"{{{','.join(node)}}}" for node in nodes)).encode() for nodes in arrays]
    assert_parts_alike(parts, NODE, arrays=True)
    document = parts[0][: data.draw(st.integers(0, len(parts[0])))]  # the lists of a record that breaks off are dropped
    assert_alike(
        outcome(scan_records, document, NODE, "nodes"), outcome(scan_records_reference, document, NODE, "nodes")
    )


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


@given(st.lists(said, max_size=4))
def test_pieces_of_v8_are_read_alike(parts: list[str]) -> None:
    assert_parts_alike([part.encode() for part in parts], CHUNK, arrays=False)


def both(document: str, fields: tuple[Field, ...]) -> Table:
    """What the kernel reads, and its reference as well."""
    mine = scan_records(document.encode(), fields, "traceEvents")
    assert_same(mine, scan_records_reference(document.encode(), fields, "traceEvents"))
    return mine


def test_of_two_members_with_one_name_only_the_last_counts() -> None:
    records = '{"name":"first","name":"a"},{"name":"gone","name":null},{"name":"b"},{"ts":1,"ts":"x"},{"name":"first"}'
    found = both(f"[{records}]", EVENT)
    assert found.texts("name") == ("a", "b", "first")
    assert found.ids("name").tolist() == [0, -1, 1, -1, 2]
    assert found.numbers("time").tolist() == [MISSING] * 5


def test_of_an_object_that_stands_twice_nothing_of_the_first_counts() -> None:
    first = '"callFrame":{"functionName":"gone","lineNumber":3},"children":[7,8]'
    again = '"callFrame":{"url":"u"},"children":[9]'
    found = both(f'[{{{first}}},{{{first},{again}}},{{{first},"callFrame":5}}]', NODE)
    assert found.texts("function") == ("gone",)
    assert found.ids("function").tolist() == [0, -1, -1]
    assert found.numbers("line").tolist() == [3, MISSING, MISSING]
    assert found.columns["children"].items.tolist() == [7, 8, 9, 7, 8]
    assert found.columns["children"].values.tolist() == [0, 2, 3]


def test_texts_that_a_repeated_name_took_back_are_found_again_among_thousands() -> None:
    """They leave the table of known texts, which grows while they come and go."""
    records = [{"name": f"n{number}"} for number in range(2_000)]
    pieces = [
        f'{json.dumps(record)},{{"name":"other {number}","name":"n{number}"}}' for number, record in enumerate(records)
    ]
    found = both(f"[{','.join([*pieces, *pieces])}]", EVENT)
    assert found.texts("name") == tuple(record["name"] for record in records)
    assert found.ids("name").tolist() == [number // 2 for number in range(4_000)] * 2


@pytest.mark.parametrize("key", ["n\\u0061me", "\\u006e\\u0061\\u006d\\u0065"])
def test_a_key_that_is_spelled_with_escapes_is_that_key(key: str) -> None:
    assert both(f'[{{"{key}":"a"}},{{"n\\u00e4me":"no"}},{{"{key}":"b","name":"c"}}]', EVENT).texts("name") == (
        "a",
        "c",
    )


def test_the_array_is_found_though_its_name_is_spelled_with_escapes() -> None:
    document = '{"trace\\u0045vents":[{"name":"a"}],"\\u0062":7}'
    found = both(document, EVENT)
    assert (found.texts("name"), found.members) == (("a",), {"b": (document.index("7"), 1)})


def test_a_number_beyond_a_float_is_read_exactly_among_others() -> None:
    columns = [35, -(2**63) - 1, 36]
    nodes: list[dict[str, Any]] = [{"id": 1}, *({"callFrame": {"columnNumber": column}} for column in columns)]
    assert both(json.dumps(nodes), NODE).numbers("column").tolist() == [MISSING, 35, -(2**63) + 1, 36]
