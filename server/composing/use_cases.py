"""The use cases over any adapters: the same for an embedded database, a cloud one and none."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from limits.administration import Administration, PlanRecords
from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.queue import MemoryQueue
from server.adapters.prometheus import PrometheusMeasures
from server.agent.turn import Agent, TurnInput
from server.composing import keys_and_gates
from server.composing.agent import first_call
from server.composing.build import run_facts
from server.composing.graph_server import GraphServer, executor_of, run_services_of
from server.composing.informing import informing_of
from server.composing.kept_by_people import backfill_of, notes_of, run_questions_of, saved_questions_of, views_of
from server.composing.memory_use_cases import memory_use_cases, own_documents, watch_memories
from server.composing.rates import rates_of
from server.composing.readiness import Readiness
from server.composing.turn_inputs import collector_recovery, turn_inputs
from server.edges.http.client_config import ClientConfig
from server.edges.http.gateway import Gateway
from server.edges.http.services import (
    ChatServices,
    GateServices,
    KnowledgeServices,
    MemoryServices,
    PictureServices,
    PlanServices,
    QuestionServices,
    ServerServices,
    Services,
    SocketServices,
    StreamServices,
    TeamServices,
    ToolServices,
    TraceServices,
    UploadServices,
)
from server.edges.ws.news import News
from server.edges.ws.open_sockets import OpenSockets
from server.ports.budget_notices import BudgetNotices
from server.ports.clock import Clock
from server.ports.conversations import Conversations
from server.ports.core_memory import CoreMemory
from server.ports.embedder import Embedder
from server.ports.evaluations import Evaluations
from server.ports.flags import EXECUTORS, Flags
from server.ports.gates import Gates, WebhookSender
from server.ports.history import History
from server.ports.identity import Caller, Identity
from server.ports.invocations import Invocations
from server.ports.kept_views import KeptViews
from server.ports.knowledge import Knowledge
from server.ports.mcp_tools import McpTools
from server.ports.memories import Memories
from server.ports.notes import Notes
from server.ports.objects import ObjectStore
from server.ports.program_keys import ProgramKeys, RenderQuota
from server.ports.queue import TurnQueue
from server.ports.relay import Relay
from server.ports.repositories import Repositories
from server.ports.saved_questions import SavedQuestions
from server.ports.scores import Scores
from server.ports.teams import Teams
from server.ports.traces import TraceRecords, TraceWorkers
from server.ports.web import Web
from server.settings import Settings
from server.turns.account_memory import AccountMemory
from server.turns.account_teams import account_teams
from server.turns.admission import Admission
from server.turns.client_streams import ClientStreams
from server.turns.collector_recovery import CollectorRecovery
from server.turns.conversation import Conversation
from server.turns.gate_checks import GateChecks
from server.turns.measure_backfill import MeasureBackfill
from server.turns.memory_keeping import MemoryKeeping
from server.turns.openings import Openings
from server.turns.outside_reach import OutsideReach
from server.turns.prepared_turn import TurnPreparation
from server.turns.retention import Retention
from server.turns.runner import TurnRunner
from server.turns.shared_conversation import SharedConversations
from server.turns.trace_library import TraceLibrary
from server.turns.turn_input import TurnInputs

PAGE = Path(__file__).parents[1] / "page"
"""The built client."""

ENDING_S = 30
"""After its last step a turn is checked and stored; whoever waits for its end waits so much longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What is kept in tables; without `memory` nothing is remembered, without `notes` nothing noted,
    without `teams` everybody has one account."""

    conversations: Conversations
    records: TraceRecords
    plans: PlanRecords
    invocations: Invocations
    evaluations: Evaluations
    memory: CoreMemory | None = None
    memories: Memories | None = None
    knowledge: Knowledge | None = None
    notes: Notes | None = None
    kept_views: KeptViews | None = None
    teams: Teams | None = None
    history: History | None = None
    keys: ProgramKeys | None = None
    renders: RenderQuota | None = None
    saved_questions: SavedQuestions | None = None
    gates: Gates | None = None
    budget_notices: BudgetNotices | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """Who people are, and where files are kept. `relay` is published to; `user` is that of a server on one machine."""

    objects: ObjectStore
    identity: Identity
    relay: Relay
    client: ClientConfig = field(default_factory=ClientConfig)
    gateway: Gateway | None = None
    user: Caller | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """What the use cases stand on. Without a `queue` turns wait in this process, which takes up what an earlier one
    left. `scratch` takes uploads until they are read. `observation_trace_id` gives the trace of a turn in a tracing
    service."""

    rows: Rows
    backing: Backing
    workers: TraceWorkers
    agent: Agent
    scratch: Path
    queue: TurnQueue | None = None
    measures: PrometheusMeasures = field(default_factory=PrometheusMeasures)
    scores: Scores | None = None
    clock: Clock = field(default_factory=SystemClock)
    loops: BackgroundLoops = field(default_factory=BackgroundLoops)
    observation_trace_id: Callable[[str], str] | None = None
    mcp_tools: McpTools | None = None
    flags: Flags | None = None
    web: Web | None = None
    repositories: Repositories | None = None
    webhooks: WebhookSender | None = None
    graph_server: GraphServer | None = None
    embedders: Sequence[Embedder] = ()
    """The first is the one of the settings; others made vectors that are still there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a running server is made of."""

    services: Services
    runner: TurnRunner[TurnInput]
    retention: Retention
    gate_checks: GateChecks | None
    backfill: MeasureBackfill | None
    keeping: MemoryKeeping | None
    recovery: CollectorRecovery | None
    take_in_own_documents: Callable[[], Awaitable[None]]
    objects: ObjectStore
    user: Caller | None
    """Of a server on one machine: whose sample it is."""

    stopping: asyncio.Event
    readiness: Readiness
    loops: BackgroundLoops
    measures: PrometheusMeasures


def compose(settings: Settings, adapters: Adapters) -> Parts:
    """The parts over these adapters, by the settings."""
    stopping, queue = asyncio.Event(), adapters.queue or MemoryQueue()
    library = _library(adapters)
    memory, keeping = memory_use_cases(settings, adapters.rows, adapters.embedders, adapters.backing.relay)
    inputs = turn_inputs(settings, adapters, library, memory)
    runner = _runner(settings, adapters, queue, inputs)
    conversation = _conversation(settings, adapters, queue, library, runner, memory)
    measures, backing = adapters.measures, adapters.backing
    measures.watch("turns_running", "Turns that this process runs.", lambda: runner.running_turns)
    watch_memories(measures, keeping)

    readiness = Readiness(
        ask_database=adapters.rows.plans.plans, loops=adapters.loops, stopping=stopping, folder=adapters.scratch
    )
    token, gate_checks = settings.metrics_token, keys_and_gates.gate_checks_of(adapters, library)
    server = ServerServices(
        identity=keys_and_gates.identity_of(adapters),
        why_not_ready=readiness,
        metrics=measures.exposition,
        metrics_token=None if token is None else token.get_secret_value(),
        client=backing.client.model_copy(update={"memory": memory is not None}),
        page=PAGE,
    )
    return Parts(
        services=replace(
            _services(settings, adapters, library, conversation, server, memory, gate_checks),
            runs=run_services_of(adapters.graph_server, adapters.rows.conversations, inputs),
        ),
        runner=runner,
        retention=_retention(adapters),
        gate_checks=gate_checks,
        backfill=backfill_of(adapters.rows, library),
        keeping=keeping,
        recovery=collector_recovery(adapters, memory, inputs),
        take_in_own_documents=partial(own_documents, memory),
        objects=backing.objects,
        user=backing.user,
        stopping=stopping,
        readiness=readiness,
        loops=adapters.loops,
        measures=measures,
    )


def _services(
    settings: Settings,
    adapters: Adapters,
    library: TraceLibrary,
    conversation: Conversation,
    server: ServerServices,
    memory: AccountMemory | None,
    gate_checks: GateChecks | None,
) -> Services:
    """Each family of routes with what it needs."""
    rows, backing = adapters.rows, adapters.backing
    identity, workers, scratch = server.identity, adapters.workers, adapters.scratch
    administration, most = Administration(adapters.rows.plans), settings.max_upload_bytes
    sockets = OpenSockets(per_user=settings.most_sockets_per_user, measures=adapters.measures)
    adapters.measures.watch("sockets_open", "Sockets whose client has said who it is.", sockets.__len__)
    return Services(
        identity=identity,
        traces=TraceServices(
            library=library,
            workers=workers,
            notes=notes_of(rows),
            source_folder=settings.source_dir,
            views=views_of(rows),
        ),
        questions=QuestionServices(questions=run_questions_of(rows, library), saved_questions=saved_questions_of(rows)),
        uploads=UploadServices(
            library=library, workers=workers, scratch=scratch, max_upload_bytes=most, gate_checks=gate_checks
        ),
        pictures=PictureServices(
            library=library, workers=workers, scratch=scratch, max_upload_bytes=most, quota=adapters.rows.renders
        ),
        chat=ChatServices(
            conversation=conversation,
            shared=SharedConversations(adapters.rows.records, adapters.rows.conversations, adapters.backing.objects),
            library=library,
            answer_within_s=turn_ends_within_s(settings),
            gateway=adapters.backing.gateway,
            evaluations=rows.evaluations,
        ),
        streams=_streams(settings, adapters, library, conversation),
        socket=SocketServices(
            identity=identity,
            conversation=conversation,
            sockets=sockets,
            socket_idle_s=settings.socket_idle_seconds,
            news=News(gates=keys_and_gates.gate_informing_of(adapters), budgets=informing_of(adapters)),
        ),
        plans=PlanServices(
            administration=administration,
            conversation=conversation,
            models=settings.offered_models,
            invocations=adapters.rows.invocations,
            key_issuing=keys_and_gates.key_issuing_of(adapters),
        ),
        tools=ToolServices(
            identity=identity,
            library=library,
            workers=workers,
            conversation=conversation,
            administration=administration,
            outside=OutsideReach(repositories=adapters.repositories, source_folder=settings.source_dir),
        ),
        server=server,
        memory=MemoryServices(account_memory=memory, library=library),
        knowledge=KnowledgeServices(team_knowledge=None if memory is None else memory.knowledge),
        teams=TeamServices(
            account_teams=account_teams(rows.teams, backing.objects, workers, several=backing.client.teams)
        ),
        rates=rates_of(settings, adapters.clock, adapters.measures.refused),
        gates=GateServices(keeping=keys_and_gates.gate_keeping_of(adapters, library)),
    )


def _streams(
    settings: Settings, adapters: Adapters, library: TraceLibrary, conversation: Conversation
) -> StreamServices:
    turns = ClientStreams(
        conversations=adapters.rows.conversations,
        conversation=conversation,
        library=library,
        relay=adapters.backing.relay,
    )
    return StreamServices(turns=turns, other_origins=settings.allowed_origins)


def turn_ends_within_s(settings: Settings) -> float:
    """How long a turn may take from its start until it has ended, however it ends."""
    return settings.turn_seconds + ENDING_S


def _library(adapters: Adapters) -> TraceLibrary:
    return TraceLibrary(
        records=adapters.rows.records,
        conversations=adapters.rows.conversations,
        objects=adapters.backing.objects,
        workers=adapters.workers,
        clock=adapters.clock,
        scratch=adapters.scratch,
        measures=adapters.measures,
        history=adapters.rows.history,
        saved_questions=adapters.rows.saved_questions,
    )


def _runner(settings: Settings, adapters: Adapters, queue: TurnQueue, inputs: TurnInputs) -> TurnRunner[TurnInput]:
    return TurnRunner(
        conversations=adapters.rows.conversations,
        inputs=inputs,
        queue=queue,
        relay=adapters.backing.relay,
        executor=executor_of(settings, adapters.agent, adapters.graph_server),
        clock=adapters.clock,
        measures=adapters.measures,
        turn_seconds=turn_ends_within_s(settings),
        turns_at_once=settings.turns_at_once,
        takes_up_unended=adapters.queue is None,
        run_facts=run_facts(adapters.observation_trace_id),
    )


def _conversation(
    settings: Settings,
    adapters: Adapters,
    queue: TurnQueue,
    library: TraceLibrary,
    runner: TurnRunner[TurnInput],
    memory: AccountMemory | None,
) -> Conversation:
    return Conversation(
        conversations=adapters.rows.conversations,
        library=library,
        openings=Openings(library, adapters.rows.gates),
        objects=adapters.backing.objects,
        queue=queue,
        relay=adapters.backing.relay,
        runner=runner,
        measures=adapters.measures,
        plans=adapters.rows.plans,
        models=settings.offered_models,
        most_turns_per_user=settings.most_turns_per_user,
        admission=Admission(
            per_minute=settings.most_prompts_per_minute, what="prompts", monotonic=adapters.clock.monotonic
        ),
        scores=adapters.scores,
        memory=memory,
        prepare=TurnPreparation(
            conversations=adapters.rows.conversations,
            plans=adapters.rows.plans,
            models=settings.offered_models,
            flags=adapters.flags,
            first_call=first_call(settings),
            executors=("in_process",) if adapters.graph_server is None else EXECUTORS,
        ),
    )


def _retention(adapters: Adapters) -> Retention:
    return Retention(
        records=adapters.rows.records,
        conversations=adapters.rows.conversations,
        plans=adapters.rows.plans,
        objects=adapters.backing.objects,
        workers=adapters.workers,
        clock=adapters.clock,
    )
