"""Pictures of turns, in every store: which of them nobody can see any more."""

from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnStatus
from tests.plugins.worlds import Talk, World, new_uuid


def picture_of(talk: Talk, turn_id: str, name: str = "1.png") -> str:
    return f"{talk.caller.account_id}/{turn_id}/{name}"


async def test_a_picture_is_somebody_s_while_its_turn_goes_on_or_a_message_shows_it(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    shown, unused = picture_of(talk, turn_id), picture_of(talk, turn_id, "2.png")
    assert await world.conversations.pictures_of_nobody([shown, unused]) == []
    await world.conversations.start_turn(turn_id, owner="a process")
    message = NewMessage(message_id=new_uuid(), sender=Sender.TOOL_RESULT, text="drawn", image_path=shown)
    await world.conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=(message,)))
    assert await world.conversations.pictures_of_nobody([shown, unused]) == [unused]
    await world.conversations.delete_session(talk.caller, talk.session_id)
    assert sorted(await world.conversations.pictures_of_nobody([shown, unused])) == sorted([shown, unused])


async def test_what_is_no_picture_of_a_turn_is_left_alone(world: World) -> None:
    others = ["a/b.png", f"a/{new_uuid()}/b/c.png", "a/no-id/b.png", ""]
    assert await world.conversations.pictures_of_nobody(others) == []
    assert await world.conversations.pictures_of_nobody([]) == []
