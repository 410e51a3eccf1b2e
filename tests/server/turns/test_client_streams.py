"""A client that follows a turn: the turn is listened to again as long as that brings news, and no longer."""

from collections.abc import Sequence
from typing import Self

import pytest

from server.adapters.in_process.relay import MemoryRelay
from server.errors import Busy
from server.ports.relay import Listening, Seen
from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.access import turn_of
from server.turns.client_streams import PAUSES_S, FollowedByClient
from tests.plugins.relays import S1, T1, an_answer, stamped
from tests.plugins.worlds import Talk, memory_world

NEWS = stamped(an_answer(3))
PAUSES = (0.0, 0.0, 0.0)


class OneLook:
    """Ends after what it has."""

    def __init__(self, events: Sequence[TurnEvent | TurnSnapshot]) -> None:
        self._events = list(events)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TurnEvent | TurnSnapshot:
        if not self._events:
            raise StopAsyncIteration
        return self._events.pop(0)

    async def aclose(self) -> None:
        pass


class HangsUp(MemoryRelay):
    """Whoever listens gets the newest event once more, and is hung up on. `news` is what comes, look by look."""

    def __init__(self, news: Sequence[TurnEvent]) -> None:
        super().__init__()
        self._news = list(news)
        self.looks = 0

    def listen(self, session_id: str, *, seen: Seen | None = None) -> Listening:
        self.looks += 1
        return OneLook([self._news.pop(0) if len(self._news) > 1 else self._news[0]])


async def followed_over(relay: HangsUp) -> FollowedByClient:
    talk = await Talk.begin(world := memory_world(), await world.user())
    talk.session_id = S1
    await talk.ask(T1)
    turn = await turn_of(world.conversations, talk.caller, T1)
    return FollowedByClient(world.conversations, talk.caller, turn, relay.listen(S1), relay, pauses_s=PAUSES)


async def test_a_turn_that_is_hung_up_on_without_news_is_left_after_a_bound() -> None:
    relay = HangsUp(NEWS[:1])
    followed = await followed_over(relay)
    with pytest.raises(Busy, match="goes on: ask for it again"):
        [event async for event in followed.events()]
    assert relay.looks == 1 + len(PAUSES)


async def test_news_between_two_ends_of_listening_begins_the_count_again() -> None:
    relay = HangsUp(NEWS)
    followed = await followed_over(relay)
    assert [event.seq async for event in followed.events()] == [event.seq for event in NEWS]
    assert relay.looks == len(NEWS) > 1 + len(PAUSES)


def test_the_first_time_is_at_once_and_all_of_it_takes_seconds() -> None:
    assert PAUSES_S[0] == 0
    assert list(PAUSES_S) == sorted(PAUSES_S)
    assert 2 < sum(PAUSES_S) < 10
