"""What runs after the child: a recorder's own converter, for a file that is read without the recorder."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from server.recording.recorder import Step

STEP_S = 600.0
"""For a converter over a long recording."""

LOG = "recorder.log"


def run_steps(steps: Sequence[Step], folder: Path) -> None:
    """Run them in order, in the folder; what they print goes to the log there. A step that fails leaves its output
    empty, which is found out when the recording is looked for. Raises OSError.
    """
    for step in steps:
        argv = [word.replace("{folder}", str(folder)) for word in step.argv]
        output = folder / (step.output or LOG)
        with output.open("ab") as stdout, (folder / LOG).open("ab") as log:
            try:
                subprocess.run(
                    argv, check=False, stdin=subprocess.DEVNULL, stdout=stdout, stderr=log, cwd=folder, timeout=STEP_S
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                log.write(f"{error}\n".encode("utf-8", "replace"))


def last_line(folder: Path) -> str | None:
    """The last line that a recorder wrote into its log, None without one."""
    try:
        lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return None
    return lines[-1].strip() if lines else None
