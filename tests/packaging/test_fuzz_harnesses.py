"""The harnesses of `make fuzz` fit the kernels that they call: nothing else compiles them between two runs of it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from fuzz.run import FLAGS, HERE

COMPILER = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))), None)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
@pytest.mark.parametrize("harness", sorted(HERE.glob("*_fuzz.c")), ids=lambda path: path.stem)
def test_a_harness_compiles(harness: Path) -> None:
    assert COMPILER is not None
    command = [COMPILER, *FLAGS, "-Werror", "-fsyntax-only", str(harness)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert not done.returncode, done.stderr
