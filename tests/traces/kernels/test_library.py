"""Finding and switching off the compiled kernels."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from traces.kernels import library
from traces.kernels.lines import scan_lines

ROOT = Path(__file__).parents[3]


def test_the_switch_leaves_the_kernels_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", "off")
    assert library.kernels() is None
    assert library.kernels_available() == library.Availability(available=False, reason="FLAMECHAT_KERNELS=off")
    assert scan_lines(b"a;b 2", 10).weight.tolist() == [2]


def test_nothing_is_loaded_at_import() -> None:
    code = "import traces.kernels.lines as l, traces.kernels.library as b; print(b._loaded.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


def test_a_library_that_does_not_load_is_not_taken_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_interned_texts_are_read_from_what_a_kernel_allocated() -> None:
    source, offset, length = np.frombuffer(b"one two", np.uint8), np.array([0, 4]), np.array([3, 3], np.int32)
    names = library.NamesStruct(offset=offset.ctypes.data, length=length.ctypes.data, count=2)
    assert names.texts(source) == (b"one", b"two")
    assert library.NamesStruct().texts(source) == ()
