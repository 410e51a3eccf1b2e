"""The ASGI application: routes in, guard and error wall around them."""

import ipaddress
import socket
import warnings
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp

from server.edges.http import accounts, admin, evals, metrics, sessions, shared, snapshots
from server.edges.http import budget_routes as budgets
from server.edges.http import call_tree_routes as call_trees
from server.edges.http import chat_route as question
from server.edges.http import function_routes as functions
from server.edges.http import function_table_routes as function_tables
from server.edges.http import gate_routes as gates
from server.edges.http import insight_routes as insights
from server.edges.http import invocation_routes as invocations
from server.edges.http import kept_view_routes as kept_views
from server.edges.http import key_routes as keys
from server.edges.http import knowledge_routes as knowledge
from server.edges.http import label_routes as labels
from server.edges.http import lane_routes as lanes
from server.edges.http import memory_routes as memory
from server.edges.http import note_routes as notes
from server.edges.http import onboarding_routes as onboarding
from server.edges.http import page_files as page
from server.edges.http import place_routes as places
from server.edges.http import prompt_route as prompts
from server.edges.http import range_routes as ranges
from server.edges.http import run_question_routes as run_questions
from server.edges.http import run_routes as runs
from server.edges.http import saved_question_routes as saved_questions
from server.edges.http import shared_conversation_routes as shared_conversations
from server.edges.http import source_routes as sources
from server.edges.http import team_routes as teams
from server.edges.http import thread_search_routes as thread_searches
from server.edges.http import trace_downloads as downloads
from server.edges.http import trace_routes as traces
from server.edges.http import track_routes as tracks
from server.edges.http import uploads_under_way as under_way
from server.edges.http.api_address import API
from server.edges.http.client_config import ClientConfig
from server.edges.http.content_encoding import Compressed
from server.edges.http.guard import Guard
from server.edges.http.head_requests import HeadRequests
from server.edges.http.problems import ErrorWall, answer_with_problems
from server.edges.http.request_identity import RequestIdentity
from server.edges.http.services import ForServer, Services
from server.edges.mcp.mounted_tools import MountedTools
from server.edges.mcp.version import version
from server.edges.streams import stream_routes as streams
from server.edges.streams.other_origins import OtherOrigins
from server.edges.ws.socket import chat

TOOLS = "/mcp"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def build_application(services: Services, *, is_our_name: Callable[[str], bool]) -> ASGIApp:
    """Everything a client can reach. `is_our_name` decides which `Host` names are answered."""
    tools = MountedTools(services.tools, version=version())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with tools.running():
            yield

    app = FastAPI(
        title="Flamechat",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        lifespan=lifespan,
    )
    app.state.services = services
    _add_probes(app)
    app.add_api_route(f"{API}/config", config, tags=["health"])
    _add(
        app,
        traces.routes,
        labels.routes,
        under_way.routes,
        insights.routes,
        places.routes,
        tracks.routes,
        ranges.routes,
        lanes.routes,
        functions.routes,
        function_tables.routes,
        sources.routes,
        downloads.routes,
        call_trees.routes,
        thread_searches.routes,
        snapshots.routes,
        sessions.routes,
        prompts.routes,
        shared.routes,
        shared_conversations.routes,
        accounts.routes,
    )
    if services.traces.notes is not None:
        _add(app, notes.routes)
    if services.traces.views is not None:
        _add(app, kept_views.routes)
    if services.questions.questions is not None:
        _add(app, run_questions.routes)
    if services.questions.saved_questions is not None:
        _add(app, saved_questions.routes)
    if services.memory.account_memory is not None:
        _add(app, onboarding.routes, memory.routes, knowledge.routes)
    if services.teams.account_teams is not None:
        _add(app, teams.routes)
    if services.gates.keeping is not None:
        _add(app, gates.routes)
    _add(app, admin.routes, budgets.routes)
    _add_for_programs(app, services)
    _add(app, invocations.routes, invocations.admin_routes, streams.routes, question.routes, evals.routes)
    app.add_api_route(TOOLS, to_tools, methods=["GET", "POST", "DELETE"], include_in_schema=False)
    app.mount(f"{TOOLS}/", tools)
    app.add_api_websocket_route(f"{API}/chat", chat)
    _add(app, page.routes)
    answer_with_problems(app)
    _build_bodies(app)
    guarded = Guard(HeadRequests(app), is_our_name=is_our_name, page_may_reach=services.server.client.origins)
    origins = services.streams.other_origins
    streaming = OtherOrigins(guarded, prefix=f"{API}{streams.PREFIX}/", allowed=origins)
    return RequestIdentity(Compressed(ErrorWall(streaming)))


def _add(app: FastAPI, *routers: APIRouter) -> None:
    """Their routes as they are: to include a router analyses each of its routes again, 0.2 s of processor time for
    all."""
    for router in routers:
        app.router.routes.extend(router.routes)


def _build_bodies(app: FastAPI) -> None:
    """Build the validators of requests' bodies now, which are put off (`WireModel`): FastAPI ignores a warning of
    pydantic's about its own alias while it declares them, and the first request would give it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        for route in app.routes:
            if isinstance(route, APIRoute) and route.body_field is not None:
                route.body_field.validate(None, {}, loc=("body",))


def _add_for_programs(app: FastAPI, services: Services) -> None:
    """Keys for them, and what a graph that runs elsewhere asks for its run."""
    if services.plans.key_issuing is not None:
        _add(app, keys.routes, keys.admin_routes)
    if services.runs.deployed_runs is not None:
        _add(app, runs.routes)


def build_probes(services: Services, *, is_our_name: Callable[[str], bool]) -> ASGIApp:
    """What a process answers that only runs turns: whether it lives and is ready, and what it counts."""
    app = FastAPI(title="Flamechat", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.services = services
    _add_probes(app)
    answer_with_problems(app)
    return RequestIdentity(ErrorWall(Guard(HeadRequests(app), is_our_name=is_our_name)))


def _add_probes(app: FastAPI) -> None:
    app.add_api_route("/health", health, tags=["health"])
    app.add_api_route("/ready", ready, tags=["health"], response_model=None)
    _add(app, metrics.routes)


async def to_tools() -> RedirectResponse:
    """A redirect from the address without its final slash, which is easily forgotten; method and body stay."""
    return RedirectResponse(f"{TOOLS}/", 307)


async def health() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


async def ready(services: ForServer) -> JSONResponse:
    """Whether requests can be served now; `reasons` says why not."""
    reasons = await services.why_not_ready()
    if reasons:
        return JSONResponse({"status": "not ready", "reasons": reasons}, 503)
    return JSONResponse({"status": "ready"})


async def config(services: ForServer) -> ClientConfig:
    """Who identifies people to this server, and where else its turns can be followed."""
    return services.client


def names_of(host: str, allowed: Collection[str]) -> Callable[[str], bool]:
    """The `Host` names of a server bound to `host`: loopback's, and for an address of all interfaces also the machine's
    name and any literal address (a rebound name is never one). `allowed` are further names."""
    names = {name.lower() for name in (host, *allowed)} | LOOPBACK_NAMES
    all_interfaces = host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound
    if all_interfaces:
        names.add(socket.gethostname().lower())

    def is_our_name(name: str) -> bool:
        return name.lower() in names or (all_interfaces and _is_address(name))

    return is_our_name


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
