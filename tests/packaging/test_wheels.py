"""Wheels of machines without a C compiler: with kernels where one can be fetched, and usable where not."""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
PACKED = [ROOT / "pyproject.toml", *(ROOT / name for name in TARGETS["sdist"]["include"] if name != "web")]
BUILD_S, READ_S = 420, 60
BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
AVAILABILITY = (
    "from rendering.kernels.library import kernels as drawing\n"
    "from traces.kernels.library import PATH, kernels_available\n"
    "reading = kernels_available()\n"
    "print(reading.available, drawing() is not None, PATH, reading.reason, sep='\\n')\n"
)
SUMMARY = "from server.app import main; main()"
REQUIRED = os.environ.get("REQUIRE_PACKAGE_INDEX") == "1"


def built_without_compiler(folder: Path, **variables: str) -> tuple[Path, str]:
    """The wheel of a copy of the sources, built where PATH leads to no program, and what was printed; also unpacked."""
    source, wheels, empty = folder / "source", folder / "wheels", folder / "empty"
    for path in PACKED:
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        else:
            shutil.copy2(path, copy)
    page = source / "server" / "page"
    page.mkdir(exist_ok=True)
    (page / ".digest").touch()  # without web/ a built page is taken as it is
    empty.mkdir()
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "PYTHONPATH")}
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(wheels)],
        cwd=source,
        env=environment | {"PATH": str(empty)} | variables,
        capture_output=True,
        text=True,
        timeout=BUILD_S,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return wheel, built.stderr


def run_by(unpacked: Path, code: str, *arguments: str) -> str:
    """What a program prints that has the unpacked wheel before everything else."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(unpacked), "FLAMECHAT_DATA": str(unpacked / "data")}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=unpacked,
        env=environment,
        capture_output=True,
        text=True,
        timeout=READ_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def summary_by(folder: Path, recording: Path) -> str:
    return run_by(folder, SUMMARY, "summary", str(recording), "--json")


@pytest.mark.long
def test_with_neither_compiler_nor_index_the_wheel_is_built_and_the_reference_answers(
    tmp_path: Path, fixtures: Path
) -> None:
    wheel, printed = built_without_compiler(tmp_path, PIP_NO_INDEX="1")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert "installed without its compiled kernels" in printed
    assert "no C compiler (cc, gcc, clang) was found, and ziglang could not be fetched" in printed
    reading, drawing, place, reason = run_by(tmp_path / "unpacked", AVAILABILITY).splitlines()
    assert (reading, drawing) == ("False", "False")
    assert Path(place).is_relative_to(tmp_path)
    assert "no C compiler was found, nor could one be fetched" in reason
    recording = fixtures / "settlement.go-cpu.pb.gz"
    assert "main.matchTrades" in summary_by(tmp_path / "unpacked", recording)


@pytest.mark.long
@pytest.mark.timeout(480)
def test_without_a_compiler_the_wheel_carries_kernels_that_zig_compiled(tmp_path: Path, fixtures: Path) -> None:
    if not REQUIRED and not index_is_reached():
        pytest.skip(
            "no package index is reached, from which Zig would come; REQUIRE_PACKAGE_INDEX=1 makes this a failure"
        )
    wheel, printed = built_without_compiler(tmp_path)
    assert "Fetching one: ziglang" in printed
    assert not wheel.name.endswith("-any.whl")
    reading, drawing, place, _ = run_by(tmp_path / "unpacked", AVAILABILITY).splitlines()
    assert (reading, drawing) == ("True", "True")
    assert Path(place).is_relative_to(tmp_path)
    recording = fixtures / "search-index.cpuprofile.gz"
    assert summary_by(tmp_path / "unpacked", recording) == summary_by(ROOT, recording)


def index_is_reached() -> bool:
    """Whether pip finds any package: the smallest of the lock file's, of which nothing is kept."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--retries=0"]
        done = subprocess.run(
            [*command, "--dest", folder, "annotated-types"], capture_output=True, timeout=READ_S, check=False
        )
    return done.returncode == 0
