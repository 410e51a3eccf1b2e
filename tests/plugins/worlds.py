"""What the contract suites of rows run on: the same ports over the twins in memory and over PostgreSQL."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from limits.administration import PlanRecords
from limits.plans import LOCAL_PLAN, Plan
from limits.refusals import Decision
from server.adapters.in_process.clock import SystemClock
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.core_memory import PostgresCoreMemory
from server.adapters.postgres.evaluations import PostgresEvaluations
from server.adapters.postgres.gates import PostgresGates
from server.adapters.postgres.history import PostgresHistory
from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.kept_views import PostgresKeptViews
from server.adapters.postgres.knowledge import PostgresKnowledge
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.memories import PostgresMemories
from server.adapters.postgres.notes import PostgresNotes
from server.adapters.postgres.plans import PostgresPlans
from server.adapters.postgres.pool import Database
from server.adapters.postgres.program_keys import PostgresProgramKeys, PostgresRenderQuota
from server.adapters.postgres.run_tokens import PostgresRunTokens
from server.adapters.postgres.saved_questions import PostgresSavedQuestions
from server.adapters.postgres.teams import PostgresTeams
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.adapters.postgres.watched_files import PostgresWatchedFiles
from server.ports.conversations import (
    Conversations,
    MessageRow,
    NewMessage,
    Sender,
    TurnEnding,
    TurnKind,
    TurnRequest,
    TurnStatus,
)
from server.ports.core_memory import CoreMemory
from server.ports.evaluations import Evaluations
from server.ports.gates import Gates
from server.ports.history import History
from server.ports.identity import Caller
from server.ports.invocations import CallCost, Invocations
from server.ports.kept_views import KeptViews
from server.ports.knowledge import Knowledge
from server.ports.memories import Memories
from server.ports.notes import Notes
from server.ports.program_keys import ProgramKeys, RenderQuota
from server.ports.run_tokens import RunTokens
from server.ports.saved_questions import SavedQuestions
from server.ports.teams import Role, Teams
from server.ports.traces import TraceRecords, TraceRow
from server.ports.watched_files import WatchedFiles
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.core_memory import MemoryCoreMemory
from server.testing.evaluations import MemoryEvaluations
from server.testing.gates import MemoryGates
from server.testing.history import MemoryHistory
from server.testing.invocations import MemoryInvocations
from server.testing.kept_views import MemoryKeptViews
from server.testing.knowledge import MemoryKnowledge
from server.testing.memories import MemoryMemories
from server.testing.notes import MemoryNotes
from server.testing.plans import MemoryPlans
from server.testing.program_keys import MemoryProgramKeys, MemoryRenderQuota
from server.testing.run_tokens import MemoryRunTokens
from server.testing.saved_questions import MemorySavedQuestions
from server.testing.teams import MemoryTeams
from server.testing.trace_records import MemoryTraceRecords
from server.testing.watched_files import MemoryWatchedFiles
from tests.plugins.postgres import PROJECT, FreshDatabase


def new_uuid() -> str:
    return str(uuid4())


def a_trace_of(caller: Caller, *, name: str = "trace.json") -> TraceRow:
    trace_id = new_uuid()
    return TraceRow(
        trace_id=trace_id,
        account_id=caller.account_id,
        user_id=caller.user_id,
        name=name,
        sha256="ab" * 32,
        size_bytes=1234,
        format="speedscope",
        unit="nanoseconds",
        duration_ns=5_000_000,
        summary={"profiles": [{"handle": "p0"}]},
        object_path=f"{caller.account_id}/{trace_id}",
        created_at=datetime.now(UTC),
    )


@dataclass(frozen=True, slots=True)
class World:
    """`put_on(caller, plan)` makes the plan what it says; `let_expire` makes an interrupt one that has waited."""

    conversations: Conversations
    traces: TraceRecords
    plans: PlanRecords
    memory: CoreMemory
    new_user: Callable[[], Awaitable[Caller]]
    put_on: Callable[[Caller, Plan], Awaitable[None]]
    invocations: Invocations
    notes: Notes
    let_expire: Callable[[str], Awaitable[None]]
    join: Callable[[Caller, Caller], Awaitable[None]]
    """Make the second user a member of the first one's account."""
    kept_views: KeptViews
    watched_files: WatchedFiles
    history: History
    keys: ProgramKeys
    renders: RenderQuota
    gates: Gates
    leave: Callable[[Caller], Awaitable[None]]
    """End a caller's membership of the account they act for."""
    teams: Teams
    memories: Memories
    knowledge: Knowledge
    confirm: Callable[[str, str], Awaitable[None]]
    """Make an address one that the user has confirmed."""
    let_invitation_expire: Callable[[str], Awaitable[None]]
    saved_questions: SavedQuestions
    evaluations: Evaluations
    run_tokens: RunTokens

    async def team(self) -> Caller:
        """The owner of a new account of several people, acting for it."""
        owner = await self.user()
        made = await self.teams.create(owner.user_id, "Team")
        return Caller(user_id=owner.user_id, account_id=made.account_id)

    async def joined(self, owner: Caller, role: Role = Role.MEMBER) -> Caller:
        """A new user whom the owner has invited, acting for the owner's account."""
        guest, address = await self.user(), f"{new_uuid()}@example.com"
        await self.confirm(guest.user_id, address)
        token_hash = secrets.token_hex(32)
        await self.teams.invite(owner.user_id, owner.account_id, email=address, role=role, token_hash=token_hash)
        assert await self.teams.accept(guest.user_id, token_hash) == owner.account_id
        return Caller(user_id=guest.user_id, account_id=owner.account_id)

    async def member(self, host: Caller) -> Caller:
        """A new user, acting for the host's account."""
        guest = await self.user()
        await self.join(host, guest)
        return Caller(user_id=guest.user_id, account_id=host.account_id)

    async def user(self, plan: Plan = LOCAL_PLAN) -> Caller:
        caller = await self.new_user()
        await self.put_on(caller, plan)
        return caller

    async def trace(self, caller: Caller) -> str:
        row = a_trace_of(caller)
        await self.traces.insert(row)
        return row.trace_id


