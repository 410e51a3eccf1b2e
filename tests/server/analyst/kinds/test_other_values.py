"""Which quantity of a profile of memory is asked for, and how much of it all functions have together."""

import pytest

from server.analyst.kinds.other_values import asks_of_all
from tests.server.analyst.small_traces import HEAP
from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import values
from traces.model import Trace


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
