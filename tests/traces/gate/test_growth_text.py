"""What a gate measured in words: medians, growth, and how sure it is."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from traces.gate.growth import Growth, Method
from traces.gate.growth_text import figures, shares_of, signed
from traces.values import Unit

PLAIN = Growth(method=Method.RANKS, before=(1e6,), after=(2e6,), median_before=1e6, median_after=2e6, growth=1.0)
TESTED = replace(PLAIN, low=0.5, high=1.5, p=0.012, effect=0.876)


@pytest.mark.parametrize(
    ("growth", "is_share", "text"),
    [
        (PLAIN, False, "1.00 ms → 2.00 ms, +100.0%"),
        (replace(PLAIN, median_before=0.1, median_after=0.2), True, "10.0% → 20.0%, +100.0%"),
        (replace(PLAIN, low=0.5), False, "1.00 ms → 2.00 ms, +100.0%"),
        (TESTED, False, "1.00 ms → 2.00 ms, +100.0% [+50.0%, +150.0%], p 0.012, delta +0.88"),
        (
            replace(TESTED, p_growth=0.006),
            False,
            "1.00 ms → 2.00 ms, +100.0% [+50.0%, +150.0%], p 0.012 (0.006 of growth), delta +0.88",
        ),
        (
            replace(TESTED, method=next(one for one in Method if one is not Method.RANKS), effect=-0.04),
            False,
            "1.00 ms → 2.00 ms, +100.0% [+50.0%, +150.0%], p 0.012, +0.0 standard deviations",
        ),
    ],
)
def test_figures_are_those_that_there_are(growth: Growth, text: str, *, is_share: bool) -> None:
    rule = SimpleNamespace(measure=SimpleNamespace(is_share=is_share))
    judgement = SimpleNamespace(unit=Unit.NANOSECONDS)
    assert figures(cast("Any", rule), growth, cast("Any", judgement)) == text


@pytest.mark.parametrize(
    ("growth", "text"),
    [(0.1234, "+12.3%"), (-0.5, "-50.0%"), (-0.0001, "+0.0%"), (99.9, "+9990.0%"), (100.0, "more than +9,999%")],
)
def test_growth_has_its_sign(growth: float, text: str) -> None:
    assert signed(growth) == text


def test_a_function_has_its_share_before_and_after() -> None:
    assert shares_of(cast("Any", SimpleNamespace(share_before=0.1, share_after=0.25))) == "10.0% → 25.0%"