class Talk:
    """A conversation about a new trace, and its verbs in short."""

    def __init__(self, world: World, caller: Caller, trace_id: str) -> None:
        self.world = world
        self.caller = caller
        self.trace_id = trace_id
        self.session_id = new_uuid()

    @classmethod
    async def begin(cls, world: World, caller: Caller) -> "Talk":
        return cls(world, caller, await world.trace(caller))

    async def ask(
        self,
        turn_id: str,
        prompt: str = "why?",
        *,
        kind: TurnKind = TurnKind.PROMPT,
        queue_behind: bool = False,
        supersedes: str | None = None,
        most_answering: int | None = None,
        bound: CallCost | None = None,
    ) -> Decision:
        request = TurnRequest(
            caller=self.caller,
            trace_id=self.trace_id,
            session_id=self.session_id,
            turn_id=turn_id,
            prompt=prompt,
            kind=kind,
            supersedes=supersedes,
            bound=bound,
        )
        return await self.world.conversations.reserve_turn(
            request, queue_behind=queue_behind, most_answering=most_answering
        )

    async def end(
        self, turn_id: str, status: TurnStatus = TurnStatus.COMPLETED, *texts: str, delivered: bool = True
    ) -> list[MessageRow] | None:
        messages = tuple(NewMessage(message_id=new_uuid(), sender=Sender.MODEL, text=text) for text in texts)
        ending = TurnEnding(status=status, messages=messages, delivered_anything=delivered)
        return await self.world.conversations.end_turn(turn_id, ending)

    async def exchange(self, prompt: str = "why?", answer: str = "because") -> str:
        turn_id = new_uuid()
        assert (await self.ask(turn_id, prompt)).allowed
        await self.end(turn_id, TurnStatus.COMPLETED, answer)
        return turn_id

    async def texts(self) -> list[str]:
        return [m.text for m in await self.world.conversations.messages(self.caller, self.session_id)]

    async def sessions_used(self) -> int:
        return (await self.world.conversations.limits(self.caller, None)).sessions_used


@pytest.fixture(params=["memory", "postgres", *(["real project"] if all(PROJECT.values()) else [])])
def database_or_none(request: pytest.FixtureRequest) -> FreshDatabase | None:
    """What `world` stands on; asks for a database only where one is used."""
    if request.param == "memory":
        return None
    found = request.getfixturevalue("crowded_database" if request.param == "postgres" else "project_database")
    assert isinstance(found, FreshDatabase)
    return found


@pytest.fixture
async def world(database_or_none: FreshDatabase | None) -> AsyncIterator[World]:
    if database_or_none is None:
        yield memory_world()
    else:
        # A project's address may be that of a pooler of transactions.
        async with Database(database_or_none.server, pooler=database_or_none.server == PROJECT[""]) as database:
            yield postgres_world(database_or_none.owner, database)


