"""Chart, findings, summary, picture and answer are of the same thread, in every trace with several."""

import json
import re
import struct
from pathlib import Path

import pytest

from rendering.flamegraph import lay_out
from rendering.options import FlamegraphOptions
from server.edges.http.answers.insight_answer import insights_json
from server.edges.http.view_bytes import ViewQuery, view_bytes
from server.protocol.events import ToolResult
from tests.conftest import FIXTURES
from tests.server.analyst.test_analyst_chat import asked
from traces.analysis.functions import top_functions
from traces.analysis.places import Place, places
from traces.analysis.summary import summarise
from traces.errors import TraceError
from traces.insights.bands import thread_bands
from traces.model import Trace
from traces.reader import read_trace
from traces.tracks import tracks

NO_TRACE = {"PROVENANCE.md", "truth.json"}
SEVERAL = {
    "board.chrome-object.json.gz",
    "changes.chrome-array.json.gz",
    "invoices.jfr.gz",
    "order-service.speedscope.json.gz",
    "startup.perfetto-trace.gz",
}
RECORDED = sorted(
    path
    for path in FIXTURES.rglob("*")
    if path.is_file() and path.name not in NO_TRACE and "programs" not in path.relative_to(FIXTURES).parts
)
LEAST_READ = {"traces": 20, "samples": 60, "conformance/samples": 40}
"""Of each folder of shared recordings, how many are read at least: the others are no traces, and refused."""
THING = re.compile(r"#(?:[pw]\d+\.)?([fpns]\d+)(?:\.|/|$)")
IN_PROFILE = re.compile(r"/(p\d+)$")
LONG_TASKS = re.compile(r"(One|\d[\d,]*) tasks? lasts? longer than 50 ms")


def shown_in_chart(trace: Trace) -> str:
    data = view_bytes(trace, ViewQuery(mode="time_order", max_boxes=1_000), "identity")
    (length,) = struct.unpack_from("<I", data, 4)
    return str(json.loads(data[8 : 8 + length])["profile"])


def thread(trace: Trace, handle: str) -> tuple[str, str, str]:
    """What two views of one thread have in common; a profile without ids is its own thread."""
    profile = trace.profiles[int(handle[1:])]
    return profile.pid, profile.tid, "" if profile.pid or profile.tid else handle


def first_place(trace: Trace, text: str) -> str | None:
    """The profile to which the first link of an answer leads that is about a thing of the trace."""
    for address in re.findall(r"\]\((#[^)]*)\)", text):
        if within := IN_PROFILE.search(address):
            return within[1]
        if thing := THING.match(address):
            (found,) = places(trace, [thing[1]])
            assert isinstance(found, Place), address
            return found.profile
    return None


def counted(text: str) -> set[int]:
    """How many long tasks a text says there are."""
    return {1 if found == "One" else int(found.replace(",", "")) for found in LONG_TASKS.findall(text)}


async def is_of_one_thread(trace: Trace) -> None:
    first = trace.profiles[trace.default_profile].handle
    assert shown_in_chart(trace) == first
    assert tracks(trace).tracks[0].handle == first
    assert summarise(trace).default_profile == first
    assert top_functions(trace).profile == first
    assert lay_out(trace, FlamegraphOptions(mode="left_heavy")).profile.handle == first
    findings = insights_json(trace, None)["insights"]
    assert len(trace.profiles) == 1 or all(row["thread"] for row in findings)
    hottest = [row for row in findings if row["id"] == "hot-function"]
    assert {row["profile"] for row in hottest} <= {first}
    answer, scene = await asked("Why is this slow?", trace)
    about = first_place(trace, [*scene.sink.text.values()][-1])
    assert about is None or thread(trace, about) == thread(trace, first)
    pictures = [
        event.ui_payload["profile"]
        for event in scene.sink.events
        if isinstance(event, ToolResult) and event.result_type == "image" and event.ui_payload
    ]
    assert pictures[:1] in ([], [first])
    shown = [row["detail"] for row in findings if row["id"] == "long-tasks"]
    band = thread_bands(trace, None).long_tasks.count
    assert counted(" ".join([answer.text, *shown])) <= {band}


@pytest.mark.parametrize(
    "file",
    [file if file.name in SEVERAL else pytest.param(file, marks=pytest.mark.long) for file in RECORDED],
    ids=lambda file: file.name,
)
async def test_every_view_of_a_fixture_is_of_the_same_thread(file: Path) -> None:
    await is_of_one_thread(read_trace(file.read_bytes(), name=file.name))


@pytest.mark.long
@pytest.mark.timeout(900)  # a busy machine reads and asks of some sixty recordings
@pytest.mark.parametrize("folder", LEAST_READ)
async def test_every_view_of_every_shared_recording_is_of_the_same_thread(shared: Path, folder: str) -> None:
    read, wrong = 0, []
    for path in sorted((shared / folder).rglob("*")):
        if not path.is_file() or path.suffix == ".md" or ".truth." in path.name:
            continue
        try:
            trace = read_trace(path.read_bytes(), name=path.name)
        except TraceError:
            continue
        read += 1
        if len(trace.profiles) == 1:
            continue  # there is no other
        try:
            await is_of_one_thread(trace)
        except AssertionError as error:
            wrong.append(f"{path.name}: {str(error).splitlines()[0]}")
    assert wrong == []
    assert read >= LEAST_READ[folder]
