"""The use cases over any adapters: the same for an embedded database, a cloud one and none."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from limits.administration import Administration, PlanRecords
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.queue import MemoryQueue
from server.adapters.prometheus import PrometheusMeasures
from server.agent.turn import Agent
from server.edges.http.client_config import ClientConfig
from server.edges.http.services import (
    ChatServices,
    Gateway,
    PictureServices,
    PlanServices,
    ServerServices,
    Services,
    SocketServices,
    ToolServices,
    TraceServices,
    UploadServices,
)
from server.edges.ws.open_sockets import OpenSockets
from server.errors import ServerError
from server.ports.clock import Clock
from server.ports.conversations import Conversations
from server.ports.identity import Caller, Identity
from server.ports.objects import ObjectStore
from server.ports.queue import TurnQueue
from server.ports.relay import Relay
from server.ports.scores import Scores
from server.ports.traces import TraceRecords, TraceWorkers
from server.settings import Settings
from server.turns.conversation import Conversation
from server.turns.retention import Retention
from server.turns.runner import TurnRunner
from server.turns.trace_library import TraceLibrary

PAGE = Path(__file__).parents[1] / "page"
"""The built client."""

ENDING_S = 30
"""After its last step a turn is checked and stored; whoever waits for its end waits so much longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What is kept in tables."""

    conversations: Conversations
    records: TraceRecords
    plans: PlanRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """Who people are, where files are kept and who else receives turns. `relay` is the one to publish to; `user` the
    one of a server on one machine."""

    objects: ObjectStore
    identity: Identity
    relay: Relay
    client: ClientConfig = field(default_factory=ClientConfig)
    gateway: Gateway | None = None
    user: Caller | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """What the use cases stand on. Without a `queue` turns wait in this process, which takes up what an earlier one
    left. `scratch` takes uploads until they are read."""

    rows: Rows
    backing: Backing
    workers: TraceWorkers
    agent: Agent
    scratch: Path
    queue: TurnQueue | None = None
    measures: PrometheusMeasures = field(default_factory=PrometheusMeasures)
    scores: Scores | None = None
    clock: Clock = field(default_factory=SystemClock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a running server is made of."""

    services: Services
    runner: TurnRunner
    retention: Retention
    objects: ObjectStore
    user: Caller | None
    """Of a server on one machine: whose sample it is."""

    stopping: asyncio.Event
    measures: PrometheusMeasures


def compose(settings: Settings, adapters: Adapters) -> Parts:
    """The parts over these adapters, by the settings."""
    stopping, queue = asyncio.Event(), adapters.queue or MemoryQueue()
    library = _library(adapters)
    runner = _runner(settings, adapters, queue, library)
    conversation = _conversation(settings, adapters, queue, library, runner)
    measures, backing = adapters.measures, adapters.backing
    measures.watch("turns_running", "Turns that this process runs.", lambda: runner.running_turns)

    async def is_ready() -> bool:
        try:
            await adapters.rows.plans.plans()
        except ServerError:
            return False
        return not stopping.is_set()

    token = settings.metrics_token
    server = ServerServices(
        identity=backing.identity,
        is_ready=is_ready,
        metrics=measures.exposition,
        metrics_token=None if token is None else token.get_secret_value(),
        client=backing.client,
        page=PAGE,
    )
    return Parts(
        services=_services(settings, adapters, library, conversation, server),
        runner=runner,
        retention=_retention(adapters),
        objects=backing.objects,
        user=backing.user,
        stopping=stopping,
        measures=measures,
    )


def _services(
    settings: Settings,
    adapters: Adapters,
    library: TraceLibrary,
    conversation: Conversation,
    server: ServerServices,
) -> Services:
    """Each family of routes with what it needs."""
    identity, workers, scratch = adapters.backing.identity, adapters.workers, adapters.scratch
    administration, most = Administration(adapters.rows.plans), settings.max_upload_bytes
    sockets = OpenSockets(per_user=settings.most_sockets_per_user, measures=adapters.measures)
    adapters.measures.watch("sockets_open", "Sockets whose client has said who it is.", sockets.__len__)
    return Services(
        identity=identity,
        traces=TraceServices(library=library, workers=workers),
        uploads=UploadServices(library=library, workers=workers, scratch=scratch, max_upload_bytes=most),
        pictures=PictureServices(library=library, workers=workers, scratch=scratch, max_upload_bytes=most),
        chat=ChatServices(
            conversation=conversation,
            library=library,
            answer_within_s=turn_ends_within_s(settings),
            gateway=adapters.backing.gateway,
        ),
        socket=SocketServices(
            identity=identity, conversation=conversation, sockets=sockets, socket_idle_s=settings.socket_idle_seconds
        ),
        plans=PlanServices(administration=administration, conversation=conversation, models=settings.offered_models),
        tools=ToolServices(
            identity=identity,
            library=library,
            workers=workers,
            conversation=conversation,
            administration=administration,
            source_folder=settings.source_dir,
        ),
        server=server,
    )


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
    )


def _runner(settings: Settings, adapters: Adapters, queue: TurnQueue, library: TraceLibrary) -> TurnRunner:
    return TurnRunner(
        conversations=adapters.rows.conversations,
        library=library,
        queue=queue,
        relay=adapters.backing.relay,
        agent=adapters.agent,
        clock=adapters.clock,
        measures=adapters.measures,
        turn_seconds=turn_ends_within_s(settings),
        turns_at_once=settings.turns_at_once,
        takes_up_unended=adapters.queue is None,
        source_folder=settings.source_dir,
        plans=adapters.rows.plans,
    )


def _conversation(
    settings: Settings, adapters: Adapters, queue: TurnQueue, library: TraceLibrary, runner: TurnRunner
) -> Conversation:
    return Conversation(
        conversations=adapters.rows.conversations,
        library=library,
        workers=adapters.workers,
        objects=adapters.backing.objects,
        queue=queue,
        relay=adapters.backing.relay,
        runner=runner,
        measures=adapters.measures,
        plans=adapters.rows.plans,
        models=settings.offered_models,
        most_turns_per_user=settings.most_turns_per_user,
        scores=adapters.scores,
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
