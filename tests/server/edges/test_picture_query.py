"""Parameters of pictures in an address."""

from dataclasses import fields

import pytest

from rendering.errors import InvalidOption
from rendering.options import DiffOptions, FlamegraphOptions, SandwichOptions, SheetOptions
from server.edges.picture_query import DiffQuery, FlamegraphQuery, SandwichQuery, SheetQuery, draw_sandwich, parsed
from tests.traces.insights.recorded import sampled


@pytest.mark.parametrize(
    ("query", "options"),
    [
        (SheetQuery(), SheetOptions()),
        (FlamegraphQuery(), FlamegraphOptions()),
        (SandwichQuery(frame="f0"), SandwichOptions()),
        (DiffQuery(), DiffOptions()),
    ],
)
def test_what_is_not_asked_for_is_as_the_picture_has_it(query: SheetQuery, options: SheetOptions) -> None:
    shared = {field.name for field in fields(options)} & set(type(query).model_fields)
    assert {"width", "dpr", "legend", "min_width"} <= shared
    assert {name: getattr(query, name) for name in shared} == {name: getattr(options, name) for name in shared}


@pytest.mark.parametrize(
    ("parameters", "refusal"),
    [
        ([("width", "1"), ("width", "2")], "width: is given twice"),
        ([("witdh", "1")], "there is no such option; did you mean width?"),
        ([("q", "1")], "there is no such option; options are profile, width, height, dpr,"),
        ([("width", "wide")], "width: Input should be a valid integer"),
    ],
)
def test_a_wrong_parameter_is_refused_by_its_name(parameters: list[tuple[str, str]], refusal: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        parsed(SheetQuery, parameters)
    assert refusal in str(caught.value)


def test_a_function_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidOption, match="load_order") as refused:
        draw_sandwich(sampled({"main;load_order": 9}), SandwichQuery(frame="load_ordr"))
    assert refused.value.field == "frame"
