"""A megabyte of what makes careless expressions try every beginning with every end: read or refused without that.

Nothing here is timed. A quadratic reading of these would take hours, and the test's own limit would end it.
"""

import json
from typing import Any

import pytest

from traces.errors import TraceError
from traces.reader import read_trace

SIZE = 1 << 20
ASYNC = "<!DOCTYPE html>\n<h1>CPU profile</h1>\n<a>async-profiler</a><canvas id='canvas'></canvas>\n<script>\n"
HASKELL = (
    "\tSat Nov 21 21:03 2026 Time and Allocation Profiling Report  (Final)\n\n\ttotal time  =        0.20 secs   (200 "
    "ticks @ 1000 us, 1 processor)\n\ttotal alloc = 1,000,000 bytes  (excludes profiling overheads)\n\n"
    "COST CENTRE MODULE               SRC              no.     entries  %time %alloc   %time %alloc\n\n"
)
V8 = "v8-version,11,3,244,8,-node.38,0\ncode-creation,JS,10,1,0x10,100,{name},0x20,~\ntick,0x18,1,0,0x0,0\n"


def again(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece))


def firefox(location: str, *, processed: bool = False) -> str:
    def table(columns: str, *rows: list[Any]) -> dict[str, Any]:
        return {"schema": {name: at for at, name in enumerate(columns.split())}, "data": list(rows)}

    thread = {
        "name": "GeckoMain",
        "pid": 1,
        "tid": 1,
        "samples": table("stack time", [0, 1], [0, 2]),
        "stackTable": table("prefix frame", [None, 0]),
        "frameTable": table("location category", [0, 0]),
        "stringTable": [location],
        "markers": table("name startTime endTime phase category data"),
    }
    meta = {"version": 34 if not processed else 4, "startTime": 0, "interval": 1, "categories": [{"name": "Other"}]}
    file = {"libs": [], "meta": meta, "threads": [thread], "processes": [], "pausedRanges": []}
    return json.dumps({"profile": file, "duration": 9, "systemHost": ""} if processed else file)


def viztracer(name: str) -> str:
    return json.dumps([{"ph": "X", "cat": "FEE", "name": name, "ts": 1, "dur": 1, "pid": 1, "tid": 1}])


TEXTS = {
    "backslashes in a text without an end": '[{"ph":"X","ts":1,"name":"' + again("\\"),
    "backslashes before a broken escape": '[{"ph":"X","ts":1,"name":"' + again("\\\\") + "\\uzz",
    "escaped quotes in a text without an end": '[{"ph":"X","ts":1,"name":"' + again('\\"'),
    "quotes": '[{"ph":"X","ts":1,"name":"' + again('"'),
    "brackets": '[{"ph":"X","ts":1,"args":' + again("["),
    "objects": '[{"ph":"X","ts":1,"args":' + again('{"a":'),
    "closed brackets": "[" + again("[],"),
    "records without their end": again('[{"ph":"X","ts":1,"name":"a'),
    "halves of characters": '[{"ph":"X","ts":1,"name":"' + again("\\ud800"),
    "words that break off": '[{"ph":"X","ts":1,"name":"a","b":' + again("tru"),
    "digits": '[{"ph":"X","name":"a","ts":' + again("1"),
    "spaces": '{"traceEvents":[{"ph":"X","ts":1,"name":"a"}]' + again(" "),
    "names of async-profiler without an end": f"{ASYNC}const cpool = [\n'{again(chr(92) + chr(39))}\n];\n",
    "lines without anything": ASYNC + again("\n"),
    "lines of spaces": ASYNC + again(" \n"),
    "calls with commas": f"{ASYNC}const cpool = [\n'all'];\nf(1{again(',1')}",
    "words before a V8 name": V8.format(name=again("get ")),
    "places in a V8 name": V8.format(name="a b" + again(":1")),
    "parentheses of Gecko": firefox(again("a (") + ":1"),
    "places of Gecko": firefox("a (" + again("b:1") + "x"),
    "parentheses of DevTools": firefox(again("a ("), processed=True),
    "spaces of DevTools": firefox("a" + again(" ") + "b", processed=True),
    "parentheses of viztracer": viztracer(again("a (") + ":x)"),
    "places of viztracer": viztracer("a (" + again(":1") + ":x)"),
    "digits of Instruments": f"Weight\tSelf Weight\tSymbol Name\n{again('1')}\t1.00 ms  50.0%\tmain\n",
    "spaces in rows of GHC": HASKELL + again(f"a b c{' ' * 3_900}x\n"),
    "words in rows of GHC": HASKELL + again(f"{'a ' * 1_900}x\n"),
    "spaces in lines of perf": "p 1 1.0: c: 1 f (o)\n\n" + again(f"a{' ' * 980}x\n"),
    "numbers in lines of perf": "p 1 1.0: c: 1 f (o)\n\n" + again(f"a {'1 ' * 480}x\n"),
    "places of Austin": f"P1;T1;a:b:1 5\nP1;T1;{again('a:1')} x\nP1;T1;{again(':b')} 5\n",
    "numbers of Austin": f"P1;T1;a:b:1 5\nP1;T1;{again('a 1 ')}x\n",
    "numbers of collapsed stacks": f"a;b 5\n{again('a 1 ')}x\n{again(';')} 1\n",
    "parentheses of callgrind": f"# callgrind format\nevents: Ir {again('(a')}\nfn=main\n1 5\n",
}


@pytest.mark.parametrize("switch", ["on", "off"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.timeout(120)
@pytest.mark.long
def test_a_megabyte_that_repeats_is_read_or_refused(text: str, switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", switch)
    try:
        said = read_trace(TEXTS[text].encode(), name="hostile").format
    except TraceError as error:
        said = str(error)
    assert len(said) < 1_500
