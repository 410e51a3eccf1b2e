"""A sandwich in words, and what it leaves out."""

import numpy as np
import pytest

from rendering.errors import InvalidOption
from rendering.options import SandwichOptions
from rendering.sandwich import render_sandwich
from tests.rendering.drawn import assert_drawn
from tests.rendering.test_pictures import trace_of
from traces.builder import TraceBuilder
from traces.stacks import StackTable


def test_what_is_left_out_is_in_the_description_as_sentences() -> None:
    deep = trace_of([(";".join(f"f{n}" for n in range(60)), 1)])
    picture = render_sandwich(deep, deep.frame_names.index("f30"), SandwichOptions(height=300))
    assert picture.description.endswith(" Showing 5 of 30 levels of callers. Showing 5 of 29 levels of callees.")
    alone = render_sandwich(trace_of([("main", 1)]), 0, SandwichOptions())
    assert alone.description.endswith(" Called by: nothing. Calls: nothing. Nothing calls it. It calls nothing.")


def test_a_function_of_another_profile_is_refused_by_name() -> None:
    builder = TraceBuilder("two", "example")
    for name in ("draw", "load"):
        stacks = StackTable()
        builder.add_sampled(name, stacks, stacks.leaves([[builder.frame(name)]]), [np.array([5])])
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    assert render_sandwich(trace, 0, SandwichOptions(profile=0)).description
    with pytest.raises(InvalidOption, match="f1 is never called in profile p0; choose another profile"):
        render_sandwich(trace, 1, SandwichOptions(profile=0))


@pytest.mark.parametrize("name", ["sandwich", "sandwich_cut"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
