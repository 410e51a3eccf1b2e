"""The statements of evals/claims are balanced, and the marks of a part of them keep the bounds."""

from collections import Counter

import pytest

from evals.claims.known_facts import TRACES
from evals.claims.marking import Link, Mark, always, linked, marked
from evals.claims.marks_table import CONTRADICTED, MEASURES, broken
from evals.claims.statements import read_statements


def test_half_are_false_most_are_decidable_in_three_languages() -> None:
    statements = read_statements()
    assert len(statements) >= 400
    true = sum(one.is_true for one in statements)
    assert 0.45 < true / len(statements) < 0.55
    for is_true in (True, False):
        kind = [one for one in statements if one.is_true is is_true]
        assert sum(one.is_decidable for one in kind) >= 0.7 * len(kind)
    assert {one.trace for one in statements} > set(TRACES)
    assert len(TRACES) == 8
    languages = Counter(one.language for one in statements)
    assert min(languages[one] for one in ("en", "de", "fr")) >= 100
    assert set(languages) <= {"en", "de", "fr", "es"}
    assert sum(one.is_unseen for one in statements) > 250


def test_dull_checkers_break_the_bounds() -> None:
    statements = read_statements()
    for mark in (Mark.UNCHECKED, Mark.CERTIFIED, Mark.CONTRADICTED):
        assert broken(list(always(mark)(statements)))


@pytest.mark.parametrize("link", [None, "claimed", "source"])
def test_the_bounds_are_kept_on_the_smallest_trace(link: Link | None) -> None:
    chosen = [one for one in read_statements() if one.trace.startswith("search-index") and not one.is_unseen]
    found = list(marked(chosen, link))
    asked = [one for one in MEASURES if not (link == "source" and one is CONTRADICTED)]
    assert [measure.name for measure in asked if not measure.keeps(found)] == []


@pytest.mark.long
@pytest.mark.parametrize("link", [None, "claimed", "source"])
def test_every_bound_is_kept(link: Link | None) -> None:
    assert broken(list(marked(read_statements(), link)), is_of_address=link == "source") == []


def test_most_figures_that_are_made_have_an_address() -> None:
    made = [one for one in read_statements() if one.figure is not None and not one.kind.startswith("rel_")]
    assert len(made) > 300
    for link in ("claimed", "source"):
        assert sum("](#" in linked(one, link) for one in made) >= 0.99 * len(made)
