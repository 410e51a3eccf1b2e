"""calls.c against its reference."""

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels import calls
from traces.kernels.calls import NotMatched, scan_calls, scan_calls_reference
from traces.kernels.library import kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
MAX_DEPTH = 5


def outcome(scan: Any, text: bytes) -> Any:
    """The columns as lists, or why there are none."""
    try:
        found = scan(text, MAX_DEPTH)
    except (NotMatched, msgspec.DecodeError) as error:
        return type(error), str(error)
    return [getattr(found, name).tolist() for name in ("at", "opened", "closed", "frame", "parent")]


def assert_same(text: bytes) -> None:
    assert outcome(scan_calls, text) == outcome(scan_calls_reference, text), text


def written(rows: list[tuple[str, int, str]], order: str, space: str) -> bytes:
    """Events whose times are spelled as given."""
    members = {"t": '"type":%s"{}"', "f": '"frame":%s{}', "a": '"at":%s{}'}
    parts = ",".join(members[key].replace("%s", space) for key in order)
    one = "{{" + space + parts.replace(",", "," + space) + space + "}}"
    fields = [{"t": kind, "f": frame, "a": at} for kind, frame, at in rows]
    events = [one.format(*(row[key] for key in order)) for row in fields]
    return f"[{space}{f',{space}'.join(events)}{space}]".encode()


times = (
    st.integers(-(2**70), 2**70)
    | st.integers(0, 300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(0, 1e9)
    | st.decimals(0, 10**6, places=18)
).map(str)


@st.composite
def matched(draw: st.DrawFn) -> list[tuple[str, int, str]]:
    """Events that open and close, mostly in order."""
    rows: list[tuple[str, int, str]] = []
    stack: list[int] = []
    for _ in range(draw(st.integers(0, 14))):
        if draw(st.booleans()) and stack:
            rows.append(("C", stack.pop(), draw(times)))
        else:
            stack.append(draw(st.integers(0, 3) | st.integers(0, 10**10)))
            rows.append(("O", stack[-1], draw(times)))
    return rows


orders = st.permutations("tfa").map("".join)
spaces = st.sampled_from(["", " ", "\n  "])


@given(matched(), orders, spaces, st.data())
def test_events_agree_also_when_they_are_damaged(
    rows: list[tuple[str, int, str]], order: str, space: str, data: st.DataObject
) -> None:
    text = written(rows, order, space)
    at = data.draw(st.integers(0, len(text) - 1))
    byte = bytes([data.draw(st.sampled_from(b'[]{},:"0 9-.eOCx\x80'))])
    for part in (text, text[:at], text[:at] + byte + text[at + 1 :], text[:at] + byte + text[at:]):
        assert_same(part)


@given(st.integers(0, 10**19), st.integers(0, 19), st.booleans())
def test_a_time_is_the_nearest_double(digits: int, places: int, is_negative: bool) -> None:
    spelled = f"{digits:0{places + 1}d}"
    spelled = f"{spelled[: len(spelled) - places]}.{spelled[len(spelled) - places :]}" if places else spelled
    assert_same(written([("O", 1, "-" * is_negative + spelled)], "tfa", ""))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[ ]",
        "[,]",
        "",
        "[",
        "{}",
        '[{"type":"O","frame":1,"at":1},]',
        '[{"type":"O","frame":1,"at":1}]]',
        '[{"type":"O","frame":1}]',
        '[{"type":"O","frame":1,"frame":2}]',
        '[{"type":"O","frame":1,"at":1,"at":2}]',
        '[{"type":"O","frame":1,"at":1,"more":[2]}]',
        '[{"type":"\\u004f","frame":1,"at":1}]',
        '[{"type":"OO","frame":1,"at":1}]',
        '[{"type":"O","frame":01,"at":1}]',
        '[{"type":"O","frame":1.0,"at":1}]',
        '[{"type":"O","frame":-1,"at":1}]',
        '[{"type":"O","frame":"1","at":1}]',
        '[{"type":"O","frame":1,"at":1e3}]',
        '[{"type":"O","frame":1,"at":01}]',
        '[{"type":"O","frame":1,"at":1.}]',
        '[{"type":"O","frame":1,"at":true}]',
        '[{"type":"O","frame":1,"at":-0.0},{"type":"O","frame":1,"at":-0}]',
        '[{"type":"C","frame":1,"at":1}]',
    ],
)
def test_events_of_every_spelling_agree(text: str) -> None:
    assert_same(text.encode())


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_usual_events_are_read_by_their_own_kernel(
    separators: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "scan_calls_reference", None)
    events = [("O", 3, 0), ("O", 1, 1.5), ("C", 1, 2.000000000000001), ("O", 1, 3)]
    text = json.dumps([{"type": kind, "frame": frame, "at": at} for kind, frame, at in events], separators=separators)
    found = scan_calls(text.encode(), MAX_DEPTH)
    assert found.at.tolist() == [0, 1.5, 2.000000000000001, 3]
    assert found.opened.tolist() == [0, 1, 3]
    assert found.closed.tolist() == [-1, 2, -1]
    assert found.frame.tolist() == [3, 1, 1]
    assert found.parent.tolist() == [-1, 0, 0]


def test_calls_as_deep_as_allowed_are_read_and_deeper_ones_refused() -> None:
    opens = [("O", number, str(number)) for number in range(MAX_DEPTH + 1)]
    assert scan_calls(written(opens[:-1], "tfa", ""), MAX_DEPTH).parent.tolist() == [-1, 0, 1, 2, 3]
    with pytest.raises(NotMatched, match="deeper than 5 frames"):
        scan_calls(written(opens, "tfa", ""), MAX_DEPTH)


def test_many_events_agree() -> None:
    rows = [("O" if number % 2 == 0 else "C", number // 2 % 7, f"{number}.{number % 997}") for number in range(9_000)]
    assert len(np.asarray(scan_calls(written(rows, "fta", " "), MAX_DEPTH).at)) == 9_000
    assert_same(written(rows, "fta", " "))
