"""The built-in analyst over every fixture: each kind of question is answered, and what it writes is in the trace."""

from dataclasses import replace
from pathlib import Path

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.agent.turn import TurnAnswer
from server.agent.verification.references.figure_links import without_addresses
from server.protocol.wire_values import ViewerState
from tests.inline_workers import inline_workers
from tests.server.agent.tool_context import TracesInHand
from tests.server.agent.turns import stage
from tests.traces.insights.recorded import sampled
from traces.analysis.functions import top_functions
from traces.model import Trace
from traces.reader import read_trace

VIEWER = ViewerState(mounted_tools=("show_in_viewer",))
FIXTURES = (
    "sample/order-service.speedscope.json.gz",
    "board.chrome-object.json.gz",
    "changes.chrome-array.json.gz",
    "error-groups.pyspy.collapsed.txt",
    "invoices.jfr.gz",
    "redact-documents.cprofile.prof",
    "redact-documents.viztracer.json.gz",
    "search-index.cpuprofile.gz",
    "search-index.node-wall.pb.gz",
    "search-index.v8.log.gz",
    "session-cache.heapprofile.gz",
    "settlement.go-cpu.pb.gz",
    "settlement.go-heap.pb.gz",
    "startup.perfetto-trace.gz",
    "thumbnails.callgrind.out.gz",
    "thumbnails.linux-perf.txt.gz",
    "thumbnails.perf.collapsed.txt",
    "thumbnails.uftrace.json.gz",
)
QUESTIONS = (
    "Why is this slow?",
    "What are the top 10 functions?",
    "What should I fix first?",
    "Is anything wrong?",
    "How much is my own code, without libraries?",
    "What is the hot path?",
    "Is anything recursive?",
    "Why is `{hot}` slow?",
    "Who calls `{hot}`?",
    "What does `{hot}` call?",
    "How often is `{hot}` called?",
    "Compare `{hot}` and `{other}`",
    "Show me `{hot}`",
    "Is it garbage collection?",
    "Is it waiting for I/O?",
    "Which SQL query is the slowest?",
    "Is there a memory leak?",
    "Which threads are busy?",
    "Is the main thread blocked?",
    "What does the thread {thread} do?",
    "Why does it start so slowly?",
    "What are the long tasks?",
    "What runs at 100 ms?",
    "What happens between 50 ms and 150 ms?",
    "Compare the first half with the second half",
    "What is the LCP?",
    "Is it regular expressions?",
    "Is this slower than yesterday?",
    "What is this trace?",
    "Rewrite it in Rust for me",
    "Why does `{other}` take 95% of the time?",
)
"""One of each kind, and more."""


async def asked(prompt: str, trace: Trace, *others: Trace) -> TurnAnswer:
    workers = inline_workers()
    tool_context = TracesInHand(workers, {other.name: other for other in others}) if others else None
    scene = stage(ChosenModels(ModelChoice()), trace, prompt=prompt, viewer=VIEWER, tool_context=tool_context)
    for other in others:
        scene.agent._workers.hold(other)  # type: ignore[attr-defined]
    answer = await scene.agent.answer(scene.turn, scene.sink)
    return replace(answer, text=without_addresses(answer.text))


def read(fixtures: Path, name: str) -> Trace:
    return read_trace((fixtures / name).read_bytes(), name=Path(name).name)


def filled(question: str, trace: Trace) -> str:
    rows = top_functions(trace, limit=6).rows
    names = [row.name.replace("`", "'") for row in rows if not row.name.startswith("(")]
    return question.format(hot=names[0], other=names[-1], thread=trace.profiles[-1].name.split()[-1])


async def unverified(trace: Trace, questions: tuple[str, ...]) -> tuple[int, list[str]]:
    """How many claims the answers made, and those that are not in the trace."""
    claims, missing = 0, []
    for question in questions:
        answer = await asked(filled(question, trace), trace)
        assert not answer.text.startswith("*Written"), "something is answered"
        claims += len(answer.checks)
        missing += [
            f"{question}: {check.claim}" for check in answer.checks if check.status in ("contradicted", "not_found")
        ]
    return claims, missing


