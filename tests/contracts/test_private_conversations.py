"""Conversations of two members of one account: each reads their own until it is shown to the account."""

from collections.abc import Awaitable

import pytest

from server.errors import BadRequest, NotAllowed, NotFound
from server.ports.conversations import NewMessage, Sender, SessionSearch, Visibility
from server.ports.identity import Caller
from server.ports.notes import NewNote, NoteKind
from server.ports.teams import Role
from tests.plugins.worlds import Talk, World, a_trace_of, new_uuid

EVERYTHING = SessionSearch(archived=None)


async def refused(*attempts: Awaitable[object], kind: type[Exception] = NotFound) -> None:
    for attempt in attempts:
        with pytest.raises(kind):
            await attempt


def reads(world: World, caller: Caller, talk: Talk, turn_id: str) -> tuple[Awaitable[object], ...]:
    stored = world.conversations
    return (
        stored.session(caller, talk.session_id),
        stored.turn(caller, turn_id),
        stored.messages(caller, talk.session_id),
        stored.versions(caller, talk.session_id),
        stored.messages_of_turn(caller, talk.session_id, turn_id),
    )


def changes(world: World, caller: Caller, talk: Talk) -> tuple[Awaitable[object], ...]:
    stored = world.conversations
    return (
        stored.rename_session(caller, talk.session_id, "Taken"),
        stored.archive_session(caller, talk.session_id, archived=True),
        stored.delete_session(caller, talk.session_id),
        world.traces.share_session(caller, talk.session_id, "a" * 64),
        world.traces.share_session(caller, talk.session_id, None),
        stored.show_session(caller, talk.session_id, Visibility.ACCOUNT),
    )


async def listed(world: World, caller: Caller) -> list[str]:
    """By every way to list conversations."""
    plain = [row.session_id for row in await world.conversations.sessions(caller)]
    found = [one.session.session_id for one in await world.conversations.found_sessions(caller, EVERYTHING)]
    by_words = await world.conversations.found_sessions(caller, SessionSearch(text="why", archived=None))
    assert plain == found == [one.session.session_id for one in by_words]
    return plain


@pytest.mark.parametrize("role", [Role.MEMBER, Role.OWNER])
async def test_another_member_neither_reads_nor_changes_nor_asks_in_a_private_one(world: World, role: Role) -> None:
    owner = await world.team()
    talk, other = await Talk.begin(world, owner), await world.joined(owner, role)
    turn_id = await talk.exchange()
    answer = (await world.conversations.messages(owner, talk.session_id))[-1].message_id
    note = NewMessage(message_id=new_uuid(), sender=Sender.SYSTEM_EVENT, text="refused")
    assert (await world.conversations.session(owner, talk.session_id)).visibility is Visibility.PRIVATE
    await refused(*reads(world, other, talk, turn_id), *changes(world, other, talk))
    await refused(
        world.conversations.open_session(other, trace_id=talk.trace_id, session_id=talk.session_id),
        world.conversations.request_cancel(other, turn_id),
        world.conversations.rate_message(other, answer, score=1),
    )
    asking = Talk(world, other, talk.trace_id)
    asking.session_id = talk.session_id
    await refused(asking.ask(new_uuid()))
    assert not await world.conversations.note_refusal(other, talk.session_id, note)
    assert (await world.conversations.limits(other, talk.session_id)).messages_used == 0
    assert await listed(world, other) == []
    assert await listed(world, owner) == [talk.session_id]
    assert (await world.traces.get(other, talk.trace_id)).trace_id == talk.trace_id, "the trace is the account's"


async def test_a_conversation_shown_to_the_account_is_read_and_continued_by_its_members(world: World) -> None:
    owner = await world.team()
    maker, other, viewer = await world.joined(owner), await world.joined(owner), await world.joined(owner, Role.VIEWER)
    stranger = await world.user()
    talk = await Talk.begin(world, maker)
    turn_id = await talk.exchange()
    shown = await world.conversations.show_session(maker, talk.session_id, Visibility.ACCOUNT)
    assert shown.visibility is Visibility.ACCOUNT
    for reader in (owner, other, viewer):
        for read in reads(world, reader, talk, turn_id):
            await read
        assert await listed(world, reader) == [talk.session_id]
    await refused(*reads(world, stranger, talk, turn_id))
    assert await listed(world, Caller(user_id=stranger.user_id, account_id=owner.account_id)) == []
    asking = Talk(world, other, talk.trace_id)
    asking.session_id = talk.session_id
    await asking.exchange("and then?")
    assert await talk.texts() == ["why?", "because", "and then?", "because"]
    asking.caller = viewer
    await refused(asking.ask(new_uuid()), kind=NotAllowed)
    await refused(world.conversations.request_cancel(viewer, turn_id), kind=NotAllowed)


