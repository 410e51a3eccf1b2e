"""Threads of pages in Chrome recordings as the engine of Chrome's own panel has them: for how long each was in tasks.

The engine is the npm package `@paulirish/trace_engine`, which packs it for Node; it is installed once, pinned, into the
machine's cache. Left out, as it reads no task of theirs to its end or refuses them: recordings whose begins lack ends
(`catapult-unclosed-slices`, `catapult-flow`: it takes the next event for the end, so that threads last -4.8 s), and
those without the frames or navigations that it asks for (`chrome-20mb`, `chrome-100mb`, `lighthouse-load`, Chrome 65
and 66 of the conformance samples).
"""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from tests.oracles.tools import SECONDS, npm_packages, program
from traces.analysis.thread_time import thread_time
from traces.reader import read_trace

PACKAGE = "@paulirish/trace_engine"
VERSION = "0.0.65"
WHY = "Chrome's trace engine runs in Node"
ROOT = Path(__file__).parents[2]
FILES = (
    "fixtures/board.chrome-object.json.gz",
    "fixtures/changes.chrome-array.json.gz",
    "samples/chrome-trace.catapult-big.json.gz",
    "samples/chrome-trace.catapult-lthi-cats.json.gz",
    "samples/chrome-trace.catapult-perf-sampling.json.gz",
    "samples/chrome-trace.catapult-tcmalloc.json.gz",
    "samples/chrome-trace.catapult-thread-time.json.gz",
    "samples/chrome-trace.catapult-v8-runtime-call-stats.json.gz",
    "samples/chrome-trace.chrome-devtools-mcp-web-dev.json.gz",
    "samples/chrome-trace.firefox-chrome-tracing.json.gz",
    "samples/chrome-trace.lighthouse-amp-m86.json.gz",
    "samples/chrome-trace.lighthouse-amp.json.gz",
    "samples/chrome-trace.lighthouse-frame-metrics-m90.json.gz",
    "samples/chrome-trace.lighthouse-responsiveness-m103.json.gz",
    "samples/chrome-trace.lighthouse-speedindex-1ms.json.gz",
    "samples/chrome-trace.speedscope-chrome116.json.gz",
    "conformance/samples/source-maps/chrome-85-esbuild.json",
    "conformance/samples/source-maps/chrome-85-parcel.json",
)
pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def engine() -> Path:
    """The folder of the package."""
    program("node", WHY)
    return npm_packages("trace-engine", (f"{PACKAGE}@{VERSION}",), WHY) / PACKAGE


@pytest.mark.parametrize("name", FILES)
def test_each_thread_was_as_busy_as_the_engine_says(name: str, engine: Path, shared: Path, tmp_path: Path) -> None:
    data = ((ROOT if name.startswith("fixtures") else shared) / name).read_bytes()
    file = tmp_path / "recording.json"
    file.write_bytes(gzip.decompress(data) if name.endswith(".gz") else data)
    command: list[str | Path] = ["node", Path(__file__).with_name("trace_engine.mjs"), engine, file]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)
    said = {(one["pid"], one["tid"]): one["events"] for one in json.loads(result.stdout)}
    assert said
    trace = read_trace(data, name=name)
    found = dict.fromkeys(said, 0.0)
    for profile in trace.profiles:
        time = thread_time(trace, profile)
        if profile.spans is not None and len(profile.spans) and time is not None:
            found[profile.pid, profile.tid] = time.busy / 1_000
    differing = {
        key: (said[key], found[key]) for key in said if found[key] != pytest.approx(said[key], rel=1e-3, abs=1)
    }
    assert not differing
    assert max(said, key=found.__getitem__) == max(said, key=said.__getitem__)
