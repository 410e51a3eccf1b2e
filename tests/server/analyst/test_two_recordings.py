"""What is asked of two recordings, or of the other one, is answered of those, each named; anything else is left."""

import re
from typing import Any

import pytest

from server.analyst.asked_of_two import Asked, asked_of_two
from server.analyst.evidence import Evidence, Result
from server.analyst.spoken_of import SpokenOf
from server.analyst.two_recordings import COMPARED, OTHERS, step, without_them

HANDLES = {"fetch": "f1", "parse": "f2", "lookup": "f3", "draw": "f4"}
OFFERED = frozenset({"search_findings", "compare_traces", "find_frames"})
NAMES = {
    "fetch": (6e6, 40e6, 2, 10),
    "parse": (30e6, 20e6, 7, 7),
    "draw": (4e6, 0.0, 1, 0),
    "lookup": (0.0, 40e6, 0, 9),
}


def row(name: str, there: float, here: float, calls_there: int, calls_here: int) -> dict[str, Any]:
    status = "vanished" if not here else "new" if not there else "grew" if here > there else "shrank"
    sides = {
        key: {"self_value": value, "total_value": value, "self_share": value / of_all, "total_share": value / of_all}
        | {"count": calls, "recorded_total": value}
        for key, value, calls, of_all in (("before", there, calls_there, 40e6), ("after", here, calls_here, 100e6))
    }
    return {"name": name, "handle": HANDLES[name] if here else None, "file": None, "status": status} | sides


def answered(prompt: str, spoken_of: SpokenOf | None = None, openings: tuple[str, ...] = ()) -> str:
    """The answer where `run-old` is open and `run-new` is the other one."""
    rows = [row(name, *values) for name, values in NAMES.items()]
    found = {"related": True, "unit": "nanoseconds", "notes": [], "rows": rows}
    found |= {"before": {"whole": 40e6}, "after": {"whole": 100e6}}
    functions = [one | one["after"] for one in rows if one["handle"]]
    functions.append(functions[0] | {"name": "tidy", "handle": "f9"})
    others = [{"trace_id": "t1", "trace": "run-new.prof"}]
    compared = {"others": ["t1"], "limit": COMPARED, "absolute": True}
    results = (
        Result("get_trace_summary", {}, {"name": "run-old.prof", "profiles": []}, "", failed=False),
        Result(*OTHERS, {"traces": others, "rows": []}, "", failed=False),
        Result("find_frames", {"pattern": "x"}, {"rows": functions}, "", failed=False),
        Result("compare_traces", compared, found, "", failed=False),
    )
    needed = step(Evidence(prompt, {}, results, spoken_of=spoken_of, openings=openings), OFFERED)
    return re.sub(r"\]\(#\w+\)", "]", needed.text) if needed else ""


def before(prompt: str, name: str = "fetch") -> SpokenOf:
    return SpokenOf(handle=HANDLES[name], cited=f"[`{name}`](#{HANDLES[name]})", prompt=prompt)


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        (
            "`fetch` in each?",
            "**[`fetch`]: 40.0 ms (40.0%) in 10 calls here and 6.00 ms (15.0%) in 2 calls in `run-new",
        ),
        ("fetch calls in both files", "**[`fetch`]: 10 calls (40.0 ms, 40.0%) here and 2 calls (6.00 ms, 15.0%) in"),
        ("`fetch` dans l'autre", "**[`fetch`]: 6.00 ms (15.0%) in 2 calls in `run-new.prof` and 40.0 ms (40.0%) in 10"),
        ("另一个里 fetch 几次", "**[`fetch`]: 2 calls (6.00 ms, 15.0%) in `run-new.prof`"),
        ("`tidy` in each?", "**`tidy` changed less than the 4 functions that a comparison lists.**"),
        ("`polish` in each?", "**I found no function for `polish` in these two recordings.**"),
        ("`draw` in the new one?", "**`draw` is in `run-new.prof` alone: 4.00 ms (10.0%) in 1 call.**"),
        ("`lookup` in run-new", "**[`lookup`] is not in `run-new.prof`**; here it is 40.0 ms (40.0%) in 9 calls."),
        ("is `fetch` faster in the new one?", "**Yes: [`fetch`]: 6.00 ms"),
        ("is `parse` faster in the new one?", "**No: [`parse`]: 30.0 ms"),
        (
            "run-new: faster? how much",
            "**`run-new.prof` takes less.** **In `run-new.prof` it is 40.0 ms in all, here 100",
        ),
        ("which one is slower", "**This one takes more.** **In"),
        ("total of both", "**In `run-new.prof` it is 40.0 ms in all, here 100 ms: 2.5 times as much.**"),
        ("im anderen: was am teuersten?", "**In `run-new.prof` [`parse`] with 30.0 ms (75.0%) itself leads, then"),
        (
            "which function grew most",
            "**From `run-old.prof` to `run-new.prof` [`parse`] (20.0 ms in 7 calls to 30.0 ms in",
        ),
        ("qué desapareció", "**Only in `run-old.prof`: [`lookup`] (40.0 ms)**; only in `run-new.prof`: `draw`"),
        ("what is new", "**Only in `run-new.prof`: `draw` (4.00 ms)**; only in `run-old.prof`: [`lookup`]"),
        (
            "longest `fetch` in the other file",
            "**Single calls are not compared here**; what all of them take: **[`fetch`]",
        ),
        ("what's left in the new one", "**In `run-new.prof` [`parse`] with 30.0 ms"),
        ("`missing` in both?", "**I found no function for `missing` in these two recordings.**"),
    ],
)
def test_each_of_two_recordings_is_named_with_its_figures(prompt: str, begins: str) -> None:
    assert answered(prompt).startswith(begins)


