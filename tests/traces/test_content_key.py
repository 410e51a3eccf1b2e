"""The key of a content: BLAKE3 by name, SHA-256 by name where that package is missing."""

import hashlib
import sys

import pytest

from traces import content_key as module
from traces.content_key import content_key

EMPTY = "blake3-af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
"""BLAKE3 of no bytes, from the test vectors of its authors."""


def test_it_is_blake3() -> None:
    pytest.importorskip("blake3")
    assert content_key(b"") == EMPTY
    assert content_key(memoryview(b"ab")[:1]) == content_key(b"a") != content_key(b"b")


def test_without_the_package_it_is_sha256_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    module._algorithm.cache_clear()
    monkeypatch.setitem(sys.modules, "blake3", None)
    try:
        assert content_key(b"a") == f"sha256-{hashlib.sha256(b'a').hexdigest()}"
    finally:
        module._algorithm.cache_clear()
