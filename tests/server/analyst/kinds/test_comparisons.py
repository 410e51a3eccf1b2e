"""Another recording set against this one: whether all of it takes less, and where what was saved came from."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.comparisons import compare
from server.analyst.question import Intent, Question
from server.analyst.spoken_of import SpokenOf
from tests.server.analyst.written_answers import assert_answered, prompts_of

NAMES = {"lookup": (20e6, 0.0), "write": (12e6, 12.1e6), "fetch": (6e6, 8e6), "parse": (62e6, 30e6)}


def row(name: str, before: float, after: float) -> dict[str, Any]:
    status = "vanished" if not after else "grew" if after / 50e6 > before / 100e6 else "shrank"
    sides = {
        key: {"self_value": value, "total_value": value, "self_share": value / base, "total_share": value / base}
        for key, value, base in (("before", before, 100e6), ("after", after, 50e6))
    }
    return {"name": name, "handle": f"f{len(name)}" if after else None, "status": status} | sides


def first(prompt: str, names: dict[str, tuple[float, float]] = NAMES, spoken_of: SpokenOf | None = None) -> str:
    found = {
        "related": True,
        "unit": "nanoseconds",
        "notes": [],
        "rows": [row(name, *values) for name, values in names.items()],
        "before": {"whole": 100e6},
        "after": {"whole": 50e6},
    }
    asked = (Result("compare_traces", {"others": ["t1"]}, found, "", failed=False),)
    evidence = Evidence(prompt, {}, asked, spoken_of=spoken_of)
    return compare(Question(intent=Intent.COMPARE, text=prompt), evidence)[0]


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("did it help?", "**Yes: In the other"),
        ("is it slower than before?", "**No: In the other"),
        ("hat es geholfen, ist es schneller?", "**"),
        ("how much faster", "**In the other"),
    ],
)
def test_whether_it_helped_is_of_all_of_it(prompt: str, begins: str) -> None:
    assert first(prompt).startswith(begins)
    assert "it is 100 ms in all, here 50.0 ms" in first(prompt)


def test_what_changed_is_of_values_and_names_what_went_the_other_way() -> None:
    said = first("what changed")
    assert said.startswith(
        "**By itself [`parse`](#f5) (62.0 ms to 30.0 ms) shrank most, then `lookup` (20.0 ms to noth"
    )
    assert "[`fetch`](#f5) grew (6.00 ms to 8.00 ms by itself)" in said
    only = {"write": NAMES["write"]}
    assert first("what changed", only).startswith("**No function takes clearly less.**")


def test_a_gain_came_from_what_takes_less_and_what_is_gone() -> None:
    said = first("where did the gain come from")
    assert said.startswith(
        "**By itself [`parse`](#f5) (62.0 ms to 30.0 ms) shrank most, then `lookup` (20.0 ms to noth"
    )


def test_a_number_of_calls_is_not_made_up_from_a_comparison() -> None:
    assert first("how many calls did we save").startswith("**Counts and single calls are not in a comparison**")


async def test_what_was_spoken_of_is_set_against_the_other_recording() -> None:
    lookup = SpokenOf("f6", "[`lookup`](#f6)", "lookup calls?")
    names = {"lookup": (6e6, 8e6), "write": (12e6, 12.1e6)}
    assert first("and in the other file?", names=names, spoken_of=lookup).startswith(
        "**[`lookup`](#f6): 6.0% (6.00 ms) there, 16.0%"
    )
    assert first("is it slower than in the other file?", names=names, spoken_of=lookup).startswith(
        "**Yes: [`lookup`](#f6): 6.0%"
    )
    assert first("is it slower in the other file?", names=names, spoken_of=lookup).startswith(
        "**No: [`lookup`](#f6): 6.0%"
    )
    assert first("how often in the other file?", names=names, spoken_of=lookup).startswith(
        "**Counts and single calls are not in a"
    )


def opening_of(prompt: str, this: str, other: str, names: tuple[str, ...] = ()) -> str:
    """The opening of an answer about two recordings that are called so."""
    found = {
        "related": True,
        "unit": "nanoseconds",
        "notes": [],
        "rows": [row(name, *values) | {"handle": f"f{at}"} for at, (name, values) in enumerate(NAMES.items())],
        "before": {"whole": 100e6},
        "after": {"whole": 50e6},
    }
    others = {"rows": [{"trace_id": "t1", "trace": other, "created": "today"}]}
    listed = {"rows": [{"name": "fetch", "handle": "f2", "file": "", "total_value": 1.0}]}
    results = (
        Result("get_trace_summary", {}, {"name": this, "profiles": []}, "", failed=False),
        Result("search_findings", {"limit": 30}, others, "", failed=False),
        Result("find_frames", {"pattern": "fetch"}, listed, "", failed=False),
        Result("compare_traces", {"others": [other]}, found, "", failed=False),
    )
    question = Question(intent=Intent.COMPARE, text=prompt, labels=names[:1], names=names)
    return compare(question, Evidence(prompt, {}, results))[0]


def test_the_later_recording_is_the_one_that_is_called_so() -> None:
    text = opening_of("what changed", "run-old.prof", "run-new.prof")
    assert "[`write`](#f1): 12.0% before, 24.2% now" not in text
    assert "(before: this one, now: `run-new.prof`)" in text
    assert "now: `run-old.prof`" not in opening_of("what changed", "run-new.prof", "run-old.prof")


@pytest.mark.parametrize(
    ("prompt", "names", "begins"),
    [
        (
            "in run-new, what is slowest",
            ("run-new",),
            "**In `run-new.prof` [`parse`](#f3) with 62.0 ms (62.0%) itself leads",
        ),
        ("how long does fetch take in run-new", ("run-new", "fetch"), "**In `run-new.prof` [`fetch`](#f2) takes 6.00"),
        ("wie lange braucht fetch in run-new", ("run-new", "fetch"), "**In `run-new.prof` [`fetch`](#f2) takes 6.00"),
        ("total in run-new", ("run-new",), "**In `run-new.prof` it is 100 ms in all, here 50.0 ms"),
        (
            "what is new in run-new",
            ("run-new",),
            "**Only in `run-new.prof`: [`lookup`](#f0) (20.0 ms)**; only in this one: none.",
        ),
        ("did run-new get slower", ("run-new",), "**Yes: "),
        ("is it slower than run-new", ("run-new",), "**No: "),
    ],
)
def test_what_is_asked_of_the_other_recording_alone_is_answered_of_it(
    prompt: str, names: tuple[str, ...], begins: str
) -> None:
    assert opening_of(prompt, "run.prof", "run-new.prof", names).startswith(begins)


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("comparisons"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
