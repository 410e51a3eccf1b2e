"""Without the compiled kernels: what is read, what is refused, and what is said of it."""

import gzip

import pytest

from traces import missing_kernels, reader
from traces.errors import TraceTooLarge
from traces.kernels import library
from traces.reader import read_trace

STACKS = b"main;work 3\n" * 100


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_kernels, "MAX_REFERENCE_BYTES", 1_000)


@pytest.mark.usefixtures("small_limit")
def test_a_file_too_large_for_the_reference_is_refused_with_the_reason_and_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(library.SWITCH, "off")
    with pytest.raises(TraceTooLarge) as caught:
        read_trace(STACKS, name="stacks.txt")
    assert str(caught.value) == (
        "stacks.txt: its content is 1.20 kB large. The compiled kernels are not in use: FLAMECHAT_KERNELS=off. Traces "
        "are read by the plain Python reference, slowly, up to 1.00 kB. Leave out FLAMECHAT_KERNELS=off to have them."
    )
    assert len(read_trace(STACKS[:960], name="stacks.txt").frames) == 2


@pytest.mark.usefixtures("small_limit")
@pytest.mark.skipif(library.kernels() is None, reason="the kernels are not built or switched off")
def test_with_the_kernels_it_is_read() -> None:
    assert missing_kernels.missing_kernels() is None
    assert len(read_trace(STACKS, name="stacks.txt").frames) == 2


def test_kernels_that_were_not_built_are_had_by_installing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "PATH", library.PATH.with_name("no such library"))
    monkeypatch.delenv(library.SWITCH, raising=False)
    library._loaded.cache_clear()
    try:
        said = missing_kernels.missing_kernels()
    finally:
        library._loaded.cache_clear()
    assert said is not None
    assert "they were not built when Flamechat was installed" in said
    assert "install Flamechat again where a C compiler is" in said


def test_the_content_counts_once_it_is_decompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(reader, "refuse_too_large_for_reference", lambda size, _: sizes.append(size))
    read_trace(gzip.compress(STACKS), name="stacks.txt.gz")
    assert sizes == [len(STACKS)]
