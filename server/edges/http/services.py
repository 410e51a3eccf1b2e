"""What each family of routes needs, and whose request it is. A route asks for its own family and gets nothing else."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from limits.administration import Administration
from server.agent.model_call.offered_models import OfferedModels
from server.edges.http.client_config import ClientConfig
from server.edges.http.gateway import Gateway
from server.edges.http.key_scopes import scope_of
from server.edges.http.picture_limiter import PictureLimiter
from server.edges.http.request_rates import RequestRates
from server.edges.http.run_services import RunServices
from server.edges.http.uploads import UploadsUnderWay
from server.edges.ws.bounds import EXPIRED_GRACE_S
from server.edges.ws.news import NO_NEWS, News
from server.edges.ws.open_sockets import OpenSockets
from server.errors import NotAuthenticated, NotFound, NotSupported
from server.ports.asking_user import ASKING_USER
from server.ports.evaluations import Evaluations
from server.ports.identity import Caller, Identity
from server.ports.invocations import Invocations
from server.ports.program_keys import RenderQuota
from server.ports.traces import TraceRow, TraceWorkers
from server.turns.account_memory import AccountMemory
from server.turns.account_teams import AccountTeams
from server.turns.client_streams import ClientStreams
from server.turns.conversation import Conversation
from server.turns.gate_checks import GateChecks
from server.turns.gate_keeping import GateKeeping
from server.turns.key_identity import KEY_BEGINS, require
from server.turns.key_issuing import KeyIssuing
from server.turns.memory_search import MemorySearch
from server.turns.onboarding import MemoryOnboarding
from server.turns.outside_reach import OutsideReach
from server.turns.question_keeping import QuestionKeeping
from server.turns.run_questions import RunQuestions
from server.turns.shared_conversation import SharedConversations
from server.turns.team_knowledge import TeamKnowledge
from server.turns.trace_library import TraceLibrary
from server.turns.trace_notes import TraceNotes
from server.turns.view_keeping import ViewKeeping

ACCESS_COOKIE = "flamechat_access"
"""Carries the access token for the page of a server that others can reach."""


ACCOUNT_HEADER = "Flamechat-Account"
"""Which of the caller's accounts a request acts for: whose lists it reads, and to which belongs what it makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceServices:
    """Stored traces and questions about them, the caller's own or behind a link. Without `notes` there are no routes of
    them, nor without `views`."""

    library: TraceLibrary
    workers: TraceWorkers
    notes: TraceNotes | None = None
    source_folder: Path | None = None
    views: ViewKeeping | None = None

    @property
    def keeping(self) -> ViewKeeping:
        assert self.views is not None, "their routes are there with them"
        return self.views

    @property
    def written(self) -> TraceNotes:
        assert self.notes is not None, "their routes are there with them"
        return self.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionServices:
    """Questions over many recordings, and those that are kept; without either there are no routes of them."""

    questions: RunQuestions | None = None
    saved_questions: QuestionKeeping | None = None

    @property
    def kept_questions(self) -> QuestionKeeping:
        assert self.saved_questions is not None, "their routes are there with them"
        return self.saved_questions

    @property
    def over_runs(self) -> RunQuestions:
        assert self.questions is not None, "their routes are there with them"
        return self.questions


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadServices:
    """Traces on their way in. `scratch` takes a body until it is read."""

    library: TraceLibrary
    workers: TraceWorkers
    scratch: Path
    max_upload_bytes: int
    uploads: UploadsUnderWay = field(default_factory=UploadsUnderWay)
    gate_checks: GateChecks | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureServices:
    """Pictures of stored traces, and of traces in a request's body."""

    library: TraceLibrary
    workers: TraceWorkers
    scratch: Path
    max_upload_bytes: int
    pictures: PictureLimiter = field(default_factory=PictureLimiter)
    quota: RenderQuota | None = None

    @asynccontextmanager
    async def place_of(self, caller: Caller) -> AsyncIterator[None]:
        """A place in the queue, and one picture of the caller's month, given back where none is drawn. Raises
        LimitExceeded, TooManyAtOnce."""
        reserved = None if self.quota is None else await self.quota.reserve(caller)
        try:
            with self.pictures.place():
                yield
        except BaseException:
            if self.quota is not None and reserved is not None:
                await self.quota.release(caller, reserved)
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServices:
    """Sessions and turns over HTTP. `answer_within_s` is how long `POST /api/chat` waits for a turn to end."""

    conversation: Conversation
    shared: SharedConversations
    library: TraceLibrary
    answer_within_s: float
    gateway: Gateway | None
    evaluations: Evaluations


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamServices:
    """Turns in the frames of other clients; pages of `other_origins` may ask for them too."""

    turns: ClientStreams
    other_origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketServices:
    """The conversation's socket."""

    identity: Identity
    conversation: Conversation
    sockets: OpenSockets
    socket_idle_s: float
    news: News = NO_NEWS
    expired_grace_s: float = EXPIRED_GRACE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanServices:
    """Plans, usage and model calls: one's own, and everybody's for an administrator."""

    administration: Administration
    conversation: Conversation
    models: OfferedModels
    invocations: Invocations
    key_issuing: KeyIssuing | None = None

    @property
    def keys(self) -> KeyIssuing:
        assert self.key_issuing is not None, "their routes are there with them"
        return self.key_issuing


