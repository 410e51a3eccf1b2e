"""Values of a flight recording, as its metadata declare them."""

import pytest

from tests.traces.formats.jfr.test_jfr import LONG, SAMPLES, chunk, event, read
from tests.traces.formats.jfr.test_jfr import TYPES as OF_A_FILE
from traces.formats.jfr.jfr_types import MAX_NESTING, BrokenChunk, Type, Types, read_types

INT, TEXT, POINT, LIST, LOOP = 1, 2, 3, 4, 5
TYPES = {
    INT: Type("int"),
    TEXT: Type("java.lang.String"),
    POINT: Type("Point", [("x", INT, False, False), ("owner", TEXT, True, False)]),
    LIST: Type("List", [("all", POINT, False, True), ("names", TEXT, True, True), ("one", POINT, False, False)]),
    LOOP: Type("Loop", [("again", 6, False, False)]),
    6: Type("Nothing"),
    7: Type("Many", [("all", 6, False, True)]),
}


def types() -> Types:
    return Types(declared=dict(TYPES), strings=TEXT)


def test_a_structure_has_its_fields_and_references_are_not_followed() -> None:
    data = b"\2" + b"\5\7" + b"\x90\1\x08" + b"\3\1\2\3" + b"\x09\x0a" + b"!"
    value, at = types().reader(LIST)(data, 0)
    assert value == {
        "all": [{"x": 5, "owner": (TEXT, 7)}, {"x": 144, "owner": (TEXT, 8)}],
        "names": [(TEXT, 1), (TEXT, 2), (TEXT, 3)],
        "one": {"x": 9, "owner": (TEXT, 10)},
    }
    assert data[at:] == b"!"


@pytest.mark.parametrize("ident", [LOOP, 7])
def test_what_has_no_contents_is_not_read_for_ever(ident: int) -> None:
    with pytest.raises(BrokenChunk, match=r"without contents|has no contents"):
        types().reader(ident)(b"\x02", 0)


def test_a_type_that_is_not_declared_is_broken() -> None:
    with pytest.raises(BrokenChunk, match="not declared"):
        types().reader(99)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\0", None),
        (b"\1", ""),
        (b"\2\7", (TEXT, 7)),
        (b"\3\3\xc3\xa4b", "äb"),
        (b"\4\2ab", "ab"),
        (b"\4\2a\xe4\1", "aä"),
        (b"\5\1\xe4", "ä"),
    ],
)
def test_a_text_is_read_in_every_encoding(data: bytes, value: object) -> None:
    assert types().text(data + b"!", 0) == (value, len(data))


@pytest.mark.parametrize(("data", "reason"), [(b"\3\4abc", "longer than its chunk"), (b"\6\1a", "unknown encoding")])
def test_a_text_that_cannot_be_is_broken(data: bytes, reason: str) -> None:
    with pytest.raises(BrokenChunk, match=reason):
        types().text(data, 0)


def nested(depth: int) -> bytes:
    """Metadata: elements `e`, each in the one before."""
    return b"\1\4\1e" + b"\0\0\1" * (depth - 1) + b"\0\0\0"


def test_elements_nest_to_a_bound() -> None:
    assert read_types(nested(MAX_NESTING + 1)).declared == {}
    with pytest.raises(BrokenChunk, match="nested too deeply"):
        read_types(nested(MAX_NESTING + 2))


def test_bytes_that_the_machine_lost_are_counted() -> None:
    types = {**OF_A_FILE, 60: ("jdk.DataLoss", [("amount", LONG, ""), ("total", LONG, "")])}
    trace = read(chunk(event(60, 400, 400), SAMPLES[0], event(60, 50, 450), types=types))
    assert {(w.code, w.count) for w in trace.warnings} == {("lost", 450)}
