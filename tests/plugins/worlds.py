"""What the contract suites of rows run on: ports over the twins in memory, and what their tests do with them."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from limits.administration import PlanRecords
from limits.plans import LOCAL_PLAN, Plan
from limits.refusals import Decision
from server.adapters.in_process.clock import SystemClock
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
