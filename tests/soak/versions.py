"""The version before this one, as a wheel: built of the commit that `tests/rolling/previous` names."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PREVIOUS = ROOT / "tests" / "rolling" / "previous"
PACKED = ("traces", "rendering", "limits", "server", "supabase", "fixtures/sample", "docs")
FILES = ("hatch_build.py", "pyproject.toml", "requirements-build.lock", "README.md", "LICENSE")
BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
BUILD_S = 420


def previous_commit() -> str:
    return PREVIOUS.read_text(encoding="ascii").strip()


def built_wheel(commit: str, folder: Path) -> Path:
    """The wheel of that commit, unpacked in a folder below `folder`. Raises CalledProcessError, TimeoutExpired."""
    unpacked, source, archive = folder / "unpacked", folder / "source", folder / "source.tar"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "archive", "-o", archive, commit, *PACKED, *FILES], cwd=ROOT, check=True, timeout=BUILD_S)
    with tarfile.open(archive) as packed:
        packed.extractall(source, filter="data")
    page = source / "server" / "page"
    page.mkdir(exist_ok=True)
    (page / ".digest").touch()  # without web/ a built page is taken as it is
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=source, env=environment, check=True, timeout=BUILD_S)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed_wheel:
        packed_wheel.extractall(unpacked)
    return unpacked
