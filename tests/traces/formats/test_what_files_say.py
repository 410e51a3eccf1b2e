"""What recordings say of the run that they are of: only what is listed, and only one line of it."""

import json

import pytest

from tests.traces.formats.protobuf_messages import message
from tests.traces.stacks_of_traces import read
from traces.cache import decode, encode
from traces.formats.jfr.jfr_origin import JVM, PROPERTY, read_origin
from traces.origin import LONGEST, Origin

BUILD = "bb9c342d8c9c"


def a_pprof(*comments: str, build: str = BUILD, extra: bytes = b"") -> bytes:
    texts = ["", "samples", "count", "main", build, *comments]
    return (
        message(
            (1, message((1, 1), (2, 2))),
            (2, message((1, b"\1"), (2, b"\5"))),
            (3, message((1, 1), (6, 4))),
            (4, message((1, 1), (4, message((1, 1))))),
            (5, message((1, 1), (2, 3))),
            *((6, text) for text in texts),
            *((13, 5 + place) for place in range(len(comments))),
        )
        + extra
    )


def speedscope(**more: object) -> bytes:
    profile = {"type": "sampled", "unit": "none", "name": "", "startValue": 0, "endValue": 1, "samples": [[0]]}
    document = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}]},
        "profiles": [profile | {"weights": [1]}],
    }
    return json.dumps(document | more).encode()


def chrome(metadata: object) -> bytes:
    event = {"name": "main", "ph": "X", "ts": 1, "dur": 5, "pid": 1, "tid": 1}
    return json.dumps({"traceEvents": [event, event | {"ts": 7}], "metadata": metadata}).encode()


def test_comments_of_pprof_and_the_first_build_are_kept_where_they_are_listed() -> None:
    trace = read(a_pprof("commit=4f2a1c0", "branch: main ", "password=hunter2", "free words", "commit=later"))
    assert trace.origin == {"commit": "4f2a1c0", "branch": "main", "build_id": BUILD}
    assert decode(b"".join(bytes(part) for part in encode(trace))).origin == trace.origin


@pytest.mark.parametrize("extra", [message((13, 900)), message((13, b"\x80")), message((13, b"\xff\xff"))])
def test_a_comment_that_is_none_costs_nothing_else(extra: bytes) -> None:
    trace = read(a_pprof(extra=extra))
    assert len(trace.frames) == 1
    assert trace.origin.get("build_id", BUILD) == BUILD


@pytest.mark.parametrize("wrong", [7, None, ["a"], "two\nlines", "\x1b[2J", "x" * (LONGEST + 1), "  "])
def test_what_is_no_line_of_text_is_not_kept(wrong: object) -> None:
    assert read(speedscope(exporter=wrong)).origin == {}
    assert read(chrome({"source": wrong, "startTime": wrong})).origin == {}
    assert read(chrome(wrong)).origin == {}


def test_speedscope_says_its_exporter_and_chrome_its_browser() -> None:
    assert read(speedscope(exporter="py-spy@0.4.3")).origin == {"recorder": "py-spy@0.4.3"}
    said = {"source": "DevTools", "product-version": "Chrome/130.0", "os-name": "Linux", "command_line": "--token=x"}
    assert read(chrome(said)).origin == {"recorder": "DevTools", "runtime": "Chrome/130.0", "platform": "Linux"}


def test_a_flight_recording_says_its_jvm_and_the_listed_properties_alone() -> None:
    origin = Origin()
    for name, event in (
        (JVM, {"jvmName": "OpenJDK 64-Bit Server VM", "jvmArguments": "-Dsecret=1"}),
        (PROPERTY, {"key": "sun.java.command", "value": "/opt/app/lib/shop.jar --password hunter2"}),
        (PROPERTY, {"key": "flamechat.commit", "value": "4f2a1c0"}),
        (PROPERTY, {"key": "flamechat.secret", "value": "hunter2"}),
        (PROPERTY, {"key": "commit", "value": "not ours"}),
        (PROPERTY, {"key": "user.name", "value": "anna"}),
        (PROPERTY, {"key": "os.name", "value": None}),
        (PROPERTY, {"key": "sun.java.command", "value": " "}),
    ):
        read_origin(name, event, origin)
    assert origin.labels == {"runtime": "OpenJDK 64-Bit Server VM", "program": "shop", "commit": "4f2a1c0"}
