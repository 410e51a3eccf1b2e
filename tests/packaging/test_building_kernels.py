"""Compiling the kernels while the package is built: by the machine's compiler, by a fetched one, or not at all."""

import hashlib
import shutil
import tempfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import hatch_build
from hatch_build import COMPILERS, ZIG_PACKAGE, NotFetched, compile_kernels, fetched, machines_compiler, make_kernels

ROOT = Path(hatch_build.__file__).parent
FETCHED_ZIG = """#!/bin/sh
# Stands for Zig: writes its arguments where the library is expected.
for last; do if [ "$before" = -o ]; then echo "$@" > "$last"; fi; before=$last; done
"""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two folders with a kernel and the library of earlier sources each, in place of the real ones."""
    both = tmp_path / "one", tmp_path / "two"
    for folder in both:
        folder.mkdir()
        (folder / "seven.c").write_text("int seven(void) { return 7; }")
        (folder / "kernels.so").write_bytes(b"of earlier sources")
    monkeypatch.setattr(hatch_build, "KERNEL_FOLDERS", both)
    return both


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a compiler whose only package index is this folder, empty; fetched things go to `temporary`."""
    empty, index, temporary = tmp_path / "empty", tmp_path / "index", tmp_path / "temporary"
    for folder in (empty, index, temporary):
        folder.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return index


def publish_zig(index: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel of our own under Zig's name in the index, with a lock file that has its hash."""
    wheel = index / "ziglang-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        program = zipfile.ZipInfo("ziglang/zig")
        program.external_attr = 0o100755 << 16
        archive.writestr(program, FETCHED_ZIG)
        archive.writestr("ziglang-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: ziglang\nVersion: 1.0\n")
        archive.writestr(
            "ziglang-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("ziglang-1.0.dist-info/RECORD", "")
    lock = index.parent / "requirements-build.lock"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock.write_text(f"other==2.0 \\\n    --hash=sha256:{'0' * 64}\nziglang==1.0 \\\n    --hash=sha256:{digest}\n")
    monkeypatch.setattr(hatch_build, "BUILD_LOCK", lock)
    return wheel


@pytest.mark.long
def test_without_a_compiler_one_is_fetched_used_for_every_folder_and_removed(
    folders: tuple[Path, Path], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_zig(index, monkeypatch)
    assert make_kernels() is None
    for folder in folders:
        command = (folder / "kernels.so").read_text()
        assert command.startswith("cc -mcpu=baseline -std=c11 ")
        assert f"{folder / 'seven.c'}" in command
    assert list((index.parent / "temporary").iterdir()) == []


@pytest.mark.long
def test_a_package_with_another_hash_is_not_used(
    folders: tuple[Path, Path], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with publish_zig(index, monkeypatch).open("ab") as wheel:
        wheel.write(b"\0")
    reason = make_kernels()
    assert reason is not None
    assert "ziglang could not be fetched" in reason
    assert not any((folder / "kernels.so").exists() for folder in folders)
    assert list((index.parent / "temporary").iterdir()) == []


def test_without_a_compiler_and_an_index_the_reason_names_both_and_no_older_library_stays(
    folders: tuple[Path, Path], index: Path
) -> None:
    reason = make_kernels()
    assert reason is not None
    assert reason.startswith("no C compiler (cc, gcc, clang) was found, and ziglang could not be fetched: ")
    assert "ziglang==" in reason
    assert not any((folder / "kernels.so").exists() for folder in folders)


@pytest.mark.long
def test_a_compiler_that_fails_is_replaced_by_a_fetched_one_but_not_where_warnings_are_errors(
    folders: tuple[Path, Path], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_zig(index, monkeypatch)
    broken = index.parent / "broken-cc"
    broken.write_text("#!/bin/sh\necho no such header >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    assert "no such header" in (make_kernels(strict=True) or "")
    assert not any((folder / "kernels.so").exists() for folder in folders)
    assert make_kernels() is None
    assert all((folder / "kernels.so").exists() for folder in folders)


def test_what_is_fetched_is_locked_at_the_versions_of_the_project() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    for requirement in (*groups["node"], *groups["compiler"]):
        package = requirement.split("==")[0]
        version, *hashes = hatch_build.pinned(package).split(" \\\n    --hash=sha256:")
        assert version == requirement
        assert {len(each.strip()) for each in hashes} == {64}


@pytest.mark.long
def test_a_package_that_is_not_in_the_index_is_not_fetched(index: Path) -> None:
    with (
        pytest.raises(NotFetched, match=r"ziglang could not be fetched: .*No matching distribution"),
        fetched(ZIG_PACKAGE),
    ):
        pytest.fail("there is nothing to fetch")


@pytest.mark.parametrize(
    ("source", "built"), [("int seven(void) { return 7; }", True), ("int f(void) { int x; }", False)]
)
def test_a_warning_is_a_failure_where_we_build(tmp_path: Path, source: str, built: bool) -> None:
    (tmp_path / "seven.c").write_text(source)
    failed = compile_kernels(tmp_path / "kernels.so", tmp_path, (compiler(),), strict=True)
    assert (failed is None) == built
    assert (tmp_path / "kernels.so").exists() == built


def test_a_compiler_that_does_not_run_leaves_no_library(tmp_path: Path) -> None:
    (tmp_path / "kernels.so").write_bytes(b"of earlier sources")
    assert "did not run" in (compile_kernels(tmp_path / "kernels.so", tmp_path, (str(tmp_path / "absent"),)) or "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_the_sources_compile_without_a_warning_and_are_stripped(tmp_path: Path) -> None:
    for folder in hatch_build.KERNEL_FOLDERS:
        library = tmp_path / f"{folder.parent.name}.so"
        assert compile_kernels(library, folder, (compiler(),), strict=True) is None
        assert library.stat().st_size > 10_000
        assert b".symtab" not in library.read_bytes()


def compiler() -> str:
    """The machine's; the test is skipped without one."""
    found = machines_compiler()
    if found is None:
        pytest.skip(f"no C compiler here ({', '.join(COMPILERS)})")
    return shutil.which(found) or found
