"""What is asked of a function holds for all threads that call it, and of a device for all of its streams."""

import re
from pathlib import Path

import numpy as np
import pytest

from server.analyst.kinds.scripts import BY_SCRIPT, longest_scripts, scripts_asked_for
from server.analyst.question import Intent, alone
from tests.server.analyst.kinds.test_moments_and_calls import given
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import MS, finished, sampled, timeline, values
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.model import Trace
from traces.reader import read_trace
from traces.stacks import StackTable
from traces.values import Counts, Facts, Unit, ValueType, Waits

SAMPLE = Path(__file__).parents[4] / "fixtures" / "sample" / "order-service.speedscope.json.gz"
TWO_THREADS = ([("work", 0, 100), ("write", 10, 20), ("write", 30, 45)], [("work", 0, 90), ("write", 10, 70)])


async def test_calls_are_counted_in_all_threads() -> None:
    answer, _ = await asked("how often is `write` called?", timeline(*TWO_THREADS, names=("a", "b")))
    assert answer.text.startswith("**[`write`](#f1) was called 3 times**"), answer.text


async def test_the_slowest_call_may_lie_in_any_thread_which_is_named() -> None:
    answer, _ = await asked("worst call of `write`?", timeline(*TWO_THREADS, names=("a", "b")))
    assert "**The slowest call of [`write`](#s4) took 60.0 ms**, from 10.0 ms on in [`b`](#p1)." in answer.text
    assert "Of its 3 calls the middle one took 15.0 ms" in answer.text
    assert "No: " not in answer.text


async def test_single_calls_of_samples_on_clocks_of_their_own_are_no_failure() -> None:
    answer, _ = await asked("worst find_discount call, and when?", read_trace(SAMPLE.read_bytes(), name=SAMPLE.name))
    assert answer.text.startswith("**Single calls are not in this trace**"), answer.text
    assert "failed" not in answer.text


async def test_the_second_long_task_is_not_the_first() -> None:
    trace = timeline([("boot", 0, 500), ("layout", 0, 400), ("click", 600, 800), ("idle", 900, 901)])
    answer, _ = await asked("and the second long task?", trace)
    assert answer.text.startswith("**The second longest task took 200 ms**: [`click`]"), answer.text


@pytest.mark.parametrize(
    ("prompt", "intent"),
    [
        ("what's the biggest kernel", Intent.GROUP),
        ("longest single wait?", Intent.WAITING),
        ("who waits longest?", Intent.PROFILES),
        ("threads hang, why?", Intent.WAITING),
        ("wo verliere ich am meisten Zeit beim Warten?", Intent.WAITING),
        ("same between 4 and 5", Intent.WINDOW),
        ("which line in `parse`", Intent.FUNCTION),
        ("how many kernel launches?", Intent.HOW_OFTEN),
        ("which script blocks the main thread longest", Intent.GROUP),
        ("which file blocks the main thread", Intent.GROUP),
        ("which class is locked", Intent.WAITING),
        ("welche Funktion soll ich zuerst anfassen?", Intent.FIRST_FIX),
        ("forward or backward, which is longer", Intent.GROUP),
    ],
)
def test_forms_of_questions_that_words_would_mislead(prompt: str, intent: Intent) -> None:
    assert alone(prompt, {}, None).intent is intent


async def test_a_function_of_c_is_no_slip_of_memory() -> None:
    answer, _ = await asked("so is memcpy the issue?", timeline([("main", 0, 50), ("memcpy", 0, 40)]))
    assert answer.text.startswith("**Yes: Copying.** 80.0% (40.0 ms)"), answer.text


async def test_contentions_are_counted_with_what_a_function_calls() -> None:
    columns = (("contentions", Unit.COUNT), ("delay", Unit.NANOSECONDS))
    trace = values({"main;update;unlock": (990, 7e9), "main;other;unlock": (10, 1e9)}, columns)
    answer, _ = await asked("how many times is `update` called", trace)
    assert "**990 contentions lie in [`update`](#f1) and what it calls**" in answer.text, answer.text


