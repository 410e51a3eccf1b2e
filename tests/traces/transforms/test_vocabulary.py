"""The text of transforms: what it means, and what is refused."""

from typing import Any

import numpy as np
import pytest

from traces.analysis.functions import top_functions
from traces.analysis.time_axis import what_it_is
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.errors import InvalidQuestion, NoTimes, TraceError, UnknownHandle
from traces.handles import profile_of_node, resolve
from traces.model import Trace
from traces.stacks import StackTable
from traces.transforms.transformed import profile_of_subtree, transformed
from traces.transforms.tree_steps import frames_named
from traces.transforms.vocabulary import MOST, Kind, Transform, Transforms, parsed_transforms


@pytest.fixture
def trace() -> Trace:
    """Two threads: `main` calls `read, all`, which calls `std::map<int>`."""
    builder = TraceBuilder("two.json", "test")
    main, read, other = builder.frame("main"), builder.frame("read, all"), builder.frame("std::map<int>")
    for name in ("first", "second"):
        table = StackTable()
        leaves = table.leaves([[main], [main, read], [main, read, other]])
        builder.add_sampled(name, table, leaves, [np.array([10, 20, 30])])
    return builder.build(content_key="0" * 64, source_bytes=1)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("focus:f1", "focus-function:f1"),
        ("focus:n3", "focus-subtree:n3"),
        ("focus:s3", "focus-subtree:s3"),
        ("focus:parse", "focus-function:parse"),
        ("Hide: f1 , merge:f2", "drop-function:f1,merge-function:f2"),
        ("collapse:f1,search:io", "collapse-function-subtree:f1,filter-samples:io"),
        ("collapse_recursion", "collapse-recursion"),
        ("drop-function:read%2C all", "drop-function:read%2C all"),
        ("drop-function:100%25", "drop-function:100%25"),
        ("", ""),
        (None, ""),
    ],
)
def test_short_words_and_commas_have_one_form(text: str | None, canonical: str) -> None:
    transforms = parsed_transforms(text)
    assert str(transforms) == canonical
    assert parsed_transforms(canonical) == transforms
    assert bool(transforms) == bool(canonical)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("explode:f1", "is no transform"),
        ("drop-function", "needs a function"),
        ("focus-subtree", "needs a node"),
        ("filter-samples:", "needs a text"),
        ("focus", "needs a function"),
        ("drop-library:f1", "takes nothing"),
        ("invert,drop-function:f1", "comes last"),
        (",".join(["drop-library"] * (MOST + 1)), "at most"),
        ("drop-function:" + "x" * 1_001, "more than 1,000"),
        ("x" * 5_000, "more than 4,000"),
        (",", "is no transform"),
    ],
)
def test_what_is_no_transform_is_refused_by_name(text: str, problem: str) -> None:
    with pytest.raises(InvalidQuestion, match=problem):
        parsed_transforms(text)


@pytest.mark.parametrize(
    ("argument", "found"),
    [("f2", [2]), ("read, all", [1]), ("*map*", [2]), ("*<INT>", [2]), ("m*n", [0]), ("*", [0, 1, 2]), ("*a*a*", [1])],
)
def test_functions_are_named_by_handle_name_or_part(trace: Trace, argument: str, found: list[int]) -> None:
    assert np.flatnonzero(frames_named(trace, argument)).tolist() == found


@pytest.mark.parametrize("argument", ["f99", "rea", "*x*", "main*main", "p0", "x" * 900])
def test_a_function_that_is_not_there_is_refused(trace: Trace, argument: str) -> None:
    with pytest.raises(UnknownHandle):
        transformed(trace, Transforms((Transform(Kind.DROP_FUNCTION, argument),)))


@pytest.mark.parametrize(
    "transforms", ["focus-subtree:n99", "focus-subtree:f0", "filter-samples:" + "x" * 300, "focus-subtree:s0"]
)
def test_a_node_or_text_that_cannot_be_is_refused(trace: Trace, transforms: str) -> None:
    with pytest.raises(TraceError):
        transformed(trace, parsed_transforms(transforms))


def test_a_subtree_lies_in_its_own_profile_alone(trace: Trace) -> None:
    """Elsewhere nothing is left of it."""
    transforms = parsed_transforms("focus-subtree:n4")
    assert profile_of_subtree(trace, transforms) == 1
    assert profile_of_subtree(trace, parsed_transforms("drop-library")) is None
    assert top_functions(transformed(trace, transforms, 1), profile=1).scope_total == 50
    assert top_functions(transformed(trace, transforms, 0), profile=0).scope_total == 0
    assert top_functions(transformed(trace, transforms, "all"), profile="all").scope_total == 50


def test_all_profiles_together_are_changed_one_by_one(trace: Trace) -> None:
    table = top_functions(transformed(trace, parsed_transforms("merge:*read*"), "all"), profile="all")
    assert {row.name: (row.self_value, row.total_value) for row in table.rows} == {
        "main": (60, 120),
        "std::map<int>": (60, 60),
    }


def test_a_node_that_was_left_out_is_refused_where_it_is_asked_for(trace: Trace) -> None:
    after = transformed(trace, parsed_transforms("merge:f1"), 1)
    assert resolve(after, "n4", "node").index == 4
    assert profile_of_node(after, 5) == (after.profiles[1], 1)
    with pytest.raises(UnknownHandle, match="not shown"):
        profile_of_node(after, 4)


def test_an_inverted_tree_has_no_moments(trace: Trace) -> None:
    inverted = transformed(trace, parsed_transforms("invert"), 0)
    with pytest.raises(NoTimes, match="inverted"):
        top_functions(inverted, profile=0, window=Window(0, 30))
    assert "inverted" in what_it_is(inverted.profiles[0])
    of_a_window = transformed(trace, parsed_transforms("invert"), 0, window=Window(0, 30))
    assert top_functions(of_a_window, profile=0).scope_total == 30


def test_the_same_transforms_are_done_once(trace: Trace, monkeypatch: Any) -> None:
    first = transformed(trace, parsed_transforms("merge:f1"))
    assert transformed(trace, parsed_transforms("merge-function:f1"), 0) is first
    assert transformed(trace, Transforms()) is trace


def test_in_words_functions_have_their_names(trace: Trace) -> None:
    transforms = parsed_transforms("focus:n1,drop-function:f2,filter-samples:io,drop-library,invert")
    assert transforms.in_words(trace, str) == (
        "focus on the subtree read, all, hide std::map<int>, only with io, drop libraries, invert"
    )
    assert str(transforms.upright) == "focus-subtree:n1,drop-function:f2,filter-samples:io,drop-library"
