"""What a worker freed is there for its next question."""

import subprocess
import sys

import pytest

COLUMNS = """
import resource
import numpy as np
from server.adapters.workers.pages import keep_freed_pages

def faults_of_columns():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    columns = [np.ones(2 << 20, np.uint8) for _ in range(16)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_pages()
print(faults_of_columns(), faults_of_columns())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
def test_columns_of_the_next_question_take_the_pages_of_the_last() -> None:
    said = subprocess.run(
        [sys.executable, "-c", COLUMNS], capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()
    first, second = map(int, said)
    assert first > 1000
    assert second < 100
