"""An environment that has Ray besides what the tests run in: Ray is an extra and in no lock file."""

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTALL_S = 150


def environment_with_ray(folder: Path) -> Path:
    """Its Python. Skips the test where the registry cannot be reached."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    paths = [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]
    sites = next(folder.glob("lib/python*/site-packages"))
    (sites / "flamechat.pth").write_text("\n".join(paths) + "\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
    ]
    bounded = {**os.environ, "PIP_DEFAULT_TIMEOUT": "20", "PIP_RETRIES": "1"}
    try:
        ended = subprocess.run(
            [*pip, *project["optional-dependencies"]["ray"]],
            env=bounded,
            capture_output=True,
            text=True,
            timeout=INSTALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"Ray was not installed from the registry within {INSTALL_S} s")
    if ended.returncode:
        pytest.skip(f"Ray cannot be installed from the registry: {ended.stderr.strip()[-200:]}")
    return python
