"""The program that runs a script under Python's own profiler: what people see is what Python would have printed."""

import subprocess
import sys
from pathlib import Path

import pytest

from server.recording import in_child

RUNS = Path(in_child.__file__).parent / "python_profile.py"


@pytest.mark.parametrize(
    ("written", "exit_code"), [(None, 2), ("def f(:\n", 1), ("def f():\n    1 / 0\n\nf()\n", 1)], ids=str
)
def test_a_script_that_fails_prints_what_it_would_without_a_profiler(
    written: str | None, exit_code: int, tmp_path: Path
) -> None:
    script, output = tmp_path / "app.py", tmp_path / "recording.prof"
    if written is not None:
        script.write_text(written)
    plain = subprocess.run(
        [sys.executable, str(script)], check=False, capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    recorded = subprocess.run(
        [sys.executable, str(RUNS), str(output), "file", str(script)],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert (recorded.returncode, recorded.stdout, recorded.stderr) == (exit_code, plain.stdout, plain.stderr)
    assert plain.returncode == exit_code
    assert output.exists() == (written is not None and "1 / 0" in written)
