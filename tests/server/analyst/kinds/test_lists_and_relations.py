"""Answers keep the list that they gave; relations, sums and savings are of what is named, over all threads."""

import numpy as np
import pytest

from server.analyst.ordinals import LAST, bare_place, ranked_in, with_ordinals
from server.analyst.sentence_forms import relation_asked_of
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import MS, finished, frame, sampled, threads, timeline
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import Counts, Unit, ValueType, Waits

SORTS = {"main;merge_sort": 50, "main;quick_sort": 30, "main;heap_sort": 12, "main;load": 8}
LEDGER = {
    "main;main.(*RateCache).Get;sync.(*Mutex).Unlock": (700.0, 70.0),
    "main;main.(*Ledger).Post;sync.(*Mutex).Unlock": (300.0, 30.0),
}


def waits() -> Trace:
    """A mutex profile of Go: delays in milliseconds and how many there were."""
    builder = TraceBuilder("ledger.mutex.pprof", "pprof")
    table = StackTable()
    leaves = table.leaves([[frame(builder, one) for one in stack.split(";")] for stack in LEDGER])
    delays, counts = zip(*LEDGER.values(), strict=True)
    builder.add_sampled(
        "mutex",
        table,
        leaves,
        [np.array(counts), np.array(delays) * MS],
        values=(ValueType("contentions", Unit.COUNT), ValueType("delay", Unit.NANOSECONDS)),
        default_value=1,
        facts=sums(Counts.EVENTS, Waits.WAITING, count_value=0),
    )
    return finished(builder)


@pytest.mark.parametrize(
    ("prompt", "place"),
    [
        ("the second?", 1),
        ("and the second one?", 1),
        ("y el segundo?", 1),
        ("und der dritte?", 2),
        ("et le deuxième ?", 1),
        ("y el más rápido?", LAST),
        ("第二个？", 1),
        ("why is the second run slow?", None),
        ("the last 2 seconds", None),
    ],
)
def test_a_bare_place_is_read_in_several_languages(prompt: str, place: int | None) -> None:
    assert bare_place(prompt) == place


def test_a_list_is_what_an_answer_ranks_and_not_all_that_it_cites() -> None:
    table = "| function |\n|---|\n| [`a`](#f1) | 5 |\n| [`b`](#f2) | 4 |"
    assert ranked_in(f"**[`a`](#f1) leads.** It is called from [`x`](#f9).\n\n{table}") == ("f1", "f2")
    assert ranked_in("**The longest is [`a`](#f1): [5 ms](#q1.c1)**, then [`b`](#f2) with 4 ms and [`c`](#f3).") == (
        "f1",
        "f2",
        "f3",
    )
    in_microseconds = "**[`a`](#f1): [5 µs](#q1.c1)**, then [`b`](#f2) with 4 µs and [`c`](#f3) with 3 µs."
    assert ranked_in(in_microseconds) == ("f1", "f2", "f3")
    assert ranked_in("**[`a`](#f1) takes the most.** What to look at is [`b`](#f2), which calls it.") == ()
    assert with_ordinals("the second?", (), ("f1", "f9")) == "the second?"
    assert with_ordinals("and the next one?", ("f1", "f2", "f3"), (), "f2") == "and f3?"
    assert with_ordinals("next?", ("f1", "f2", "f3")) == "and f2?"


async def test_second_and_fastest_are_of_the_list_that_was_given() -> None:
    _, second, fastest = await talk(sampled(SORTS), "which sort is the slowest?", "the second?", "y el más rápido?")
    assert second.startswith("**[`quick_sort`](#f2)**"), second
    assert fastest.startswith("**[`heap_sort`](#f3)**"), fastest


async def test_the_second_without_a_list_is_that_of_the_ranking_of_who_waits() -> None:
    first, second, count, cpu = await talk(
        waits(),
        "what are the goroutines blocked on",
        "and the second one?",
        "how many contentions on the first?",
        "how much cpu does it burn?",
    )
    assert "[`main.(*RateCache).Get`](#f1): 700 ms in 70 waits, of 1.00 s in all" in first, first
    assert second.startswith("**[`main.(*Ledger).Post`]"), second
    assert count.startswith("**70 contentions lie in [`main.(*RateCache).Get`]"), count
    assert cpu.startswith("**CPU time cannot be said: this trace measures waiting"), cpu


