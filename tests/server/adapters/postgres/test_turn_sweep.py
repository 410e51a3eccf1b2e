"""What ended turns leave goes, and tables are not read to their ends for it."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection, sql

from server.adapters.postgres.library_tables import SCHEMA
from server.adapters.postgres.statements import statement
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.adapters.postgres.turn_sweep import NEWLY_S, STATE_VERSIONS, TurnSweep
from server.agent.graph.state import STATE_VERSION
from tests.plugins.postgres import FreshDatabase

Row = tuple[Any, ...]
PARTS = 4
PART_OF = "mod(extract(epoch from {})::bigint / 180, 4)"


@pytest.fixture
def people(database: FreshDatabase) -> Iterator[Connection[Row]]:
    with psycopg.connect(database.owner, autocommit=True) as owner:
        yield owner


def turns(owner: Connection[Row], number: int = 1) -> list[tuple[str, str]]:
    """So many running turns: user and turn of each."""
    made = []
    for _ in range(number):
        user, trace, session, turn = (str(uuid4()) for _ in range(4))
        owner.execute("insert into auth.users (id) values (%s)", [user])
        owner.execute(
            "insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path) "
            "select %s, id, %s, 't', repeat('a', 64), 1, 'pprof', 'count', 'x' from accounts "
            "where personal_user_id = %s",
            [trace, user, user],
        )
        owner.execute("select reserve_chat_turn(%s, %s, %s, %s, 'prompt', 'why?', '{}')", [user, trace, session, turn])
        made.append((user, turn))
    return made


def end(owner: Connection[Row], turn: str, ago: str = "0 s") -> None:
    owner.execute(
        "update chat_turns set status = 'completed', ended_at = now() - %s::interval where id = %s", [ago, turn]
    )


def written(owner: Connection[Row], turn: str, part: int) -> None:
    """Two events of the turn in that part."""
    owner.execute(
        "insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn, part) "
        "select id, s, session_id, '{}', false, %s from chat_turns, generate_series(1, 2) s where id = %s",
        [part, turn],
    )


def parts(owner: Connection[Row], turn: str) -> list[int]:
    found = owner.execute("select part from flamechat_private.turn_events where turn_id = %s order by seq", [turn])
    return [int(row[0]) for row in found.fetchall()]


def emptied(owner: Connection[Row], now: str) -> int:
    with owner.transaction():
        owner.execute("set local role service_role")
        found = owner.execute("select flamechat_private.empty_old_turn_events(%s)", [now]).fetchone()
    assert found is not None
    return int(found[0])


NOW = "2026-01-01 00:00:30+00"


def newest(owner: Connection[Row]) -> int:
    found = owner.execute(sql.SQL("select {}").format(sql.SQL(PART_OF.format("%s::timestamptz"))), [NOW]).fetchone()
    assert found is not None
    return int(found[0])


def test_old_parts_go_and_what_running_turns_have_in_them_stays(people: Connection[Row]) -> None:
    (_, running), (_, ended) = turns(people, 2)
    end(people, ended)
    now = newest(people)
    for turn in (running, ended):
        for part in range(PARTS):
            people.execute("delete from flamechat_private.turn_events where turn_id = %s", [turn])
            written(people, turn, part)
            emptied(people, NOW)
            is_new = part in (now, (now + PARTS - 1) % PARTS)
            left = [part] * 2 if is_new else [now] * 2 if turn == running else []
            assert parts(people, turn) == left
    assert emptied(people, NOW) == 0


def test_a_part_that_somebody_reads_is_left_for_the_next_time(people: Connection[Row], database: FreshDatabase) -> None:
    ((_, turn),) = turns(people)
    end(people, turn)
    old = (newest(people) + 1) % PARTS
    written(people, turn, old)
    with psycopg.connect(database.owner) as reader:
        reader.execute("select from flamechat_private.turn_events")
        assert emptied(people, NOW) == 0
    assert parts(people, turn) == [old, old]
    assert emptied(people, NOW) == 1


def test_a_row_is_written_to_the_part_of_its_time(people: Connection[Row]) -> None:
    ((_, turn),) = turns(people)
    with people.transaction():
        people.execute(
            "insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn) "
            "select id, 1, session_id, '{}', false from chat_turns where id = %s",
            [turn],
        )
        expected = people.execute(sql.SQL("select {}").format(sql.SQL(PART_OF.format("now()")))).fetchone()
    assert expected is not None
    assert parts(people, turn) == [expected[0]]


async def test_checkpoints_go_with_their_turn_and_others_stay(database: FreshDatabase, people: Connection[Row]) -> None:
    running, ended, long_ago, gone = turns(people, 4)
    threads = {turn: f"{user}/{turn}/{STATE_VERSION}" for user, turn in (running, ended, long_ago, gone)}
    async with PostgresTurnQueue(database.server, at_once=1) as queue:
        sweep = TurnSweep(queue)
        await sweep.sweep()  # what is looked for seldom has been looked for
        for thread in threads.values():
            kept(people, thread)
        end(people, ended[1])
        end(people, long_ago[1], f"{NEWLY_S * 10:g} s")
        people.execute("delete from chat_turns where id = %s", [gone[1]])
        await sweep.sweep()
        assert left(people) == {threads[turn] for _, turn in (running, long_ago, gone)}
        await TurnSweep(queue).sweep()
        assert left(people) == {threads[running[1]]}


def kept(owner: Connection[Row], thread: str) -> None:
    owner.execute(
        f"insert into {SCHEMA}.checkpoints (thread_id, checkpoint_id, checkpoint) values (%s, 'c', '{{}}')", [thread]
    )
    owner.execute(
        f"insert into {SCHEMA}.checkpoint_blobs (thread_id, channel, version, type) values (%s, 'a', '1', 'x')",
        [thread],
    )
    owner.execute(
        f"insert into {SCHEMA}.checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, blob) "
        "values (%s, 'c', 't', 0, 'a', '')",
        [thread],
    )


def left(owner: Connection[Row]) -> set[str]:
    """Threads of which every table has a row; all of them, or none."""
    found = [
        {str(row[0]) for row in owner.execute(f"select thread_id from {SCHEMA}.{table}").fetchall()}
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
    ]
    assert found[0] == found[1] == found[2]
    return found[0]


def test_no_version_of_the_state_is_forgotten() -> None:
    assert STATE_VERSION <= STATE_VERSIONS


def test_a_round_reads_no_table_to_its_end(people: Connection[Row]) -> None:
    """Of 20,000 turns that have ended, and checkpoints of as many threads."""
    ((_, turn),) = turns(people)
    end(people, turn)
    people.execute(
        "insert into chat_turns (id, session_id, account_id, user_id, trace_id, kind, status, ordinal, prompt, "
        "plan_name, messages_used, ended_at) "
        "select gen_random_uuid(), session_id, account_id, user_id, trace_id, kind, 'completed', n + 1, '', plan_name, "
        "1, now() - interval '1 day' from chat_turns, generate_series(1, 20000) n"
    )
    for columns, values in (
        ("checkpoints (thread_id, checkpoint_id, checkpoint)", "'c', '{}'"),
        ("checkpoint_blobs (thread_id, channel, version, type)", "'a', '1', 'x'"),
        ("checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, blob)", "'c', 't', 0, 'a', ''"),
    ):
        people.execute(f"insert into {SCHEMA}.{columns} select 'user/' || n, {values} from generate_series(1, 20000) n")
    people.execute(
        "insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn, part) "
        "select id, 1, session_id, '', true, mod(row_number() over (), 4) from chat_turns"
    )
    people.execute("analyze")
    people.execute(f"set search_path to {SCHEMA}")
    newly = {"versions": STATE_VERSIONS, "newly_s": NEWLY_S}
    assert "Seq Scan" not in plan(people, "delete_checkpoints_of_newly_ended", newly)
    looked_at = {"turns": [], "seen": [], "own": [], "sessions": [str(uuid4())], "ended_within_s": 30.0}
    assert "Seq Scan on turn_events" not in plan(people, "read_turn_events", looked_at)


def plan(owner: Connection[Row], name: str, parameters: dict[str, Any]) -> str:
    found = owner.execute(sql.SQL("explain ") + sql.SQL(statement(name)), parameters).fetchall()
    return "\n".join(row[0] for row in found)
