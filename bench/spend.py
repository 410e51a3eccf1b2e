"""`python -m bench spend [CALLS]`: the spend report over a year of 1,000,000 model calls of 300 people in an embedded
database, by each of its ways, in CPU time of PostgreSQL and on the clock; the least of three. Rows are made in the
database, and the sums of days by the same grouping as in its migration.
"""

import asyncio
import tempfile
import time
import uuid
from pathlib import Path

import psycopg

from bench.process_times import cpu_of, with_children
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.migrations import migrate
from server.adapters.postgres.pool import Database
from server.ports.invocations import SpendBy

CALLS = 1_000_000
PEOPLE = 300
DAYS = 365
MOST_MS = 300.0
REPEATED = 3

_ROWS = """
alter table ai_invocation_summaries disable trigger user;
insert into ai_invocation_summaries (invocation_id, account_id, user_id, attempt, call_number, try_number, purpose,
    executor, model_asked, input_tokens, output_tokens, cost_usd, prompt_version, outcome, started_at, ended_at)
select gen_random_uuid(), %(account)s, md5((floor(random() * %(people)s))::text)::uuid, 1, 1, 1,
    (array['answer', 'answer', 'answer', 'title'])[1 + floor(random() * 4)], 'in_process',
    (array['large', 'small', 'mini'])[1 + floor(random() * 3)], 1000 + n %% 5000, 100 + n %% 900, 0.001 * (n %% 17),
    case when at < now() - interval '180 days' then 'v1' else 'v2' end, 'ok', at, at + interval '1 second'
from (select n, now() - random() * %(days)s * interval '1 day' as at from generate_series(1, %(calls)s) n) as moment;
alter table ai_invocation_summaries enable trigger user;
"""


_SUMS = """
insert into flamechat_private.ai_spend_days
select (i.started_at at time zone 'UTC')::date, i.account_id, i.user_id, i.model_asked, i.purpose, count(*),
    count(*) filter (where i.outcome <> 'ok'), count(*) filter (where i.cost_usd is null),
    coalesce(sum(i.input_tokens), 0), coalesce(sum(i.cached_input_tokens), 0), coalesce(sum(i.output_tokens), 0),
    coalesce(sum(i.reasoning_tokens), 0), coalesce(sum(i.cost_usd), 0), coalesce(i.prompt_version, '')
from public.ai_invocation_summaries i
group by 1, i.account_id, i.user_id, i.model_asked, i.purpose, coalesce(i.prompt_version, '')
"""


def print_spend(calls: int = CALLS) -> None:
    """Make the rows, ask, print."""
    asyncio.run(_measured(calls))


async def _measured(calls: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with EmbeddedPostgres(Path(folder) / "postgres") as postgres:
            await migrate(postgres.owner_dsn, bootstrap=True)
            account = await ensure_local_user(postgres.owner_dsn, str(uuid.uuid4()))
            cells = _fill(postgres.owner_dsn, account, calls)
            print(f"\n{calls:,} calls of {PEOPLE} people over {DAYS} days: {cells:,} sums of days\n")
            print(f"{'by':10} {'rows':>8} {'CPU, ms':>9} {'clock, ms':>10}   bound {MOST_MS:g} ms of CPU")
            server = int(
                next((Path(folder) / "postgres").rglob("postmaster.pid")).read_text(encoding="utf-8").split()[0]
            )
            async with Database(postgres.server_dsn) as database:
                invocations = PostgresInvocations(database)
                for by in SpendBy:
                    seen = []
                    for _ in range(REPEATED):
                        before, since = cpu_of(with_children(server)), time.perf_counter()
                        rows = len(await invocations.spend(by))
                        seen.append((cpu_of(with_children(server)) - before, time.perf_counter() - since))
                    cpu, clock = (1000 * min(one[place] for one in seen) for place in (0, 1))
                    words = "holds" if cpu < MOST_MS else "DOES NOT HOLD"
                    print(f"{by.value:10} {rows:>8,} {cpu:>9.0f} {clock:>10.0f}   {words}", flush=True)


def _fill(owner_dsn: str, account: str, calls: int) -> int:
    """The rows and their sums; how many sums there are."""
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        parameters = {"account": account, "people": PEOPLE, "calls": calls, "days": DAYS}
        with psycopg.ClientCursor(owner) as cursor:
            cursor.execute(_ROWS.encode(), parameters)
        owner.execute(_SUMS.encode())
        owner.execute("select flamechat_private.close_spend_days()")
        owner.execute("analyze")
        row = owner.execute("select count(*) from flamechat_private.ai_spend_days").fetchone()
    return 0 if row is None else int(row[0])
