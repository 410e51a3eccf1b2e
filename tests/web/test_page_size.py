"""What a browser has to load before it shows something: as it is sent, by part."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from hatch_build import PAGE, page_is_current

KB = 1000
FIRST_KB = 20
"""The library's page: everything that index.html names as a script."""

ROOM_KB = 95
"""What a conversation loads on top: chart, list of threads, chat, markdown; of 140 kB for all that a room loads."""

STYLES_KB = 10


@pytest.fixture(scope="module")
def assets() -> dict[str, bytes]:
    if not page_is_current():
        pytest.skip("the built page is not of these sources: python hatch_build.py page")
    return {path.name: path.read_bytes() for path in Path(PAGE, "assets").iterdir()}


def sent_kb(names: Iterable[str], assets: dict[str, bytes]) -> float:
    """Of scripts and styles, compressed when they were built."""
    return sum(len(assets[f"{name}.br"]) for name in names) / KB


def first(assets: dict[str, bytes]) -> str:
    named = re.findall(r"<script[^>]*assets/([\w.-]+\.js)", (PAGE / "index.html").read_text(encoding="utf-8"))
    assert len(named) == 1
    return str(named[0])


def needed_by(name: str, assets: dict[str, bytes]) -> set[str]:
    """The scripts that one imports, apart from those it fetches later."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        waiting += re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', assets[one].decode())
    return found


def test_the_first_page_and_a_room_are_small(assets: dict[str, bytes]) -> None:
    start = first(assets)
    room = next(name for name in assets if name.startswith("room-") and name.endswith(".js"))
    at_first = needed_by(start, assets)
    then = needed_by(room, assets) - at_first
    assert sent_kb(at_first, assets) < FIRST_KB
    assert 30 < sent_kb(then, assets) < ROOM_KB
    assert sent_kb((name for name in assets if re.fullmatch(r"index-[\w-]+\.css", name)), assets) < STYLES_KB


@pytest.mark.parametrize("word", [b"phx_join", b"refresh_token_not_found"], ids=["realtime", "auth"])
def test_a_room_never_loads_a_client_of_supabase_at_first(assets: dict[str, bytes], word: bytes) -> None:
    """On one's own machine neither comes at all; in a project that of Auth when a session is renewed."""
    room = next(name for name in assets if name.startswith("room-") and name.endswith(".js"))
    loaded = needed_by(first(assets), assets) | needed_by(room, assets)
    with_client = {name for name, content in assets.items() if word in content and name.endswith(".js")}
    assert with_client
    assert not loaded & with_client
