"""Texts that were cut in the middle of a character, and first lines longer than what detection looks at."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace
from traces.formats.surrogates import without_half_characters
from traces.reader import read_arguments, read_trace


@pytest.fixture(params=["on", "off"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", request.param)


def events(name: str, argument: str = "plain") -> bytes:
    event = {"name": "NAME", "ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 7, "args": {"text": "ARGUMENT"}}
    document = json.dumps({"traceEvents": [event]})
    return document.replace("NAME", name).replace("ARGUMENT", argument).encode()


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("half", [r"\ud83d", r"\uDE00", r"\ude00\ud83d", r"\ud83d!", r"\ud83d\n"])
def test_half_a_character_costs_itself_alone(half: str) -> None:
    trace = read_trace(events(f"draw {half}", f"cut {half}"), name="cut.json")
    (row,) = top_functions(trace).rows
    assert row.name.startswith("draw �")
    (warning,) = [each for each in trace.warnings if each.code == "half_character"]
    assert warning.count == 2 * half.count(r"\ud83d") + 2 * half.count(r"\uDE00") + 2 * half.count(r"\ude00")
    said = read_arguments(events(f"draw {half}", f"cut {half}"), trace, ["s0"])["s0"]
    assert said["text"].startswith("cut �")


@pytest.mark.usefixtures("kernels")
def test_complete_characters_and_written_backslashes_are_left_alone() -> None:
    trace = read_trace(events(r"smile \ud83d\ude00 \\ud83d"), name="whole.json")
    assert top_functions(trace).rows[0].name == "smile 😀 \\ud83d"
    assert not [each for each in trace.warnings if each.code == "half_character"]


@pytest.mark.usefixtures("kernels")
def test_a_file_that_is_broken_besides_is_still_refused() -> None:
    with pytest.raises(DamagedTrace):
        read_trace(events(r"\ud83d").replace(b'"ts"', b"ts"), name="broken.json")


@given(st.text())
def test_what_is_repaired_is_json_of_the_same_length(text: str) -> None:
    document = json.dumps(text + "\ud800" + text).encode()
    repaired, halves = without_half_characters(document)
    assert len(repaired) == len(document)
    assert halves >= 1
    json.loads(repaired).encode()  # which half a character cannot be


@pytest.mark.usefixtures("kernels")
def test_a_first_line_longer_than_the_head_is_read() -> None:
    stack = ";".join(f"module_{number}.function_with_a_long_name" for number in range(4_000))
    trace = read_trace(f"{stack} 3\nmain;work 1\n".encode(), name="deep.txt")
    assert trace.format == "collapsed"
    assert sum(trace.profiles[0].tree.self_values[0]) == 4
