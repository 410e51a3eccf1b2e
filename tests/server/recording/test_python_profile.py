"""The program that runs a script under Python's own profiler: what people see is what Python would have printed."""

import pstats
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


@pytest.mark.parametrize("ends", ["sys.exit(7)", "raise SystemExit", "os.kill(os.getpid(), 15)"])
def test_the_profile_is_written_however_the_program_ends(ends: str, tmp_path: Path) -> None:
    output = tmp_path / "recording.prof"
    program = f"import os, sys\ndef planted():\n    return sum(range(99))\nplanted()\n{ends}\n"
    ended = subprocess.run(
        [sys.executable, str(RUNS), str(output), "-c", program, "an argument"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    plain = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert ended.returncode in (plain.returncode, 128 - plain.returncode)
    assert "planted" in {name for _, _, name in pstats.Stats(str(output)).stats}  # type: ignore[attr-defined]


def test_what_other_threads_ran_is_in_the_profile(tmp_path: Path) -> None:
    output, script = tmp_path / "recording.prof", tmp_path / "app.py"
    script.write_text(
        "import threading\n"
        "def of_a_thread():\n    return sorted(range(9))\n"
        "def of_the_first():\n    return sorted(range(9))\n"
        "one = threading.Thread(target=of_a_thread)\none.start()\none.join()\nof_the_first()\n"
    )
    subprocess.run([sys.executable, str(RUNS), str(output), "file", str(script)], check=True, timeout=60)
    names = {name for _, _, name in pstats.Stats(str(output)).stats}  # type: ignore[attr-defined]
    assert {"of_a_thread", "of_the_first"} <= names
