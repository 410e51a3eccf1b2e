"""Finding, switching off and building the compiled kernels."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from traces.kernels import library
from traces.kernels.lines import scan_lines

ROOT = Path(__file__).parents[2]


def test_the_switch_leaves_the_kernels_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", "off")
    assert library.kernels() is None
    assert library.kernels_available() == library.Availability(available=False, reason="FLAMECHAT_KERNELS=off")
    assert scan_lines(b"a;b 2", 10).weight.tolist() == [2]


def test_nothing_is_loaded_at_import() -> None:
    code = "import traces.kernels.lines as l, traces.kernels.library as b; print(b._loaded.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a library, with the build script importable."""
    monkeypatch.syspath_prepend(str(ROOT))
    return tmp_path / "kernels.so"


@pytest.mark.long
def test_the_sources_compile_without_a_warning(build: Path) -> None:
    from hatch_build import COMPILERS, compile_kernels

    if not any(map(shutil.which, COMPILERS)):
        pytest.skip("no C compiler here")
    assert compile_kernels(build, strict=True) is None
    assert build.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("source", "built"), [("int seven(void) { return 7; }", True), ("int f(void) { int x; }", False)]
)
def test_a_warning_is_a_failure_where_we_build(build: Path, source: str, built: bool) -> None:
    from hatch_build import COMPILERS, compile_kernels

    if not any(map(shutil.which, COMPILERS)):
        pytest.skip("no C compiler here")
    (build.parent / "seven.c").write_text(source)
    assert (compile_kernels(build, build.parent, strict=True) is None) == built
    assert build.exists() == built


def test_no_compiler_is_no_failure(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hatch_build import compile_kernels

    monkeypatch.setenv("PATH", str(build.parent))
    monkeypatch.delenv("CC", raising=False)
    build.write_bytes(b"an older library")
    assert compile_kernels(build) == "no C compiler (cc, gcc, clang) was found"
    assert not build.exists()


def test_a_compiler_that_fails_leaves_no_library(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hatch_build import compile_kernels

    broken = build.parent / "cc"
    broken.write_text("#!/bin/sh\necho cannot do this >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    assert "cannot do this" in (compile_kernels(build) or "")
    assert [path.name for path in build.parent.iterdir()] == ["cc"]


def test_a_library_that_does_not_load_is_told_apart_from_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "kernels.so"
    broken.write_bytes(b"no library")
    monkeypatch.delenv("FLAMECHAT_KERNELS", raising=False)
    monkeypatch.setattr(library, "PATH", broken)
    library._loaded.cache_clear()
    try:
        assert not library.kernels_available().available
        assert "cannot be loaded" in library.kernels_available().reason
        broken.unlink()
        library._loaded.cache_clear()
        assert "not built" in library.kernels_available().reason
    finally:
        library._loaded.cache_clear()
