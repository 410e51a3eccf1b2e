"""Figures that stand somewhere, said of something else: differences that nobody names, threads that nobody names, self
and total of samples, and what comes from a caller."""

import numpy as np
import pytest

from server.agent.tools.get_trace_summary import NoArguments, answer_summary
from server.agent.verification.decimal_commas import in_english_shape
from server.agent.verification.facts import Facts
from server.agent.verification.references.checked_answer import checked_answer
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable

MS = 1_000_000


def two_threads() -> Trace:
    """`helper_of` takes 20 of 100 ms of the main thread; a worker spends 80 ms in it, idles 15 and goes on for 5."""
    builder = TraceBuilder("two.json", "example")
    work, helper = builder.frame("work_all", "a.py", 1), builder.frame("helper_of", "a.py", 2)
    begins, ends = np.array([0, 10, 40]), np.array([100, 25, 45])
    main = nest_slices(begins * MS, ends * MS, np.array([work, helper, helper], np.int32))
    builder.add_evented("MainThread", main)
    worker = nest_slices(np.array([0, 95]) * MS, np.array([80, 100]) * MS, np.array([helper, helper], np.int32))
    builder.add_evented("Waits of Courier Lane", worker)
    return builder.build(content_key="a" * 64, source_bytes=1)


def samples() -> Trace:
    """`paint_all` has 2 of its 8 samples itself; 6 of the 8 come through `layer_of`, 2 through `offscreen`."""
    builder = TraceBuilder("samples.txt", "example")
    layer, offscreen, paint, border = (
        builder.frame(name, "a.py", 1) for name in ("layer_of", "off_screen", "paint_all", "border_of")
    )
    stacks = StackTable()
    paths = [[layer, paint, border]] * 4 + [[layer, paint]] * 2 + [[offscreen, paint, border]] * 2
    builder.add_sampled("MainThread", stacks, stacks.leaves(paths), [np.full(8, 10 * MS)])
    return builder.build(content_key="b" * 64, source_bytes=1)


def statuses(trace: Trace, answer: str) -> set[str]:
    facts = Facts()
    facts.add_data(answer_summary(trace, NoArguments()).data, "c1", "get_trace_summary")
    return {check.status for check in checked_answer(trace, answer, facts, "Why?", []).checks if check.kind != "name"}


HOLDS = {"verified"}, {"derived"}, {"verified", "derived"}


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ("`helper_of` takes 20 ms on p0.", True),
        ("`helper_of` takes 85 ms on p1.", True),
        ("`helper_of` takes 85 ms on p0.", False),
        ("`helper_of` takes 85 ms on the main thread.", False),
        ("p1 is idle for 15 ms.", True),
        ("p1 is busy for 100 ms.", False),
        ("p0 is idle 15 % of the time.", False),
        ("Der Thread p1 ist zu 15 % untätig.", True),
        ("Der Thread p0 ist zu 15 % untätig.", False),
        ("`Courier Lane` is idle 15 % of the time.", True),
        ("`Courier Lane` ist zu 100 % beschäftigt.", False),
        ("The GPU stream is busy for 100 ms.", False),
        ("The courier is idle 15 % of the time.", False),
        ("`helper_of` takes 20 ms on p0 and 85 ms on p1.", True),
        ("`helper_of` takes 85 ms on p0 and 20 ms on p1.", False),
        ("On p1 `helper_of` takes 20 ms, on p0 85 ms.", False),
        ("p1 is idle for [15 ms](#p1.idle).", True),
        ("p0 is idle for [15 ms](#p1.idle).", False),
        ("p1 waits for [15 ms](#p1.idle).", False),
        ("p1 idles for 15 ms, all of them in `work_all`.", False),
    ],
)
def test_a_threads_figure_is_of_the_thread_that_is_named(answer: str, holds: bool) -> None:
    assert (statuses(two_threads(), answer) in HOLDS) is holds


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ("`paint_all` is on the stack in 8 samples.", True),
        ("`paint_all` has 8 samples with what it calls.", True),
        ("`paint_all` takes 2 samples by itself.", True),
        ("`paint_all` takes 8 samples by itself.", False),
        ("`paint_all` has 2 samples with what it calls.", False),
        ("Three quarters of `paint_all` come from `layer_of`.", True),
        ("Three quarters of `paint_all` come from `off_screen`.", False),
        ("Drei Viertel von `paint_all` kommen über `off_screen`.", False),
        ("6 of the 8 samples of `paint_all` come through `off_screen`.", False),
        ("`paint_all` takes 60 ms.", False),
        ("`paint_all` has [2](#f1.samples) samples of its own.", True),
        ("`paint_all` is called [2](#f1.samples) times.", False),
        ("`paint_all` takes 80 ms in total and 20 ms itself. The rest is 60 ms.", True),
    ],
)
def test_samples_are_a_functions_own_or_those_below_it(answer: str, holds: bool) -> None:
    assert (statuses(samples(), answer) in HOLDS) is holds


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("it takes 12\u202f489\u202f836 of them", "it takes 12,489,836 of them"),
        ("elle coûte 46\u202f781 et 1,25 ms", "elle coûte 46,781 et 1.25 ms"),
        ("the 12 489 836 of one and 2\u00a0000 of the other", "the 12 489 836 of one and 2,000 of the other"),
    ],
)
def test_spaces_that_do_not_break_stand_between_thousands_in_any_language(text: str, english: str) -> None:
    assert in_english_shape(text) == english