@dataclass(frozen=True, slots=True, kw_only=True)
class GateServices:
    """Gates that the server keeps; without `keeping` there are no routes of them."""

    keeping: GateKeeping | None = None

    @property
    def kept(self) -> GateKeeping:
        assert self.keeping is not None, "their routes are there with them"
        return self.keeping


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryServices:
    """What accounts remember; without it there are no routes of it."""

    account_memory: AccountMemory | None = None
    library: TraceLibrary | None = None

    @property
    def onboarding(self) -> MemoryOnboarding:
        return self.memory.onboarding

    async def recordings(self, caller: Caller) -> list[TraceRow]:
        """The caller's, newest first."""
        return [] if self.library is None else await self.library.rows(caller)

    @property
    def memory(self) -> AccountMemory:
        assert self.account_memory is not None, "its routes are there with it"
        return self.account_memory

    @property
    def search(self) -> MemorySearch:
        """Raises NotSupported where only facts are remembered."""
        if self.memory.search is None:
            raise NotSupported("Only facts are remembered here.")
        return self.memory.search


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeServices:
    """Documents that answers cite."""

    team_knowledge: TeamKnowledge | None = None

    @property
    def knowledge(self) -> TeamKnowledge:
        """Raises NotSupported where there are none."""
        if self.team_knowledge is None:
            raise NotSupported("There are no documents here.")
        return self.team_knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamServices:
    """Accounts and who is in them; without it there are no routes of them, and everybody has one."""

    account_teams: AccountTeams | None = None

    @property
    def accounts(self) -> AccountTeams:
        assert self.account_teams is not None, "its routes are there with it"
        return self.account_teams

    async def acting(self, caller: Caller, account_id: str | None) -> Caller:
        """The caller, acting for the account that their request names. Raises NotFound for one that is not theirs."""
        if self.account_teams is not None:
            return await self.account_teams.acting(caller, account_id)
        if account_id not in (None, caller.account_id):
            raise NotFound("There is no such account.")
        return caller


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServices:
    """The tools for programs, by the Model Context Protocol."""

    identity: Identity
    library: TraceLibrary
    workers: TraceWorkers
    conversation: Conversation
    administration: Administration
    outside: OutsideReach


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerServices:
    """What the server says of itself, and the built client in the folder `page`. No reasons: it is ready."""

    identity: Identity
    why_not_ready: Callable[[], Awaitable[tuple[str, ...]]]
    metrics: Callable[[], str]
    metrics_token: str | None
    client: ClientConfig
    page: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """All families, for the application; a route depends on its own. `identity` says who the caller is, `rates` how
    often they may ask."""

    identity: Identity
    traces: TraceServices
    uploads: UploadServices
    pictures: PictureServices
    chat: ChatServices
    streams: StreamServices
    socket: SocketServices
    plans: PlanServices
    tools: ToolServices
    server: ServerServices
    memory: MemoryServices = field(default_factory=MemoryServices)
    questions: QuestionServices = field(default_factory=QuestionServices)
    teams: TeamServices = field(default_factory=TeamServices)
    gates: GateServices = field(default_factory=GateServices)
    knowledge: KnowledgeServices = field(default_factory=KnowledgeServices)
    rates: RequestRates = field(default_factory=RequestRates)
    runs: RunServices = field(default_factory=RunServices)


