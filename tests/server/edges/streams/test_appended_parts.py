"""A turn for clients that can only append: whatever is taken back, lost or repeated, the last version is the text."""

import random

import pytest

from server.edges.streams.appended_parts import Part, TextAdded, ToolBegan, ToolEnded, TurnParts
from server.protocol.events import (
    ModelChunkAppend,
    ModelTextReset,
    ToolStart,
    TurnCancelled,
    TurnEvent,
)
from server.protocol.server import TurnSnapshot
from server.turns.view_of_turn import TurnView
from tests.server.edges.streams.asking import text_of, with_tools


def parts_of(*events: TurnEvent | TurnSnapshot) -> list[Part]:
    parts = TurnParts()
    return [part for event in events for part in parts.take(event)]


def read(parts: list[Part]) -> dict[str, str]:
    """By message the newest version, as a client that knows of versions reads it."""
    versions: dict[tuple[str, int], str] = {}
    for part in parts:
        if isinstance(part, TextAdded):
            key = (part.message_id, part.version)
            versions[key] = versions.get(key, "") + part.text
    return {message_id: text for (message_id, _), text in sorted(versions.items(), key=lambda one: one[0][1])}


def append(offset: int, chunk: str) -> ModelChunkAppend:
    return ModelChunkAppend(message_id="m", offset=offset, chunk=chunk)


END = TurnCancelled()


def test_text_is_passed_on_as_it_comes() -> None:
    assert parts_of(*text_of("m", "ab"), END) == [TextAdded("m", 0, "a"), TextAdded("m", 0, "b"), END]


def test_a_text_that_begins_again_with_the_same_words_is_not_sent_twice() -> None:
    taken_back = ModelTextReset(message_id="m", offset=0)
    assert parts_of(append(0, "It is"), taken_back, append(0, "It "), append(3, "is it."), END) == [
        TextAdded("m", 0, "It is"),
        TextAdded("m", 0, " it."),
        END,
    ]


def test_other_words_are_sent_as_a_version_of_their_own() -> None:
    taken_back = ModelTextReset(message_id="m", offset=3)
    assert parts_of(append(0, "It was"), taken_back, append(3, "is"), append(5, "."), END) == [
        TextAdded("m", 0, "It was"),
        TextAdded("m", 1, "It is"),
        TextAdded("m", 1, "."),
        END,
    ]


def test_what_stays_taken_back_is_so_for_the_client_at_the_end() -> None:
    parts = parts_of(append(0, "It was"), ModelTextReset(message_id="m", offset=2), END)
    assert parts == [TextAdded("m", 0, "It was"), TextAdded("m", 1, "It"), END]


def test_blanks_alone_are_no_text() -> None:
    started = ToolStart(tool_call_id="c", tool_name="t", args={}, message="t")
    assert parts_of(append(0, "\n"), started, END) == [ToolBegan("c", "t", {}, "t"), END]
    assert read(parts_of(append(0, "\n"), append(1, "a"), END)) == {"m": "\na"}


@pytest.mark.parametrize("seed", range(20))
def test_a_snapshot_in_the_place_of_any_events_leads_to_the_same(seed: int) -> None:
    chance = random.Random(seed)
    view, parts = TurnView("turn", "session"), TurnParts()
    got: list[Part] = []
    lost = False
    for number, event in enumerate(with_tools(), 1):
        view.apply(event.model_copy(update={"seq": number}))
        lost = chance.random() < 0.5
        if not lost:
            got += parts.take(view.snapshot() if chance.random() < 0.5 or number > 1 else event)
    got += parts.take(view.snapshot())
    straight = parts_of(*with_tools())
    assert read(got) == read(straight)
    for kind in (ToolBegan, ToolEnded):
        assert [one for one in got if isinstance(one, kind)] == [one for one in straight if isinstance(one, kind)]
