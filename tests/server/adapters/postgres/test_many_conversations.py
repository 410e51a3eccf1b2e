"""Ten thousand conversations of one user are listed a page at a time, each once."""

from itertools import pairwise

import psycopg

from server.adapters.postgres.pool import Database
from server.ports.conversations import SessionSearch
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world

MANY, PAGE = 10_000, 100
MORE = """
with made as (
    insert into chat_sessions (id, account_id, user_id, trace_id, title, updated_at)
    select gen_random_uuid(), account_id, user_id, trace_id, 'number ' || n, now() - n * interval '1 min'
    from chat_sessions, generate_series(1, %s) as n
    returning *
)
insert into chat_messages (id, session_id, turn_id, position, sender, content_text)
select gen_random_uuid(), made.id, m.turn_id, m.position, m.sender, m.content_text
from made, chat_messages m where m.sender = 'user' and m.turn_id is not null
"""


async def test_each_of_ten_thousand_stands_on_one_page(database: FreshDatabase) -> None:
    async with Database(database.server) as found:
        world = postgres_world(database.owner, found)
        talk = await Talk.begin(world, await world.user())
        await talk.exchange("why?", "because")
        with psycopg.connect(database.owner, autocommit=True) as owner:
            owner.execute(MORE, [MANY - 1])
        listed = await world.conversations.sessions(talk.caller, limit=PAGE)
        assert len(listed) == PAGE
        assert all(one.updated_at >= other.updated_at for one, other in pairwise(listed))
        last = SessionSearch(limit=PAGE, offset=MANY - PAGE + 1)
        [*_, oldest] = await world.conversations.found_sessions(talk.caller, last)
        assert oldest.session.title == f"number {MANY - 1}"
