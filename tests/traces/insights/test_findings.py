"""What each detector says of a small trace, to the letter: figures, places, severity, share and window."""

import pytest

from tests.traces.insights.test_detectors import BY_ID, CASES, Case
from tests.traces.insights.written_findings import assert_as_written, written


@pytest.mark.parametrize("case", BY_ID)
def test_a_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)


def test_every_case_is_written_once() -> None:
    assert list(written()) == [case.id for case in CASES]
