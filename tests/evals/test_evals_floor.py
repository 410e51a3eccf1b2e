"""What the built-in analyst must hold, of all cases."""

from collections.abc import Sequence

import pytest

from evals.__main__ import conditions
from evals.case import read_cases
from evals.running import Graded, graded
from evals.table import contradicted, rate, verified

FLOORS = {"planted and known": 0.90, "traps": 0.95, "numbers verified": 0.92}
MOST_CONTRADICTED = 0.005
FIGURES = ("number", "percentage", "ratio", "count")


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_the_built_in_analyst_holds_its_floors() -> None:
    rows = [row async for row in graded(read_cases(), conditions(None, 1))]
    causes = [row for row in rows if row.case.kind != "trap"]
    traps = [row for row in rows if row.case.kind == "trap"]
    verified_numbers, claimed = verified(rows)
    assert claimed > 1000
    assert rate(causes) >= FLOORS["planted and known"], _failed(causes)
    assert rate(traps) >= FLOORS["traps"], _failed(traps)
    assert verified_numbers / claimed >= FLOORS["numbers verified"]
    assert _without_address(rows) == [], "every figure of the analyst is exact by reference"
    wrong, claims = contradicted(rows)
    assert wrong <= MOST_CONTRADICTED * claims


def _without_address(rows: Sequence[Graded]) -> list[str]:
    """Figures that no address proves."""
    return [
        f"{row.case.name}: {check.claim} {check.status}"
        for row in rows
        for check in row.answer.checks
        if check.kind in FIGURES and (check.address is None or check.status not in ("verified", "derived"))
    ]


def _failed(rows: Sequence[Graded]) -> str:
    return "\n".join(f"{row.case.name}: {'; '.join(row.failures)}" for row in rows if not row.passed)