async def test_the_longest_wait_is_that_of_one_event() -> None:
    builder = TraceBuilder("both", "example")
    for name, stacks in (("cpu", ["run", "run"]), ("Waits for locks", ["append", "append"])):
        table = StackTable()
        leaves = table.leaves([[builder.frame(stack)] for stack in stacks])
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        facts = Facts() if name == "cpu" else sums(Counts.EVENTS, Waits.WAITING)
        weights = [np.array([30 * MS, 70 * MS])]
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid="1", tid=name, facts=facts)
    answer, _ = await asked("longest single wait?", finished(builder))
    assert answer.text.startswith("**The longest wait took 70.0 ms in [`append`]"), answer.text


@pytest.mark.parametrize(("above", "when"), [("append", " from 30.0 ms on"), ("other", "")])
async def test_a_wait_was_when_its_thread_waited_as_long_in_the_same_function(above: str, when: str) -> None:
    builder = TraceBuilder("waits", "example")
    weights, kinds = [np.array([30.0, 70.0]) * MS], (ValueType("time", Unit.NANOSECONDS),)
    for name, tid, stack, facts in (
        ("Waits for locks", "", ["append"], sums(Counts.EVENTS, Waits.WAITING)),
        ("Waits of w0", "7", [above, "(lock: Map)"], Facts(counts=Counts.EVENTS, waits=Waits.WAITING)),
    ):
        table = StackTable()
        leaves = table.leaves([[builder.frame(one) for one in stack]] * 2)
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid="1", tid=tid, facts=facts)
    answer, _ = await asked("longest single wait?", finished(builder))
    thread = "[`Waits of w0`](#p1)" if when else "[`Waits for locks`](#p0)"
    assert f"**The longest wait took 70.0 ms{when} in [`append`](#f0), {thread}**" in answer.text, answer.text


async def test_a_range_of_one_thread_names_it() -> None:
    answer, _ = await asked("between 0.05 s and 0.08 s, what runs?", timeline(*TWO_THREADS, names=("a", "b")))
    assert re.search(r"of 30\.0 ms in \[`\w+`\]\(#p\d\)\.", answer.text.partition("\n")[0]), answer.text


async def test_what_several_functions_are_named_is_said_with_their_files() -> None:
    trace = sampled({"main;add@a.js": 40, "main;add@b.js": 30, "main;other": 30})
    answer, _ = await asked("which add is it, there are two", trace)
    named = "**2 functions are named `add`: which one?** [`add`](#f1) (`a.js:1`) 40.0%"
    assert answer.text.startswith(named)
    figure, _ = await asked("add self time", trace)
    assert figure.text.startswith(named), "the figure of one is not given as if there was no other"


async def test_the_culprit_of_an_answer_is_what_the_next_prompt_is_about() -> None:
    trace = sampled(
        {"main;invoice;tax;section;copy": 60, "main;invoice;tax;section": 3, "main;invoice;list": 2, "main": 5}
    )
    first, second = await talk(trace, "why is `invoice` slow", "and who calls it?")
    assert "Below it the largest part is spent in [`copy`](#f4)" in first.partition("\n")[0], first
    assert second.startswith("About [`copy`](#f4), as before: **[`copy`](#f4) is called from [`section`](#f3)"), second


async def test_why_a_part_is_slow_is_about_that_part() -> None:
    trace = sampled({"main;Optimizer.step;scale": 30, "main;backward": 60, "main;load": 10})
    answer, _ = await asked("why is the optimizer so slow", trace)
    assert answer.text.startswith("**[`Optimizer.step`]"), answer.text
    named, _ = await asked("why is matching slow", sampled({"main;matchTrades": 90, "main;other": 10}))
    assert named.text.startswith("**[`matchTrades`]"), named.text
    everything, _ = await asked("why is the loader so slow", sampled({"main;load;parse": 90, "main;other": 10}))
    assert everything.text.startswith("**[`parse`]"), everything.text