async def test_a_go_receiver_is_found_without_its_brackets_and_the_pronoun_is_it() -> None:
    saved, callers = await talk(waits(), "what would i save if RateCache.Get had no lock?", "who calls it")
    assert saved.startswith("**At most 70.0% (700 ms) of waiting would be saved, if [`main.(*RateCache).Get`]"), saved
    assert "[`main.(*RateCache).Get`](#f1) is called from [`main`](#f0)" in callers, callers


async def test_all_contentions_are_counted() -> None:
    answer, _ = await asked("how many contentions in total", waits())
    assert answer.text.startswith("**100 contentions were recorded in [`mutex`](#p0).**"), answer.text


async def test_what_nothing_counts_is_no_function() -> None:
    answer, _ = await asked("how many goblins were there?", sampled(SORTS))
    assert "goblin" in answer.text.partition("\n")[0], answer.text


PYTHON = {
    "main;compile@/usr/lib/python3/re/_compiler.py;parse": 30,
    "main;<built-in method _sre.compile>": 2,
    "main": 68,
}


async def test_a_function_of_a_module_is_not_the_builtin_that_ends_alike() -> None:
    answer, _ = await asked("wie viel würde ich sparen wenn re.compile gratis wäre?", sampled(PYTHON))
    assert answer.text.startswith("**At most 30.0% (30.0 ms) would be saved, if [`compile`]"), answer.text


TWO = (["main;sum_up"] * 8 + ["main;check"] * 2, ["main;check"] * 6 + ["main;sum_up;join"] * 1 + ["", "", ""])


async def test_what_is_saved_is_that_of_all_threads() -> None:
    answer, _ = await asked("what would i save without `check`?", threads(*TWO))
    assert answer.text.startswith("**At most 47.1% (80.0 ms) of all threads together would be saved"), answer.text


async def test_two_functions_are_compared_over_all_threads() -> None:
    answer, _ = await asked("`sum_up` or `check`, which costs more?", threads(*TWO))
    assert "90.0 ms" in answer.text, answer.text
    assert "80.0 ms" in answer.text, answer.text
    assert "of all threads together" in answer.text, answer.text


async def test_both_are_the_two_of_the_prompt_before() -> None:
    _, both = await talk(sampled(SORTS), "`merge_sort` or `quick_sort`?", "and what if both were free")
    assert "20.0 ms (20.0%) of 100 ms would be left at best**: 80.0 ms would be saved" in both


async def test_whether_one_function_calls_another_is_a_yes_or_a_no() -> None:
    trace = sampled({"main;build_packet;strcat": 30, "main;column_sums;add": 60, "main": 10})
    no, _ = await asked("is strcat called from column_sums?", trace)
    assert no.text.startswith("**No: [`strcat`](#f2) is called from [`build_packet`](#f1)"), no.text
    yes, _ = await asked("does column_sums call add?", trace)
    assert yes.text.startswith("**Yes: [`column_sums`](#f3) calls [`add`](#f4).**"), yes.text
    through, _ = await asked("is strcat called from `main`?", trace)
    assert through.text.startswith("**Yes, through others: [`strcat`](#f2) runs below [`main`](#f0).**"), through.text
    missing, _ = await asked("is strcat called from no_such_thing?", trace)
    assert missing.text.startswith("This trace has no function that matches `no_such_thing`."), missing.text
    assert relation_asked_of("does it call itself?") == ()


async def test_threads_that_were_sampled_all_the_time_are_not_called_busy() -> None:
    builder = TraceBuilder("small", "example")
    for name in ("tile-0", "tile-1", "heartbeat"):
        table = StackTable()
        leaves = table.leaves([[frame(builder, "run"), frame(builder, name.partition("-")[0])]])
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        facts = sums(Counts.SAMPLES, Waits.UNKNOWN)
        builder.add_sampled(name, table, leaves, [np.array([2_000 * MS])], values=kinds, pid="1", tid=name, facts=facts)
    answer, _ = await asked("which thread is the busiest?", finished(builder))
    assert "busy" not in answer.text.replace("busiest", ""), answer.text


async def test_words_of_another_language_that_nothing_is_named_like_are_admitted() -> None:
    answer, _ = await asked("le tri des prix coûte combien ?", sampled(SORTS))
    assert answer.text.startswith("**I could not place `tri` and `prix`"), answer.text


async def test_a_slip_of_typing_is_no_word_that_was_not_read() -> None:
    answer, _ = await asked("so where does teh time go?", sampled(SORTS))
    assert "could not place" not in answer.text, answer.text