def memory_world() -> World:
    accounts = MemoryAccounts(SystemClock())
    traces = MemoryTraceRecords(accounts)

    async def new_user() -> Caller:
        caller = Caller(user_id=new_uuid(), account_id=new_uuid())
        accounts.add(caller)
        return caller

    async def put_on(caller: Caller, plan: Plan) -> None:
        accounts.add(caller, plan)

    conversations = MemoryConversations(traces)
    memory = MemoryCoreMemory(accounts, conversations)
    invocations, notes = MemoryInvocations(traces.accounts), MemoryNotes(traces)

    async def let_expire(interrupt_id: str) -> None:
        conversations.let_expire(interrupt_id)

    async def join(host: Caller, guest: Caller) -> None:
        accounts.add(Caller(user_id=guest.user_id, account_id=host.account_id))

    async def leave(caller: Caller) -> None:
        accounts.leave(caller)

    plans, views = MemoryPlans(traces), MemoryKeptViews(traces)
    history, teams = MemoryHistory(traces), MemoryTeams(traces)

    async def confirm(user_id: str, address: str) -> None:
        teams.addresses[user_id] = address

    async def let_invitation_expire(invitation_id: str) -> None:
        teams.let_expire(invitation_id)

    saved = MemorySavedQuestions(accounts)
    memories = MemoryMemories(accounts, traces, conversations)
    return World(
        conversations,
        traces,
        plans,
        memory,
        new_user,
        put_on,
        invocations,
        notes,
        let_expire,
        join,
        views,
        MemoryWatchedFiles(SystemClock()),
        history,
        MemoryProgramKeys(accounts),
        MemoryRenderQuota(accounts),
        MemoryGates(traces),
        leave,
        teams,
        memories,
        MemoryKnowledge(accounts),
        confirm,
        let_invitation_expire,
        saved,
        MemoryEvaluations(conversations, invocations),
        MemoryRunTokens(conversations),
    )


def postgres_world(owner_dsn: str, database: Database) -> World:
    async def new_user() -> Caller:
        user_id = new_uuid()
        return Caller(user_id=user_id, account_id=await ensure_local_user(owner_dsn, user_id))

    async def put_on(caller: Caller, plan: Plan) -> None:
        await save_plan(owner_dsn, plan)
        async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
            await owner.execute(
                "update user_subscriptions set status = 'active', plan_id = "
                "(select id from subscription_plans where name = %s) where user_id = %s",
                [plan.name, caller.user_id],
            )

    async def let_expire(interrupt_id: str) -> None:
        async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
            await owner.execute(
                "update chat_turns set interrupt_expires_at = now() - interval '1 s' where interrupt_id = %s",
                [interrupt_id],
            )

    async def join(host: Caller, guest: Caller) -> None:
        async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
            await owner.execute(
                "insert into account_members (account_id, user_id, role) values (%s, %s, 'member')",
                [host.account_id, guest.user_id],
            )

    async def leave(caller: Caller) -> None:
        async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
            await owner.execute(
                "delete from account_members where account_id = %s and user_id = %s",
                [caller.account_id, caller.user_id],
            )

    async def confirm(user_id: str, address: str) -> None:
        async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
            await owner.execute(
                "update auth.users set email = %s, email_confirmed_at = now() where id = %s", [address, user_id]
            )

    async def let_invitation_expire(invitation_id: str) -> None:
        async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
            await owner.execute("update account_invitations set expires_at = now() where id = %s", [invitation_id])

    return World(
        PostgresConversations(database),
        PostgresTraceRecords(database),
        PostgresPlans(database),
        PostgresCoreMemory(database),
        new_user,
        put_on,
        PostgresInvocations(database),
        PostgresNotes(database),
        let_expire,
        join,
        PostgresKeptViews(database),
        PostgresWatchedFiles(database),
        PostgresHistory(database),
        PostgresProgramKeys(database),
        PostgresRenderQuota(database),
        PostgresGates(database),
        leave,
        PostgresTeams(database),
        PostgresMemories(database),
        PostgresKnowledge(database),
        confirm,
        let_invitation_expire,
        PostgresSavedQuestions(database),
        PostgresEvaluations(database),
        PostgresRunTokens(database),
    )


async def save_plan(owner_dsn: str, plan: Plan) -> None:
    """Make the row of `subscription_plans` say what the plan says."""
    row = asdict(plan) | {"hidden_tools": list(plan.hidden_tools), "chat_models": list(plan.chat_models)}
    del row["is_retired"]
    row["price_monthly"] = row.pop("price_monthly_cents") / 100
    cents = row.pop("monthly_cost_limit_cents")
    row["monthly_cost_limit_usd"] = None if cents is None else cents / 100
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    places = sql.SQL(", ").join(map(sql.Placeholder, row))
    insert = "insert into subscription_plans ({0}) values ({1}) on conflict (name) do update set ({0}) = row ({1})"
    async with await psycopg.AsyncConnection.connect(owner_dsn) as owner:
        await owner.execute(sql.SQL(insert).format(names, places), row)