async def test_which_gets_no_no_before_it_and_one_or_the_other_no_yes() -> None:
    trace = sampled({"main;tidy;re.sub": 14, "main;sleep": 40, "main;work": 46})
    which, _ = await asked("Welcher reguläre Ausdruck kostet am meisten?", trace)
    assert not which.text.startswith("**No"), which.text
    either, _ = await asked("does it wait or work?", trace)
    assert not either.text.startswith("**Yes"), either.text


async def test_what_is_done_to_something_is_looked_up_before_what_was_spoken_of() -> None:
    trace = sampled({"main;read_config": 10, "main;sleep": 50, "main;work": 40})
    _, second = await talk(trace, "does it wait?", "how often does it read the config?")
    assert "[`read_config`]" in second.partition("\n")[0], second
    _, unknown = await talk(trace, "does it wait?", "how often does it open the ledger?")
    assert unknown.startswith("This trace has no function that matches"), unknown


async def test_a_saving_in_the_part_that_ordinary_words_name_is_that_of_the_part() -> None:
    trace = sampled({"main;apply_tax;copy": 60, "main;list_plans;copy": 20, "main;work": 20})
    answer, _ = await asked("how much would we save if we stop copying in the tax one only", trace)
    assert answer.text.startswith("**At most 60.0% (60.0 ms) would be saved, if [`apply_tax`](#f1)"), answer.text


async def test_a_program_is_meant_by_its_one() -> None:
    answer, _ = await asked("what was the ruby one executing, which line", programs())
    assert answer.text.startswith("**[`ruby"), answer.text


def programs() -> Trace:
    builder = TraceBuilder("two", "example")
    for pid, name in enumerate(("python3", "ruby")):
        table = StackTable()
        leaves = table.leaves([[builder.frame("run"), builder.frame(f"{name}_eval")]])
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        weights = [np.array([(50.0 - pid * 20) * MS])]
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid=str(pid), tid=str(pid))
    return finished(builder)


def test_scripts_are_ranked_by_what_browsers_say_of_them() -> None:
    def row(place: str, longest: float, together: float, runs: int) -> list[dict[str, object]]:
        return [{"name": place}, {"value_ns": longest * MS}, {"value_ns": together * MS}, {"value": runs}]

    rows = [row("https://shop.example/a.js", 65, 97, 3), row("https://shop.example/b.js", 61, 61, 1)]
    first, others = longest_scripts(given("query_trace", {"rows": rows}, sql=BY_SCRIPT))
    assert first == (
        "**`https://shop.example/a.js` runs longest of all scripts: 65.0 ms without a break**, 97.0 ms in 3 runs."
    )
    assert others == "- `https://shop.example/b.js`: 61.0 ms at most, 61.0 ms in all"
    assert scripts_asked_for(alone("which script is slowest", {}, None))
    assert not scripts_asked_for(alone("which package is slowest", {}, None))


async def test_kernels_of_all_streams_are_added_up() -> None:
    runs = {"stream 7": [("gemm", 0, 30)], "stream 9": [("gemm", 40, 60), ("copy", 70, 75)], "CPU": [("step", 0, 100)]}
    trace = timeline(*runs.values(), names=[f"GPU 0 {name}" if "stream" in name else name for name in runs])
    answer, _ = await asked("what's the biggest kernel", trace)
    assert answer.text.startswith(
        "**[`gemm`](#f0) takes the most on all tracks of the device together: 50.0 ms**, in 2 runs"
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "which function takes the longest and how often is it called?",
        "how often is the slowest function called?",
        "the hottest function, how many times was it called",
    ],
)
async def test_how_often_what_takes_the_longest_is_called_is_not_what_is_called_most(prompt: str) -> None:
    trace = timeline([("main", 0, 100), ("work", 0, 90), *(("step", 91 + at, 92 + at) for at in range(5))])
    answer, _ = await asked(prompt, trace)
    assert re.search(r"`work`\]\(#f\d\) was called once", answer.text), answer.text
    most, _ = await asked("which function is called most?", trace)
    assert re.search(r"\*\*The most calls go to \[`step`\]", most.text), most.text