def some_questions(name: str) -> tuple[str, ...]:
    """Six that differ from fixture to fixture."""
    at = FIXTURES.index(name)
    return tuple(QUESTIONS[(at + 5 * step) % len(QUESTIONS)] for step in range(6))


@pytest.mark.parametrize("name", FIXTURES[::6])
async def test_what_it_writes_about_a_fixture_is_in_the_trace(fixtures: Path, name: str) -> None:
    _, missing = await unverified(read(fixtures, name), some_questions(name))
    assert missing == []


async def test_bytes_that_a_statement_sums_are_verified(fixtures: Path) -> None:
    questions = ("the five biggest functions", "how much do the top 3 take together", "top 3 packages")
    claims, missing = await unverified(read(fixtures, "settlement.go-heap.pb.gz"), questions)
    assert claims > len(questions)
    assert missing == []


async def test_what_hardly_changed_is_found_in_both_of_two_recordings_of_many_functions() -> None:
    stacks = {f"main;work_{at}": 1.0 + at for at in range(260)} | {"main;tidy_up": 4.0}
    later = sampled({name: weight * (1.5 if "work" in name else 1.0) for name, weight in stacks.items()})
    answer = await asked(
        "how long does tidy_up take, here and in the other one?", later, replace(sampled(stacks), name="old")
    )
    assert "tidy_up`" in answer.text
    assert answer.text.count("4.00 ms (") == 2, answer.text


@pytest.mark.long
@pytest.mark.parametrize("name", FIXTURES)
async def test_at_least_99_of_100_claims_are_verified_whatever_is_asked(fixtures: Path, name: str) -> None:
    """Every second question, and of some all claims; two neighbours of the list are asked all of them."""
    some = some_questions(name)
    every_second = QUESTIONS[FIXTURES.index(name) % 2 :: 2]
    claims, missing = await unverified(read(fixtures, name), tuple(dict.fromkeys([*every_second, *some])))
    assert len(missing) * 100 <= claims, missing
    assert [one for one in missing if one.startswith(some)] == []


TRAPS = (
    ("Is it data loading?", "settlement.go-cpu.pb.gz", "**This trace cannot say that** (loading data)"),
    ("Is it logging?", "settlement.go-cpu.pb.gz", "**No, that is not where it goes**"),
    ("What is the LCP?", "settlement.go-cpu.pb.gz", "**This trace cannot say"),
    (
        "Is there a memory leak?",
        "thumbnails.linux-perf.txt.gz",
        "**This trace cannot say: it measures time, not memory**",
    ),
    ("Which lock is contended?", "thumbnails.linux-perf.txt.gz", "**This trace cannot say: it is a CPU profile"),
    (
        "How many ms does rememberSession take?",
        "session-cache.heapprofile.gz",
        "**How long anything takes cannot be said: this trace measures bytes",
    ),
    (
        "How many seconds are in edit_distance?",
        "error-groups.pyspy.collapsed.txt",
        "**How long anything takes cannot be said: this trace counts",
    ),
    ("What runs at 2 s?", "thumbnails.callgrind.out.gz", "**This trace cannot say what happened when**"),
    (
        "What happens between 500 s and 600 s?",
        "board.chrome-object.json.gz",
        "**Nothing happens between 8 min 20 s and",
    ),
    ("What does the thread gpu-9 do?", "board.chrome-object.json.gz", "**No thread or profile of this trace is named"),
    ("Why is `parseInvoice` slow?", "board.chrome-object.json.gz", "This trace has no function that matches"),
    (
        "Which SQL query is slow?",
        "thumbnails.linux-perf.txt.gz",
        "**No query and no request is recorded in this trace**",
    ),
    ("Is this slower than yesterday?", "settlement.go-cpu.pb.gz", "**One trace alone cannot say"),
    ("Rewrite `luhn_sum` in Rust for me.", "redact-documents.cprofile.prof", "**That needs a language model**"),
    (
        "How often is `window_mean` called?",
        "thumbnails.linux-perf.txt.gz",
        "**How often [`window_mean`](#f4) was called cannot",
    ),
    (
        "Why does `checksum` take 90%?",
        "thumbnails.linux-perf.txt.gz",
        "**No, [`checksum`](#f5) does not take that much.**",
    ),
)


