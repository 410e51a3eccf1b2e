"""`python -m bench streaming` divides by the time that passed, and counts once all turns stream together."""

import pytest

from bench.streaming import Level, Window, print_level


def test_shares_are_of_the_time_that_passed(capsys: pytest.CaptureFixture[str]) -> None:
    level = Level(turns=2, elapsed=20.0, together=True, cpu=10.0, postgres_cpu=5.0, latencies_ms=[40.0] * 400)
    assert print_level(level)
    figures = capsys.readouterr().out.split()
    assert figures[:3] == ["2", "20.0", "20"]
    assert figures[10:12] == ["50%", "25%"]


def test_turns_that_never_stream_together_have_no_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert not print_level(Level(turns=80, elapsed=20.0, latencies_ms=[1.0]))
    assert "never streamed together" in capsys.readouterr().out


def test_tokens_count_from_the_moment_when_the_last_turn_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.streaming.time.monotonic", lambda: 100.0)
    window = Window(2, seconds=10)
    window.streams()
    assert not window.counts(100.0)
    window.streams()
    assert [window.counts(moment) for moment in (99.9, 100.0, 109.9, 110.0)] == [False, True, True, False]
