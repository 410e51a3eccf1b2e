"""Checking is given so much work, not so much time: a machine that does other things marks the same."""

import time

import pytest

from server.agent.verification.working_time import OF_WALL, working_clock


def test_time_in_which_the_thread_did_not_run_counts_for_little(monkeypatch: pytest.MonkeyPatch) -> None:
    worked, passed = iter((5.0, 5.1, 5.9)), iter((100.0, 102.4, 103.2))
    monkeypatch.setattr(time, "thread_time", lambda: next(worked))
    monkeypatch.setattr(time, "monotonic", lambda: next(passed))
    now = working_clock()
    assert now() == pytest.approx(2.4 * OF_WALL)
    assert now() == pytest.approx(0.9)
