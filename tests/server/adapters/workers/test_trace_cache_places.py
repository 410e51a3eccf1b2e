"""A file's place is remembered when it cannot have changed unseen."""

import os
from pathlib import Path

import pytest

from server.adapters.workers.trace_cache import FileState, TraceCache


@pytest.mark.parametrize(("age", "is_remembered"), [(1.0, False), (2.0, False), (2.5, True), (60.0, True)])
def test_a_file_that_rested_for_two_seconds_is_found_by_its_place(
    age: float, tmp_path: Path, *, is_remembered: bool
) -> None:
    cache = TraceCache(tmp_path / "cache", 1 << 30)
    file = tmp_path / "stacks.txt"
    file.write_bytes(b"main 1\n")
    state = FileState.of(file)
    cache.remember_place(state, "sha256-" + "1" * 64, now=state.changed_at + age)
    assert (cache.find(state.pointer, state.looks) is not None) == is_remembered
    os.utime(file, (1, 1))
    assert FileState.of(file) != state
