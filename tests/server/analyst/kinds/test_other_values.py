"""Which quantity of a profile of memory is asked for, and how much of it all functions have together."""

import pytest

from server.analyst.kinds.other_values import asks_of_all
from tests.server.analyst.small_traces import HEAP
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import values
from traces.model import Trace
from traces.values import Unit


def heap() -> Trace:
    """A heap profile as Go writes them, which measures first what is in use."""
    return values({"main;make": [30e6, 100, 60e6, 300], "main;read": [1e6, 10, 20e6, 200]}, HEAP[::-1])


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("heap size at exit", "**In all 31.0 MB is in use**, the most by [`make`](#f1)"),
        ("total heap size", "**In all 31.0 MB is in use**"),
        ("how much memory?", "**In all 31.0 MB is in use**"),
        ("wie groß ist der heap", "**In all 31.0 MB is in use**"),
        ("quelle est la taille du tas", "**In all 31.0 MB is in use**"),
        ("堆有多大", "**In all 31.0 MB is in use**"),
        ("how many objects were allocated in total", "**In all 500 is recorded as “alloc_objects”**"),
        ("allocations per function", "**By “alloc_space” [`make`](#f1) leads: 75.0% (60.0 MB)**"),
        ("how many allocs are in use", "**In all 110 is recorded as “inuse_objects”**"),
        ("by objects, still the same one?", "**By “inuse_objects” [`make`](#f1) leads"),
    ],
)
async def test_the_quantity_that_is_asked_for_is_the_one_that_is_counted(prompt: str, begins: str) -> None:
    answer, _ = await asked(prompt, heap())
    assert answer.text.startswith(begins), answer.text


@pytest.mark.parametrize("prompt", ["allocations per function with object counts", "allocs by function, and objects"])
async def test_objects_are_counted_with_the_bytes_that_are_asked_for(prompt: str) -> None:
    answer, _ = await asked(prompt, heap())
    assert answer.text.startswith("**By “alloc_space” [`make`](#f1) leads: 75.0% (60.0 MB)**"), answer.text
    assert "As “alloc_objects”: [`make`](#f1) 60.0% (300)" in answer.text


@pytest.mark.parametrize("prompt", ["memory usage by function", "how many objects does keep hold", "peak memory"])
def test_what_is_asked_of_functions_is_not_asked_of_all(prompt: str) -> None:
    assert not asks_of_all(prompt)


def allocated() -> Trace:
    """A heap profile that measures first what was allocated."""
    return values(
        {"main;make": [60e6, 300, 30e6, 100], "main;read": [20e6, 2000, 1e6, 10]}, (*HEAP[1::-1], *HEAP[:1:-1])
    )


OBJECTS = "how many objects does read make?"


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["how much memory is still in use at the end?"], "**In all 31.0 MB is recorded as “inuse_space”**"),
        (["wieviel Speicher ist am Ende noch belegt?"], "**In all 31.0 MB is recorded as “inuse_space”**"),
        (["how much memory is left at exit?", "what is most of it?"], "**By “inuse_space” [`make`](#f1) leads: 96.8%"),
        ([OBJECTS, "how many bytes is that?"], "**[`read`](#f2) has 25.0% (20.0 MB) of “alloc_space” itself**"),
        (["¿cuántos objetos crea read?", "¿y cuánta memoria es eso?"], "**[`read`](#f2) has 25.0% (20.0 MB)"),
        ([OBJECTS, "und wieviel Speicher ist das?"], "**[`read`](#f2) has 25.0% (20.0 MB)"),
        ([OBJECTS, "et ça fait combien de mémoire ?"], "**[`read`](#f2) has 25.0% (20.0 MB)"),
        ([OBJECTS, "¿cuánto queda de eso al final?"], "**[`read`](#f2) has 3.2% (1.00 MB) of “inuse_space” itself**"),
        ([OBJECTS, "and how much of that is left at the end?"], "**[`read`](#f2) has 3.2% (1.00 MB) of “inuse_space”"),
        ([OBJECTS, "combien en reste-t-il à la fin ?"], "**[`read`](#f2) has 3.2% (1.00 MB) of “inuse_space” itself**"),
    ],
)
async def test_a_talk_goes_on_with_another_quantity_of_what_was_spoken_of(prompts: list[str], begins: str) -> None:
    answers = await talk(allocated(), *prompts)
    answer = answers[-1].removeprefix("About [`read`](#f2), as before: ")
    assert answer.startswith(begins), answer


MISSES = (("Ir", Unit.COUNT), ("Dr", Unit.COUNT), ("D1mr", Unit.COUNT), ("DLmr", Unit.COUNT), ("calls", Unit.COUNT))
IN_ALL = "**In all 1,500 is recorded as “D1mr”**, reads that missed the first-level data cache, of 40,000 “Dr”"


def counted_by_the_processor() -> Trace:
    """What callgrind counts where it simulates caches."""
    return values({"main;walk_grid": [9e4, 3e4, 500, 9, 7], "main;hop_list": [3e4, 1e4, 1000, 3, 9]}, MISSES)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["do we have a cache miss problem, D1 reads?"], IN_ALL),
        (["gibt es viele cache misses?"], IN_ALL),
        (["cache misses?", "which functon has most of them"], "**By “D1mr” [`hop_list`](#f2) leads: 66.7% (1,000)**"),
        (["cache misses?", "wer hat die meisten davon?"], "**By “D1mr” [`hop_list`](#f2) leads: 66.7% (1,000)**"),
        (
            ["how many D1 read misses does walk_grid have?", "and hop_list?"],
            "**[`hop_list`](#f2) has 66.7% (1,000) of “D1mr” itself**",
        ),
        (["how many last level misses?"], "**In all 12"),
        (["branch mispredictions?"], "**This trace cannot say which function misses"),
    ],
)
async def test_misses_that_were_counted_are_given(prompts: list[str], begins: str) -> None:
    answers = await talk(counted_by_the_processor(), *prompts)
    assert answers[-1].startswith(begins), answers[-1]