async def test_who_changes_one_that_is_shown(world: World) -> None:
    owner = await world.team()
    maker, other = await world.joined(owner), await world.joined(owner)
    talk = await Talk.begin(world, maker)
    await talk.exchange()
    await world.conversations.show_session(maker, talk.session_id, Visibility.ACCOUNT)
    await refused(*changes(world, other, talk), kind=NotAllowed)
    await refused(
        world.traces.share_session(owner, talk.session_id, "a" * 64),
        world.conversations.show_session(owner, talk.session_id, Visibility.PRIVATE),
        kind=NotAllowed,
    )
    assert (await world.conversations.rename_session(owner, talk.session_id, "Ours")).title == "Ours"
    await world.traces.share_session(owner, talk.session_id, None)
    assert await world.conversations.delete_session(owner, talk.session_id) == []


async def test_one_in_which_others_asked_is_not_taken_back(world: World) -> None:
    owner = await world.team()
    talk, other = await Talk.begin(world, owner), await world.joined(owner)
    await talk.exchange()
    for visibility in (Visibility.ACCOUNT, Visibility.PRIVATE, Visibility.ACCOUNT):
        row = await world.conversations.show_session(owner, talk.session_id, visibility)
        assert row.visibility is visibility
    asking = Talk(world, other, talk.trace_id)
    asking.session_id = talk.session_id
    await asking.exchange()
    await refused(
        world.conversations.show_session(owner, talk.session_id, Visibility.PRIVATE),
        kind=BadRequest,
    )


async def test_who_has_left_reads_nothing_of_the_account_also_their_own(world: World) -> None:
    owner = await world.team()
    guest = await world.joined(owner)
    talk = await Talk.begin(world, guest)
    turn_id = await talk.exchange()
    await world.teams.remove_member(guest.user_id, owner.account_id, guest.user_id)
    await refused(*reads(world, guest, talk, turn_id), *changes(world, guest, talk))
    await refused(world.traces.get(guest, talk.trace_id), talk.ask(new_uuid()))
    assert await world.traces.list(guest) == []
    assert await listed(world, guest) == []
    assert await listed(world, owner) == [], "and nobody else reads it"


async def test_a_viewer_reads_and_changes_nothing(world: World) -> None:
    owner = await world.team()
    viewer, trace_id = await world.joined(owner, Role.VIEWER), await world.trace(owner)
    about = Talk(world, viewer, trace_id)
    note = NewNote(note_id=new_uuid(), kind=NoteKind.FUNCTION, profile="p0", handle="f1", name="draw", text="slow")
    await world.notes.add(owner, trace_id, note)
    assert (await world.traces.get(viewer, trace_id)).trace_id == trace_id
    assert [one.trace_id for one in await world.traces.list(viewer)] == [trace_id]
    assert [one.text for one in await world.notes.notes(viewer, trace_id)] == ["slow"]
    await refused(
        world.traces.reserve_upload(viewer),
        world.traces.insert(a_trace_of(viewer)),
        world.traces.label(viewer, trace_id, {"branch": "main"}),
        world.traces.delete(viewer, trace_id),
        world.traces.share(viewer, trace_id, "a" * 64),
        world.conversations.open_session(viewer, trace_id=trace_id, session_id=about.session_id),
        about.ask(new_uuid()),
        world.notes.rewrite(viewer, trace_id, note.note_id, "fast"),
        world.notes.remove(viewer, trace_id, note.note_id),
        kind=NotAllowed,
    )


async def test_who_uploaded_a_trace_and_an_owner_remove_it_with_everybodys_conversations(world: World) -> None:
    owner = await world.team()
    maker, other = await world.joined(owner), await world.joined(owner)
    ones, others = await world.trace(maker), await world.trace(maker)
    talk = Talk(world, other, ones)
    await talk.exchange()
    await refused(world.traces.delete(other, ones), kind=NotAllowed)
    await world.traces.delete(maker, ones)
    await world.traces.delete(owner, others)
    await refused(world.conversations.session(other, talk.session_id))
    assert await world.traces.list(owner) == []


async def test_a_note_is_rewritten_by_who_wrote_it_and_removed_by_an_owner_too(world: World) -> None:
    owner = await world.team()
    writer, other = await world.joined(owner), await world.joined(owner)
    trace_id = await world.trace(owner)
    note = NewNote(note_id=new_uuid(), kind=NoteKind.FUNCTION, profile="p0", handle="f1", name="draw", text="slow")
    await world.notes.add(writer, trace_id, note)
    await refused(
        world.notes.rewrite(other, trace_id, note.note_id, "fast"),
        world.notes.remove(other, trace_id, note.note_id),
        world.notes.rewrite(owner, trace_id, note.note_id, "fast"),
        kind=NotAllowed,
    )
    assert (await world.notes.rewrite(writer, trace_id, note.note_id, "fast")).text == "fast"
    await world.notes.remove(owner, trace_id, note.note_id)
    assert await world.notes.notes(writer, trace_id) == []


async def test_limits_count_for_who_asks(world: World) -> None:
    owner = await world.team()
    other = await world.joined(owner)
    talk = await Talk.begin(world, owner)
    await talk.exchange()
    await world.conversations.show_session(owner, talk.session_id, Visibility.ACCOUNT)
    another = Talk(world, other, talk.trace_id)
    await another.exchange()
    assert (await world.conversations.limits(owner, None)).sessions_used == 1
    assert (await world.conversations.limits(other, None)).sessions_used == 1
