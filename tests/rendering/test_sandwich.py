"""A sandwich in words, and what it leaves out."""

from rendering.options import SandwichOptions
from rendering.sandwich import render_sandwich
from tests.rendering.test_pictures import trace_of


def test_what_is_left_out_is_in_the_description_as_sentences() -> None:
    deep = trace_of([(";".join(f"f{n}" for n in range(60)), 1)])
    picture = render_sandwich(deep, deep.frame_names.index("f30"), SandwichOptions(height=300))
    assert picture.description.endswith(" Showing 5 of 30 levels of callers. Showing 5 of 29 levels of callees.")
    alone = render_sandwich(trace_of([("main", 1)]), 0, SandwichOptions())
    assert alone.description.endswith(" Called by: nothing. Calls: nothing. Nothing calls it. It calls nothing.")
