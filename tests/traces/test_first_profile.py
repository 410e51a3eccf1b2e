"""Which thread leads: where the user's program works, by role, own code and busy time."""

import numpy as np
import pytest

from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Facts, Unit, ValueType, Waits

MS = 1_000_000


def of_threads(*threads: tuple[str, str, str, float], file: str | None = None) -> Trace:
    """A trace of one call a thread: its name, pid, tid and length in milliseconds."""
    builder = TraceBuilder("threads", "test")
    for name, pid, tid, ms in threads:
        frame = np.array([builder.frame(f"work of {name}", file)], np.int32)
        builder.add_evented(name, nest_slices(np.array([0]), np.array([int(ms * MS)]), frame), pid=pid, tid=tid)
    return builder.build(content_key="0" * 64, source_bytes=1)


def first(trace: Trace) -> str:
    return trace.profiles[trace.default_profile].name


@pytest.mark.parametrize("worker", [(140, "main"), (160, "job")])
def test_a_main_thread_leads_until_another_is_busier_by_half(worker: tuple[float, str]) -> None:
    lasted, leads = worker
    assert first(of_threads(("job", "7", "8", lasted), ("main", "7", "7", 100))) == leads


@pytest.mark.parametrize("name", ["Compositor", "CrGpuMain", "Chrome_IOThread", "GC Thread#0", "kworker/0:1"])
def test_threads_of_the_system_lead_only_where_there_is_nothing_else(name: str) -> None:
    assert first(of_threads((name, "7", "8", 900), ("job", "7", "9", 100))) == "job"
    assert first(of_threads((name, "7", "8", 900), ("job", "7", "9", 0))) == name


def test_the_process_that_works_most_leads_not_the_single_busiest_thread() -> None:
    busiest = ("bash", "3", "3", 100)
    program = [("python3", "5", "5", 90), ("helper", "5", "6", 80)]
    assert first(of_threads(busiest, *program)) == "python3"


def test_a_page_leads_before_the_browser_around_it() -> None:
    threads = [("CrBrowserMain", "1", "1", 250), ("CrRendererMain", "2", "2", 100)]
    assert first(of_threads(*threads)) == "CrRendererMain"


def test_a_track_of_notes_among_threads_does_not_lead() -> None:
    threads = [("steps", "Spans", "PyTorch Profiler", 900), ("python", "9", "9", 100)]
    assert first(of_threads(*threads)) == "python"
    named = [("steps", "Spans", "PyTorch Profiler", 900), ("loop", "Spans", "data", 100)]
    assert first(of_threads(*named)) == "steps"


def test_process_0_of_a_system_is_nobody_but_of_a_program_that_counts_from_0_it_is_one() -> None:
    assert first(of_threads(("cpu", "0", "185", 900), ("app", "1685", "1686", 100))) == "app"
    assert first(of_threads(("cpu", "0", "185", 900), ("app", "1", "2", 100))) == "cpu"


def test_a_thread_without_own_code_follows_one_with_it() -> None:
    builder = TraceBuilder("own", "test")
    for tid, place, ms in (("8", "/usr/lib/python3.11/selectors.py", 200), ("9", "/app/orders.py", 100)):
        frame = np.array([builder.frame(f"work {tid}", place)], np.int32)
        builder.add_evented(f"t{tid}", nest_slices(np.array([0]), np.array([ms * MS]), frame), pid="7", tid=tid)
    assert first(builder.build(content_key="0" * 64, source_bytes=1)) == "t9"


def sampled(builder: TraceBuilder, name: str, value: ValueType, weight: int, waits: Waits = Waits.UNKNOWN) -> None:
    stacks = StackTable()
    leaf = stacks.leaves([[builder.frame("work")]])
    builder.add_sampled(name, stacks, leaf, [np.array([weight])], values=(value,), facts=Facts(waits=waits))


def test_time_leads_before_counts_counts_before_bytes_and_work_before_waiting() -> None:
    time, count, size = (ValueType("v", unit) for unit in (Unit.NANOSECONDS, Unit.COUNT, Unit.BYTES))
    builder = TraceBuilder("kinds", "test")
    sampled(builder, "heap", size, 900)
    sampled(builder, "monitors", time, 800, Waits.WAITING)
    sampled(builder, "faults", count, 700)
    assert first(builder.build(content_key="0" * 64, source_bytes=1)) == "faults"
    sampled(builder, "cpu", time, 1)
    assert first(builder.build(content_key="0" * 64, source_bytes=1)) == "cpu"


def test_samples_of_a_thread_are_shown_before_its_tasks() -> None:
    builder = TraceBuilder("two views", "test")
    stacks = StackTable()
    leaf = stacks.leaves([[builder.frame("draw")]])
    task = np.array([builder.frame("RunTask")], np.int32)
    builder.add_evented("main tasks", nest_slices(np.array([0]), np.array([90 * MS]), task), pid="7", tid="7")
    time = ValueType("time", Unit.NANOSECONDS)
    builder.add_sampled(
        "main", stacks, leaf, [np.array([80 * MS])], values=(time,), time=np.array([0]), pid="7", tid="7"
    )
    assert first(builder.build(content_key="0" * 64, source_bytes=1)) == "main"


def test_what_the_file_says_is_followed() -> None:
    builder = TraceBuilder("active", "test")
    builder.add_sampled("busy", (stacks := StackTable()), stacks.leaves([[builder.frame("a")]]), [np.array([9])])
    builder.add_sampled("active", stacks, stacks.leaves([[0]]), [np.array([1])])
    builder.default_profile = 1
    assert first(builder.build(content_key="0" * 64, source_bytes=1)) == "active"