def access_token(connection: HTTPConnection) -> str | None:
    """The token of a request or a socket: a Bearer header, else the page's cookie."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    return person_token(connection.cookies.get(ACCESS_COOKIE))


def person_token(token: str | None) -> str | None:
    """A token of a cookie or an address, where a key for programs never stands. Raises NotAuthenticated for one."""
    if token is not None and token.startswith(KEY_BEGINS):
        raise NotAuthenticated("A key for programs is sent in the Authorization header only.", code="key_misplaced")
    return token


def services_of(connection: HTTPConnection) -> Services:
    """Those of the application that answers."""
    services: Services = connection.app.state.services
    return services


async def caller_of(connection: HTTPConnection) -> Caller:
    """Who asks, acting for the account of the header. Raises NotAuthenticated, NotAllowed for a key without the route's
    scope, TooManyAtOnce, and NotFound for an account of which they are no member."""
    services = services_of(connection)
    caller = await services.identity.identify(access_token(connection))
    ASKING_USER.set(caller.user_id)
    require(caller, scope_of(connection.scope.get("method", ""), connection.scope["path"]))
    services.rates.admit(caller, method=connection.scope.get("method", ""), path=connection.url.path)
    caller = await services.teams.acting(caller, connection.headers.get(ACCOUNT_HEADER))
    connection.state.caller = caller
    return caller


def _traces(connection: HTTPConnection) -> TraceServices:
    return services_of(connection).traces


def _questions(connection: HTTPConnection) -> QuestionServices:
    return services_of(connection).questions


def _uploads(connection: HTTPConnection) -> UploadServices:
    return services_of(connection).uploads


def _pictures(connection: HTTPConnection) -> PictureServices:
    return services_of(connection).pictures


def _chat(connection: HTTPConnection) -> ChatServices:
    return services_of(connection).chat


def _plans(connection: HTTPConnection) -> PlanServices:
    return services_of(connection).plans


def _gates(connection: HTTPConnection) -> GateServices:
    return services_of(connection).gates


def _memory(connection: HTTPConnection) -> MemoryServices:
    return services_of(connection).memory


def _teams(connection: HTTPConnection) -> TeamServices:
    return services_of(connection).teams


def _knowledge(connection: HTTPConnection) -> KnowledgeServices:
    return services_of(connection).knowledge


def _server(connection: HTTPConnection) -> ServerServices:
    return services_of(connection).server


ForTraces = Annotated[TraceServices, Depends(_traces)]
ForQuestions = Annotated[QuestionServices, Depends(_questions)]
ForUploads = Annotated[UploadServices, Depends(_uploads)]
ForPictures = Annotated[PictureServices, Depends(_pictures)]
ForChat = Annotated[ChatServices, Depends(_chat)]
ForPlans = Annotated[PlanServices, Depends(_plans)]
ForGates = Annotated[GateServices, Depends(_gates)]
ForMemory = Annotated[MemoryServices, Depends(_memory)]
ForTeams = Annotated[TeamServices, Depends(_teams)]
ForKnowledge = Annotated[KnowledgeServices, Depends(_knowledge)]
ForServer = Annotated[ServerServices, Depends(_server)]
CurrentCaller = Annotated[Caller, Depends(caller_of)]
