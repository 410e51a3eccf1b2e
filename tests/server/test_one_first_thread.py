"""Chart, findings, summary, picture and answer are of the same thread, in every trace with several."""

import json
import re
import struct
from pathlib import Path

import pytest

from rendering.flamegraph import lay_out
from rendering.options import FlamegraphOptions
from server.edges.http.insight_routes import insights_json
from server.edges.http.view_bytes import ViewQuery, view_bytes
from tests.conftest import FIXTURES, SHARED
from tests.server.analyst.test_analyst_chat import asked
from traces.analysis.functions import top_functions
from traces.analysis.summary import summarise
from traces.model import Trace
from traces.reader import read_trace

SEVERAL = [
    "board.chrome-object.json.gz",
    "changes.chrome-array.json.gz",
    "invoices.jfr.gz",
    "startup.perfetto-trace.gz",
    "sample/order-service.speedscope.json.gz",
]
SHARED_SEVERAL = [
    "traces/chrome-100mb.json.gz",
    "traces/firefox-gecko-profile.json.gz",
    "traces/perf-multi-pid.linux-perf.txt.gz",
    "samples/chrome-trace.catapult-lthi-cats.json.gz",
    "samples/chrome-trace.catapult-perf-sampling.json.gz",
    "samples/chrome-trace.lighthouse-amp-m86.json.gz",
    "samples/chrome-trace.lighthouse-amp.json.gz",
    "samples/perfetto.nowinandroid.perfetto-trace.gz",
    "samples/torch.hta-nccl.json.gz",
    "samples/viztracer.multi_process_pool.json.gz",
]
CITED = re.compile(r"\]\(#(p\d+)[).]")
MANY_TASKS = re.compile(r"(\d[\d,]*) tasks last longer than 50 ms")


def shown_in_chart(trace: Trace) -> str:
    data = view_bytes(trace, ViewQuery(mode="time_order", max_boxes=1_000), "identity")
    (length,) = struct.unpack_from("<I", data, 4)
    return str(json.loads(data[8 : 8 + length])["profile"])


def thread(trace: Trace, handle: str) -> tuple[str, str, str]:
    """What two views of one thread have in common; a profile without ids is its own thread."""
    profile = trace.profiles[int(handle[1:])]
    return profile.pid, profile.tid, "" if profile.pid or profile.tid else handle


async def is_of_one_thread(trace: Trace) -> None:
    first = trace.profiles[trace.default_profile].handle
    assert shown_in_chart(trace) == first
    assert summarise(trace).default_profile == first
    assert top_functions(trace).profile == first
    assert lay_out(trace, FlamegraphOptions(mode="left_heavy")).profile.handle == first
    findings = insights_json(trace, None)["insights"]
    assert all(row["thread"] for row in findings)
    hottest = [row for row in findings if row["id"] == "hot-function"]
    assert {row["profile"] for row in hottest} <= {first}
    answer, _ = await asked("Why is this slow?", trace)
    cited = CITED.findall(answer.text)
    assert not cited or thread(trace, cited[0]) == thread(trace, first)
    shown = [row["template"] for row in findings if row["id"] == "long-tasks"]
    counts = MANY_TASKS.findall(" ".join([answer.text, *shown]))
    assert len(set(counts)) <= 1


@pytest.mark.parametrize("name", SEVERAL)
async def test_every_view_of_a_fixture_is_of_the_same_thread(name: str) -> None:
    await is_of_one_thread(read_trace((FIXTURES / name).read_bytes(), name=Path(name).name))


@pytest.mark.long
@pytest.mark.parametrize("name", SHARED_SEVERAL)
async def test_every_view_of_a_recording_is_of_the_same_thread(shared: Path, name: str) -> None:
    await is_of_one_thread(read_trace((SHARED / name).read_bytes(), name=Path(name).name))
