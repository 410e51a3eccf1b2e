"""Sentences of many kinds, true and false, and what each part of them comes to."""

import pytest

from tests.server.agent.verification.written_marks import marks_of, written


@pytest.mark.parametrize("trace", written())
def test_what_becomes_of_sentences_is_what_is_written(trace: str) -> None:
    assert marks_of(trace) == written()[trace]
