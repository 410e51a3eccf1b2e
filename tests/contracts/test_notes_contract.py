"""Notes on traces: over every adapter of rows."""

from dataclasses import replace
from typing import Any

import pytest

from server.errors import BadRequest, NotFound
from server.ports.notes import MOST_NOTES, NewNote, NoteKind
from tests.plugins.worlds import World, new_uuid


def a_note(text: str = "too slow", **of_note: Any) -> NewNote:
    made = NewNote(
        note_id=new_uuid(), kind=NoteKind.FUNCTION, profile="p0", handle="f12", name="draw", file="a.py", text=text
    )
    return replace(made, **of_note)


async def test_notes_are_read_as_they_were_written_the_oldest_first(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    on_range = a_note("here", kind=NoteKind.RANGE, handle=None, start=1.5, end=2.25, name="", file=None)
    on_call = a_note(kind=NoteKind.CALL, handle="s3", name="ab", file=None)
    written = [a_note("<b>ʊ̯ \u05d0</b>\nnext\x00"), on_range, on_call]
    made = [await world.notes.add(caller, trace_id, one) for one in written]
    assert await world.notes.notes(caller, trace_id) == made
    assert [one.text for one in made] == ["<b>ʊ̯ \u05d0</b>\nnext\ufffd", "here", "too slow"]
    assert (made[1].kind, made[1].start, made[1].end, made[1].handle) == (NoteKind.RANGE, 1.5, 2.25, None)
    assert (made[0].handle, made[0].name, made[0].file, made[0].profile) == ("f12", "draw", "a.py", "p0")
    assert await world.notes.notes(caller, await world.trace(caller)) == []


async def test_a_note_is_rewritten_in_its_place_and_removed(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    first, second = [await world.notes.add(caller, trace_id, a_note(text)) for text in ("one", "two")]
    changed = await world.notes.rewrite(caller, trace_id, first.note_id, "1")
    assert changed == replace(first, text="1", updated_at=changed.updated_at)
    assert changed.updated_at >= first.updated_at
    assert await world.notes.notes(caller, trace_id) == [changed, second]
    await world.notes.remove(caller, trace_id, first.note_id)
    assert await world.notes.notes(caller, trace_id) == [second]
    for gone in (first.note_id, new_uuid(), "no-uuid"):
        with pytest.raises(NotFound):
            await world.notes.remove(caller, trace_id, gone)
        with pytest.raises(NotFound):
            await world.notes.rewrite(caller, trace_id, gone, "x")


async def test_nobody_reads_or_writes_notes_on_anothers_trace(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    trace_id, other = await world.trace(caller), await world.trace(stranger)
    made = await world.notes.add(caller, trace_id, a_note())
    assert await world.notes.notes(stranger, trace_id) == []
    for attempt in (
        world.notes.add(stranger, trace_id, a_note()),
        world.notes.rewrite(stranger, trace_id, made.note_id, "mine"),
        world.notes.rewrite(stranger, other, made.note_id, "mine"),
        world.notes.remove(stranger, trace_id, made.note_id),
        world.notes.remove(stranger, other, made.note_id),
        world.notes.add(caller, new_uuid(), a_note()),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await world.notes.notes(caller, trace_id) == [made]


async def test_a_trace_has_room_for_so_many_notes_and_no_more(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    made = [await world.notes.add(caller, trace_id, a_note()) for _ in range(MOST_NOTES)]
    with pytest.raises(BadRequest, match=f"{MOST_NOTES} notes"):
        await world.notes.add(caller, trace_id, a_note())
    await world.notes.remove(caller, trace_id, made[0].note_id)
    await world.notes.add(caller, trace_id, a_note())


async def test_an_id_is_taken_once_and_notes_go_with_their_trace(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    note = a_note()
    await world.notes.add(caller, trace_id, note)
    with pytest.raises(BadRequest, match="id"):
        await world.notes.add(caller, await world.trace(caller), note)
    await world.traces.delete(caller, trace_id)
    assert await world.notes.notes(caller, trace_id) == []
