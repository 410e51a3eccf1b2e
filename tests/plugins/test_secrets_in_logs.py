"""The look through all logs finds a key wherever a test may leave one."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEY = "fc_abcdefghij_" + "x" * 43
LEAVES_IT = (
    f"print('{KEY}')",
    f"sys.stderr.write('token={KEY};')",
    f"logging.getLogger('uvicorn.error').warning('Bearer {KEY}')",
    f"structlog.get_logger().warning('refused', key='{KEY[:34]}')",
)


def test_a_test_that_leaves_a_key_in_a_log_fails(tmp_path: Path) -> None:
    bodies = "\n".join(f"def test_{number}():\n    {line}\n" for number, line in enumerate(LEAVES_IT))
    written = tmp_path / "test_written.py"
    masked = "def test_masked():\n    print('fc_abcdefghij_***')\n"
    written.write_text(f"import logging, sys\nimport structlog\n\n{bodies}\n{masked}", encoding="utf-8")
    (tmp_path / "own.ini").write_text("[pytest]\n", encoding="utf-8")
    given = ["-q", "-p", "tests.plugins.secrets_in_logs", "-p", "no:cacheprovider", "-c", str(tmp_path / "own.ini")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *given, str(written)], cwd=ROOT, capture_output=True, text=True, timeout=100
    )
    assert f"{len(LEAVES_IT)} failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "a key for programs stands in what was logged: fc_abcdefghij" in done.stdout