@pytest.mark.parametrize(
    ("prompt", "code", "opening"),
    [
        ("how many GCs happend", "recorded_collections", "**3 "),
        ("any lock contention?", "recorded_lock_waits", "**Yes: 3 "),
        ("which type is allocated most", "recorded_allocations", "**3 "),
        ("is the threadpool starving?", "recorded_pool_changes", "**Yes: 3 "),
    ],
)
async def test_events_that_were_only_counted_are_not_denied(prompt: str, code: str, opening: str) -> None:
    answer, _ = await asked(prompt, sampled(SORTS, warnings={code: 3}))
    assert opening in answer.text, answer.text
    other, _ = await asked(prompt, sampled(SORTS, warnings={"lost": 3}))
    assert opening not in other.text, other.text


NAMELESS = {"telemetryd+0x13ae;telemetryd+0x11e3": 80, "telemetryd+0x13ae;telemetryd+0x1259": 15, "main": 5}


async def test_a_recording_without_symbols_is_why_a_name_is_not_found() -> None:
    answer, _ = await asked("if i drop the checksum altogether what do I gain", sampled(NAMELESS))
    assert answer.text.startswith(
        "This trace has no function that matches `checksum`: most of it was recorded without symbols"
    ), answer.text
    named, _ = await asked("who calls `checksum`?", sampled(SORTS))
    assert named.text.startswith("This trace has no function that matches `checksum`."), named.text


async def test_the_name_of_the_binary_is_no_function_of_it() -> None:
    answer, _ = await asked("where's cpu going in telemetryd", sampled(NAMELESS))
    assert answer.text.startswith("**[`telemetryd+0x11e3`](#f1) dominates**"), answer.text


async def test_kernels_are_counted_on_the_device_without_copies() -> None:
    host = [("hipLaunchKernel", 0, 5), ("hipLaunchKernel", 6, 9)]
    device = [("gemm", 1, 3), ("Memcpy HtoD", 3, 4), ("relu", 6, 7), ("gemm", 7, 8)]
    trace = timeline(host, device, names=("python3 CPU", "python3 GPU 2 (pid 2), stream 0"))
    answer, _ = await asked("how many kernels ran?", trace)
    assert answer.text.startswith("**3 kernels took 4.00 ms together"), answer.text


@pytest.mark.parametrize("prompt", ["slowest kernel call, when was it"])
async def test_the_longest_kernel_is_of_all_tracks_of_devices_and_no_copy(prompt: str) -> None:
    host, device = [("elementwise_kernel", 0, 9)], [("gemm", 1, 6), ("Memcpy HtoD", 6, 20), ("relu", 20, 21)]
    trace = timeline(host, device, names=("python3 CPU", "python3 GPU 2 (pid 2), stream 0"))
    answer, _ = await asked(prompt, trace)
    assert answer.text.startswith("**The longest kernel took 5.00 ms from 1.00 ms on in [`gemm`]"), answer.text


COLLECTED = {"main;nsCycleCollector::Shutdown;js::GC": 40, "main;nsCycleCollector::Shutdown": 24, "main;js::GC": 6}


async def test_what_a_collector_would_save_is_that_of_the_one_that_is_named() -> None:
    trace = sampled(COLLECTED | {"main;draw": 30})
    cycles, _ = await asked("what if the cycle collector was free?", trace)
    assert cycles.text.startswith("**At most 64.0% (64.0 ms) would be saved, if [`nsCycleCollector"), cycles.text
    every, _ = await asked("how much would be saved if gc was free?", trace)
    assert every.text.startswith("**At most 46.0% (46.0 ms) would be saved, if all that is named like gar"), every.text


async def test_whether_the_processor_is_busy_is_answered_with_yes_or_no() -> None:
    waiting, _ = await asked("is the cpu busy during that?", sampled({"main;time.sleep": 90, "main": 10}))
    assert waiting.text.startswith("**No: it waits in [`time.sleep`](#f1), 90.0% (90.0 ms).**"), waiting.text


async def test_most_of_the_calls_are_not_most_of_the_time() -> None:
    calls = [("merge", 0, 50), ("append", 1, 40), ("sort", 60, 90), ("append", 61, 62), ("append", 63, 64)]
    answer, _ = await asked("who does most of those calls to `append`?", timeline(calls))
    assert answer.text.startswith("**[`append`](#f1) is called from [`sort`](#f2)"), answer.text