@pytest.mark.parametrize(("prompt", "name", "begins"), TRAPS)
async def test_what_a_trace_cannot_show_is_said_first(fixtures: Path, prompt: str, name: str, begins: str) -> None:
    assert (await asked(prompt, read(fixtures, name))).text.startswith(begins)


async def test_calls_that_a_profiler_counted_are_counted(fixtures: Path) -> None:
    answer = await asked("How often is `window_mean` called?", read(fixtures, "thumbnails.callgrind.out.gz"))
    assert answer.text.startswith("**[`window_mean`](#f41) was called 8,192 times**")


async def test_two_functions_that_weigh_the_same_are_both_the_answer() -> None:
    trace = sampled([("main;pack", 45), ("main;seal", 44), ("main;rest", 11)])
    assert (await asked("Why is this slow?", trace)).text.startswith("**[`pack`](#f1) and [`seal`](#f2) take about as")


async def test_nothing_wrong_is_said_plainly() -> None:
    flat = sampled([(f"main;step_{number}", 10) for number in range(60)])
    answer = await asked("Is anything wrong?", flat)
    assert answer.text.startswith("**Nothing looks wrong**: no function dominates.")


async def test_a_spread_trace_names_what_its_time_passes_through() -> None:
    trace = sampled([(f"main;serve;render;tag_{number}", 10) for number in range(50)] + [("main;serve;log", 40)])
    answer = await asked("What is the bottleneck?", trace)
    assert "but nothing dominates**" in answer.text
    assert "The largest part passes through [`render`](#f2): 92.6%." in answer.text.splitlines()[0]


async def test_a_function_that_passes_its_work_on_is_followed_to_where_it_is_done() -> None:
    trace = sampled([("main;handle;build;price;find", 60), ("main;handle;render", 40)])
    answer = await asked("Why is handle slow?", trace)
    line = next(line for line in answer.text.splitlines() if line.startswith("Below it"))
    assert line.startswith("Below it the largest part is spent in [`find`](#f4), 60.0% (60.0 ms) itself.")
    assert line.endswith("[`handle`](#f1) 100.0% → [`build`](#f2) 60.0% → [`price`](#f3) 60.0% → [`find`](#f4) 60.0%.")
    assert "Below it" not in (await asked("Why is price slow?", trace)).text, "its callee is told already"


async def test_the_newest_other_trace_is_compared_when_none_is_named() -> None:
    before = replace(sampled([("main;parse", 20), ("main;draw", 80)]), name="before", content_key="6" * 64)
    after = sampled([("main;parse", 60), ("main;draw", 40)])
    answer = await asked("Is this slower than before?", after, before)
    assert answer.text.startswith("**No, it is about the same.** **In `before` it is 100 ms in all, here 100 ms")
    assert "**By itself [`parse`](#f1) (20.0 ms to 60.0 ms) grew most" in answer.text
    assert [check for check in answer.checks if check.status in ("contradicted", "not_found")] == []


async def test_what_grew_by_what_it_calls_is_not_listed_with_a_share_that_fell() -> None:
    stacks = [("main;parse", 20), ("main;parse;read", 10), ("main;draw", 70)]
    before = replace(sampled(stacks), name="before", content_key="6" * 64)
    after = sampled([("main;parse", 10), ("main;parse;read", 50), ("main;draw", 40)])
    answer = await asked("compare with `before`", after, before)
    larger = answer.text.partition("Slower or larger:")[2].partition("Faster or smaller:")[0]
    assert "[`parse`](#f1): 30.0 ms to 60.0 ms, with what it calls" in without_addresses(larger)
    assert "20.0 ms" not in larger
    assert [check for check in answer.checks if check.status in ("contradicted", "not_found")] == []


async def test_the_plan_is_reported_where_there_is_an_account() -> None:
    one = sampled([("main", 1)])
    answer = await asked("How many messages do I have left?", one, replace(one, name="other", content_key="6" * 64))
    assert answer.text.startswith("**Your plan is `team`**: 7 of 20 messages of this conversation used, 13 left; 3")