@pytest.mark.parametrize(
    ("prompt", "last", "begins"),
    [
        ("and in the other one?", "`fetch` calls", "**[`fetch`]: 2 calls (6.00 ms, 15.0%) in `run-new.prof`"),
        ("and `parse`?", "`fetch` in each", "**[`parse`]: 20.0 ms (20.0%) in 7 calls here and 30.0 ms"),
        ("und im anderen?", "wie lange `fetch`", "**[`fetch`]: 6.00 ms (15.0%) in 2 calls in `run-new.prof`"),
    ],
)
def test_what_goes_on_is_asked_of_what_was_spoken_of(prompt: str, last: str, begins: str) -> None:
    assert answered(prompt, before(last)).startswith(begins)


def test_the_new_one_is_this_one_where_it_is_called_so_and_two_functions_are_no_recordings() -> None:
    assert answered("`fetch` in the old one") == ""
    two = SpokenOf(handle="f1", cited="[`fetch`](#f1)", prompt="`fetch` vs `parse`", sets_against=True)
    assert answered("and self in both?", two) == ""
    assert asked_of_two("what takes the time") is None
    assert answered("slower than run-new, what changed") == answered("back to the old one. between 5 and 7 ms?") == ""
    assert asked_of_two("how much in each file?") == Asked("both", "how much")


def test_nothing_is_looked_up_without_another_recording_and_nothing_is_left_of_it() -> None:
    first = Evidence("`fetch` in each?", {}, ())
    needed = step(first, OFFERED)
    assert needed is not None
    assert OTHERS in needed.calls
    alone = Result(*OTHERS, {"traces": [], "rows": []}, "", failed=False)
    summary = Result("get_trace_summary", {}, {"name": "a", "profiles": []}, "", failed=False)
    looked_up = Evidence("`fetch` in each?", {}, (summary, alone))
    assert step(looked_up, OFFERED) is None
    assert without_them(looked_up)[0].results == ()
    assert without_them(looked_up)[1].results == (summary,)


def test_now_is_the_later_recording_after_an_answer_about_the_other_one() -> None:
    before = ("what leads in the other file?",)
    assert asked_of_two("and the top function?", before) == Asked("other", "the top function")
    assert asked_of_two("and the top function now?", before) == Asked("next", "and the top function")


@pytest.mark.parametrize(("prompt", "what"), [("anything slower now?", "grew"), ("what disapeared", "gone")])
def test_what_became_slower_or_went_away_is_asked_tersely(prompt: str, what: str) -> None:
    found = asked_of_two(prompt)
    assert found is not None
    assert found.what == what


IN_ALL = "**By itself [`fetch`](#f1) shrank.** In `run-new.prof` it is 40.0 ms in all, here 100 ms: 2.5 times as much."


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        (
            "why?",
            "**From `run-old.prof` to `run-new.prof` it went from 100 ms to 40.0 ms, 2.5 times less.** **By itself",
        ),
        ("what explains the difference", "**From `run-old.prof` to `run-new.prof` it went from 100 ms to 40.0 ms, 2.5"),
        ("more calls or slower per call?", "**Fewer calls, faster per call: [`fetch`] has 10 calls of 4.00 ms each in"),
        (
            "`lookup` per call?",
            "**[`lookup`] is in `run-old.prof` alone, 9 calls of 4.44 ms each; in `run-new.prof` alone",
        ),
        (
            "how much of the gain is that",
            "**[`fetch`] makes 34.0 ms of the 60.0 ms that `run-new.prof` takes less, three",
        ),
        (
            "how much of that is `parse`?",
            "**None of it: [`parse`] does not take less**, with what it calls 20.0 ms in 7 calls",
        ),
        ("what did not change", "**No function of any size takes the same in `run-old.prof` and `run-new.prof`.**"),
        (
            "how much memory does the new one need",
            "**How much memory is used, I cannot say: neither `run-old.prof` nor",
        ),
        ("what would you optimise next", "**In `run-new.prof` [`parse`] with 30.0 ms (75.0%) itself leads, then"),
        ("und die teuerste Funktion jetzt?", "**In `run-new.prof` [`parse`] with 30.0 ms (75.0%) itself leads, then"),
        ("is `parse` faster now?", "**Yes: [`parse`]: 20.0 ms"),
        ("is this slower than the new one?", "**Yes, this one takes more.** **In `run-new.prof` it is 40.0 ms in all"),
    ],
)
def test_a_talk_about_two_recordings_goes_on_about_the_change(prompt: str, begins: str) -> None:
    assert answered(prompt, openings=(IN_ALL,)).startswith(begins)
    if not re.search("new one|difference|gain", prompt):
        assert answered(prompt) == ""


def test_a_change_without_two_recordings_is_none_of_theirs() -> None:
    for prompt in ("why?", "more calls or slower per call?", "what is next to fix", "how much memory is used"):
        assert not (asked_of_two(prompt) or Asked("", "")).what