async def test_the_leader_of_a_window_is_the_first_of_its_table() -> None:
    rows = [("main;draw", 12.0), ("main;js::GC::sweep", 14.0), *((f"main;part{at}", 3.0) for at in range(20))]
    answer, _ = await asked("what is hot between 0 ms and 80 ms?", sampled(rows))
    assert "sweep" in answer.text.partition("\n")[0], answer.text


async def test_a_program_that_is_called_a_service_is_not_one_of_its_functions() -> None:
    trace = sampled({"main;small_post": 20, "main;format_audit": 80})
    answer, _ = await asked("what burns cpu in the small service", trace)
    assert answer.text.startswith("**[`format_audit`](#f2) dominates**"), answer.text


async def test_a_package_ends_with_its_path() -> None:
    packages = sampled({"main;lib/compile/ssa.Run": 60, "main;lib/compile/ssagen.Run": 40})
    answer, _ = await asked("sum up everything in lib/compile/ssa", packages)
    assert answer.text.startswith("**The one function whose name or file holds `lib/compile/ssa` takes 60.0%")


async def test_a_profile_of_waits_does_not_keep_threads_apart() -> None:
    answer, _ = await asked("how many threads were blocked?", waits())
    assert answer.text.startswith("**Threads are not kept apart in this recording**")
    assert "0 ns" not in answer.text


async def test_gc_is_the_collector_and_no_function_of_that_name() -> None:
    stacks = {"main;runtime.GC": 1, "runtime.gcBgMarkWorker;runtime.gcDrain": 39, "main;work": 60}
    answer, _ = await asked("so gc is the problem right?", sampled(stacks))
    assert answer.text.startswith("**Yes: [`runtime.gcBgMarkWorker`]")


def timed_and_allocated() -> Trace:
    builder = TraceBuilder("small", "example")
    table = StackTable()
    leaves = table.leaves([[frame(builder, "main"), frame(builder, one)] for one in ("slow", "greedy")])
    values = (ValueType("time", Unit.NANOSECONDS), ValueType("allocated", Unit.BYTES))
    builder.add_sampled("main", table, leaves, [np.array([90.0, 10.0]) * MS, np.array([1e6, 9e6])], values=values)
    return finished(builder)


async def test_memory_is_asked_of_a_profile_of_time_that_has_bytes_too() -> None:
    answer, _ = await asked("so what allocs the most?", timed_and_allocated())
    assert answer.text.startswith("**By “allocated” [`greedy`]")


async def test_what_is_ranked_is_a_word_of_its_own() -> None:
    answer, _ = await asked("worst pass?", sampled({"main;mapassign": 60, "main;mapassign_fast": 40}))
    assert answer.text.startswith("**Nothing in this trace is called `pass`**")
    passes = sampled({"main;first_pass;work": 30, "main;second_pass;work": 60, "main;load": 10})
    assert "`second_pass`" in (await asked("worst pass?", passes))[0].text.partition(":")[0]


FARM = sampled({
    "main;feed;weigh;compare": 50.0, "main;feed;weigh": 20.0, "main;milk": 15.0, "main;count_eggs": 10.0, "main": 5.0,
})  # fmt: skip


async def test_what_else_is_the_heaviest_that_was_not_spoken_of() -> None:
    _, second, third, first = await talk(
        FARM, "what takes the most", "what else", "what else", "why is count_eggs slow"
    )
    assert second.startswith("**[`weigh`]"), second
    assert "It is on one path with [`compare`](#f3); apart from that [`milk`](#f4) is next" in second, second
    assert third.startswith("**[`milk`]"), third
    assert "called from [`main`]" in first, first
    answers = await talk(FARM, "how long is milk", "what else")
    assert answers[1].startswith("**[`compare`]"), answers[1]


async def test_who_calls_it_goes_up_to_where_the_program_begins() -> None:
    _, inside, callers = await talk(FARM, "top function", "what is slow in it", "whats calling it")
    *_, share = await talk(FARM, "top function", "in which file", "how much is that of feed")
    assert "of [`feed`](#f1) is [`compare`](#f3)**" in share, share
    assert "[`compare`](#f3) calls nothing else that was recorded" in inside, inside
    assert (
        "is called from [`weigh`](#f2) (50.0 ms)** (with all it brings in brackets), further up from [`feed`]"
        in callers
    )
