"""Who waits in a function that only parks its thread."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.parked import up, waiter

WAITED = "p1"


def known(*paths: tuple[str, ...]) -> Evidence:
    """What was asked of callers: each path is a function with its callers, nearest first."""
    results = []
    for name, *callers in paths:
        rows = [{"handle": f"f_{one}" if one else None, "name": one} for one in callers]
        data: dict[str, Any] = {"frame": {"handle": f"f_{name}", "name": name}, "callers": rows}
        results.append(Result("get_callers_callees", {"profile": WAITED}, data, "", failed=False))
    return Evidence("who waits?", {}, tuple(results))


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ([("park", "take")], "take"),
        ([("park", "await", "take"), ("await", "take")], "take"),
        ([("park", "await")], None),  # who calls await was not asked
        ([("park", "")], None),  # only the root is above it
        ([("take", "main")], None),  # it does not park
        ([], None),
    ],
)
def test_the_first_caller_that_parks_nothing_itself_waits(paths: list[tuple[str, ...]], found: str | None) -> None:
    above = waiter(f"f_{paths[0][0] if paths else 'park'}", WAITED, known(*paths))
    assert (above and above["name"]) == found


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        ([], "f_park"),
        ([("park", "await")], "f_await"),
        ([("park", "take"), ("take", "main")], None),
        ([("park", "")], None),
    ],
)
def test_callers_are_asked_for_a_step_at_a_time(paths: list[tuple[str, ...]], asked: str | None) -> None:
    arguments = {"frame": asked, "profile": WAITED}
    expected = [] if asked is None else [("get_callers_callees", arguments)]
    assert up("f_park", WAITED, known(*paths)) == expected


def test_the_root_stands_for_no_caller() -> None:
    assert waiter("f_park", WAITED, known(("park", "", "take"))) == {"handle": "f_take", "name": "take"}
    assert up("f_park", WAITED, known(("park", "", "await"))) == [
        ("get_callers_callees", {"frame": "f_await", "profile": WAITED})
    ]
