"""What allocates most: whom the finding names after the first, and whom it does not."""

import pytest

from tests.traces.insights.recorded import values
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.insight import State
from traces.insights.memory import DETECTORS
from traces.insights.registry import insight
from traces.values import Unit


def test_the_first_allocators_are_named_down_to_a_byte_and_none_that_allocates_nothing() -> None:
    found = insight(values({"make": [40], "read": [1], "idle": [0]}, [("bytes", Unit.BYTES)]), "top-allocator")
    assert found.state is State.FAIL
    assert [(one.name, one.value) for one in found.evidence] == [("make", "40 B"), ("read", "1 B")]


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
