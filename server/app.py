"""The composition root: builds every part from the settings, starts and stops them in order. What the parts are to each
other stands in `composing/use_cases.py`.

`serve` is `flamechat serve`. Imports of parts stand inside functions, so that a command loads only what it runs.
"""

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import ConfigError, ServerError
from traces.garbage_collection import collect_little

if TYPE_CHECKING:
    import socket

    from server.agent.tracing import Observer
    from server.composing.use_cases import Parts
    from server.edges.cli.command_values import ServeOptions
    from server.edges.http.serving import StopSignals
    from server.settings import Settings

PACKAGE = Path(__file__).parent

SAMPLE_WAIT_S = 5.0
"""How long a first start waits for its sample before it prints its address."""

LAST_LOOK_S = 5.0
"""How long a server that stops waits for models that look at what was typed."""


def main() -> None:
    """The console script `flamechat`. Exit code 2 for settings that cannot work."""
    # numpy's BLAS would start a thread a core in this process and its workers: nothing here multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Pydantic reads the files of all installed packages for plugins, which takes 15 ms; none of ours is one.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    collect_little()
    from server.composing.command_parts import build_entry_points
    from server.edges.cli.main import build_cli

    build_cli(build_entry_points(_serve_entry))()


def _serve_entry(options: "ServeOptions") -> int:
    """Run a server for the command line; returns its exit code, after one line about what stopped it."""
    from server.settings import load_settings

    try:
        settings = load_settings(**asdict(options))
        serve(settings)
    except ServerError as error:
        sys.stderr.write(f"flamechat: {error}\n")
        return 2 if isinstance(error, ConfigError) else 1
    return 0


def serve(settings: "Settings", *, announce: Callable[[str], None] | None = None) -> None:
    """Run the server until it is stopped. `announce` gets the lines a person reads, the address first; they
    are printed by default.

    Raises ConfigError before anything is started: for a port that is taken, a data folder that cannot be written, a
    host that others reach without a token.
    """
    import asyncio

    from server.adapters.folder.data_folder import own_data_folder
    from server.adapters.json_log import log_as_json
    from server.composing.announcing import log_missing_kernels
    from server.edges.http.serving import bound_socket

    settings.check_exposure()
    settings.check_origins()
    settings.check_supabase()
    settings.check_objects()
    with bound_socket(settings.host, settings.port) as listening:
        own_data_folder(settings.data)
        log_as_json()
        log_missing_kernels()
        asyncio.run(_serve(settings, listening, announce or partial(print, flush=True)))


def _background(parts: "Parts", settings: "Settings") -> "list[tuple[str, Callable[[], Awaitable[None]]]]":
    """The loops of a server by name: what informs its listeners, and what is done where turns are run."""
    news, memory = parts.services.socket.news, parts.services.memory
    loops: list[tuple[str, Callable[[], Awaitable[None]]]] = [("event_loop_lag", parts.measures.watch_loop)]
    if news.gates is not None:
        loops.append(("gate_results", news.gates.run))
    if memory.account_memory is not None:
        loops.append(("memory_versions", memory.memory.informing.run))
    if news.budgets is not None:
        loops.append(("budget_notices", news.budgets.run))
    if not settings.runs_turns:
        return loops
    loops.append(("retention", parts.retention.run))
    if parts.backfill is not None:
        loops.append(("measure_backfill", parts.backfill.run))
    if parts.gate_checks is not None:
        loops.append(("gates", parts.gate_checks.run))
    if parts.keeping is not None:
        loops += [("memory_keeping", parts.keeping.run), ("own_documents", parts.take_in_own_documents)]
    if parts.recovery is not None:
        loops.append(("collectors_left", parts.recovery.run))
    return loops


async def _serve(settings: "Settings", listening: "socket.socket", announce: Callable[[str], None]) -> None:
    import asyncio
    import time

    from server.adapters.folder.data_folder import SAMPLE_LOADED, alone
    from server.composing.announcing import announce_address
    from server.composing.model_notices import announce_context
    from server.composing.watching import server_spans
    from server.edges.http.application import build_application, build_probes, names_of
    from server.edges.http.bounded_connections import Connections
    from server.edges.http.requests_at_once import RequestsAtOnce
    from server.edges.http.serving import HttpServer, StopSignals, let_open
    from server.turns.sample import add_sample_once
    from traces.garbage_collection import collect_seldom

    signals = StopSignals()
    async with server_spans(settings) as spans, running(settings, spans.observer if spans else None) as parts:
        let_open(settings.connections)
        connections = Connections(settings.connections, settings.most_connections_per_address)
        parts.measures.watch("connections_open", "Connections of clients, sockets among them.", connections.__len__)
        parts.measures.watch(
            "connections_refused", "Connections that found too many open.", lambda: connections.refused
        )
        requests = RequestsAtOnce(settings.most_requests_per_user, time.monotonic, parts.measures.refused)
        build = build_application if settings.takes_requests else build_probes
        application = build(parts.services, is_our_name=names_of(settings.host, settings.allowed_hosts))
        server = HttpServer(
            spans.around(application) if spans else application, connections=connections, requests=requests
        )
        async with asyncio.TaskGroup() as tasks:
            serving = tasks.create_task(server.serve(sockets=[listening]))
            running_tasks = []
            looping = [parts.loops.start(name, run) for name, run in _background(parts, settings)]
            if settings.runs_turns:
                running_tasks.append(tasks.create_task(parts.runner.run()))
            for sample in sample_traces() if parts.user is not None and settings.takes_requests else ():
                assert parts.user is not None
                marker = settings.data / SAMPLE_LOADED
                library = parts.services.traces.library
                adding = add_sample_once(library, parts.user, sample, marker=marker, alone=alone)
                parts.readiness.starting.add("sample")
                added = tasks.create_task(adding)
                added.add_done_callback(lambda _: parts.readiness.starting.discard("sample"))
                running_tasks.append(added)
                # Whoever opens the printed address at once finds the sample there; a slow machine is not waited for.
                await asyncio.wait({added}, timeout=SAMPLE_WAIT_S)
            collect_seldom()
            announce_address(settings, listening.getsockname()[1], announce)
            running_tasks.append(tasks.create_task(announce_context(settings, announce)))
            drain_s, given_up = await _until_stopped(signals, parts)
            parts.stopping.set()
            drained = tasks.create_task(parts.runner.drain(drain_s))
            again = tasks.create_task(signals.next())
            await asyncio.wait({drained, again}, return_when=asyncio.FIRST_COMPLETED)
            again.cancel()
            await parts.runner.drain(0)
            if parts.services.memory.account_memory is not None:
                await parts.services.memory.memory.settled(LAST_LOOK_S)
            server.should_exit = True
            await serving
            for task in running_tasks:
                task.cancel()
            await parts.loops.stop(*looping)
    if given_up:
        raise ServerError(f"the background loop {given_up} could not be kept up; the log says why")


async def _until_stopped(signals: "StopSignals", parts: "Parts") -> tuple[float, str]:
    """Wait for a signal, or until a background loop cannot be kept up: the seconds that running turns get, and the
    loop's name."""
    import asyncio

    from server.edges.http.serving import SIGTERM_DRAIN_S

    signal, given_up = asyncio.ensure_future(signals.next()), asyncio.ensure_future(parts.loops.given_up())
    await asyncio.wait({signal, given_up}, return_when=asyncio.FIRST_COMPLETED)
    given_up.cancel()
    if signal.done():
        return signal.result(), ""
    signal.cancel()
    return SIGTERM_DRAIN_S, ", ".join(parts.loops.failing) or "of this process"


@asynccontextmanager
async def running(settings: "Settings", observer: "Observer | None" = None) -> AsyncIterator["Parts"]:
    """The parts over the database and the files of the settings: the data folder's, or a Supabase project's. `observer`
    watches turns, besides whom the settings name.

    Raises ConfigError, DatabaseUnavailable.
    """
    from server.adapters.folder.data_folder import scratch_folder
    from server.adapters.in_process.background_loops import BackgroundLoops
    from server.adapters.postgres.checkpoints import PostgresCheckpoints
    from server.adapters.postgres.conversations import PostgresConversations
    from server.adapters.postgres.core_memory import PostgresCoreMemory
    from server.adapters.postgres.evaluations import PostgresEvaluations
    from server.adapters.postgres.gates import PostgresGates
    from server.adapters.postgres.history import PostgresHistory
    from server.adapters.postgres.invocations import PostgresInvocations
    from server.adapters.postgres.kept_views import PostgresKeptViews
    from server.adapters.postgres.knowledge import PostgresKnowledge
    from server.adapters.postgres.memories import PostgresMemories
    from server.adapters.postgres.notes import PostgresNotes
    from server.adapters.postgres.place import database_place
    from server.adapters.postgres.plans import PostgresPlans
    from server.adapters.postgres.pool import Database
    from server.adapters.postgres.program_keys import PostgresProgramKeys, PostgresRenderQuota
    from server.adapters.postgres.relay import PostgresRelay
    from server.adapters.postgres.run_tokens import PostgresRunTokens
    from server.adapters.postgres.saved_questions import PostgresSavedQuestions
    from server.adapters.postgres.spending_limits import PostgresBudgetNotices
    from server.adapters.postgres.teams import PostgresTeams
    from server.adapters.postgres.trace_records import PostgresTraceRecords
    from server.adapters.postgres.turn_queue import PostgresTurnQueue
    from server.adapters.postgres.turn_sweep import TurnSweep
    from server.adapters.prometheus import PrometheusMeasures
    from server.composing.agent import build_agent
    from server.composing.backing import backing_of
    from server.composing.cache_place import CACHE_FOLDER
    from server.composing.embedding import embedders_of
    from server.composing.flag_provider import flags_of_settings
    from server.composing.fleet_libraries import with_fleets
    from server.composing.graph_server import graph_server_of, sweeping
    from server.composing.outside import mcp_tools_of, repositories_of, web_of, webhooks_of
    from server.composing.use_cases import Adapters, Rows, compose
    from server.composing.watched_places import watching_places
    from server.composing.watching import watching
    from server.composing.worker_processes import build_workers
    from server.turns.turn_pictures import StoredPictures

    async with AsyncExitStack() as stack:
        workers = build_workers(settings, settings.data / CACHE_FOLDER)
        measures = PrometheusMeasures(workers)
        loops = BackgroundLoops(measures.loop_restarted)
        place = await stack.enter_async_context(
            database_place(settings.data / "postgres", *settings.database_urls, loops)
        )
        database = await stack.enter_async_context(Database(place.server_dsn, pooler=place.is_outside))
        session_dsn, can_listen = place.session_dsn or place.server_dsn, place.session_dsn is not None
        queue = await stack.enter_async_context(
            PostgresTurnQueue(session_dsn, at_once=settings.turns_at_once, can_listen=can_listen, loops=loops)
        )
        if settings.runs_turns:
            await stack.enter_async_context(TurnSweep(queue, loops=loops))
        relay = await stack.enter_async_context(
            PostgresRelay(database, place.session_dsn, loops=loops, passed_over=measures.passed_over)
        )
        watched = await stack.enter_async_context(watching(settings))
        if observer is not None:
            watched = replace(watched, observers=(*watched.observers, observer))
        backing = await stack.enter_async_context(backing_of(settings, place, database, relay, loops))
        invocations, pictures = PostgresInvocations(database), StoredPictures(backing.objects)
        conversations = PostgresConversations(database, queue)
        graph_server = await stack.enter_async_context(
            graph_server_of(
                settings,
                tokens=PostgresRunTokens(database),
                workers=workers,
                pictures=pictures,
                watched=watched,
                invocations=invocations,
            )
        )
        scratch = stack.enter_context(scratch_folder(settings.data))
        parts = compose(
            settings,
            Adapters(
                rows=Rows(
                    conversations=conversations,
                    records=PostgresTraceRecords(database),
                    plans=PostgresPlans(database),
                    memory=PostgresCoreMemory(database),
                    memories=PostgresMemories(database),
                    knowledge=PostgresKnowledge(database),
                    invocations=invocations,
                    evaluations=PostgresEvaluations(database),
                    notes=PostgresNotes(database),
                    kept_views=PostgresKeptViews(database),
                    history=with_fleets(settings, PostgresHistory(database)),
                    keys=PostgresProgramKeys(database),
                    renders=PostgresRenderQuota(database),
                    teams=PostgresTeams(database),
                    saved_questions=PostgresSavedQuestions(database),
                    gates=PostgresGates(database),
                    budget_notices=PostgresBudgetNotices(database),
                ),
                backing=backing,
                workers=workers,
                agent=build_agent(
                    settings,
                    workers=workers,
                    pictures=pictures,
                    checkpoints=PostgresCheckpoints(queue.pool),
                    watched=watched,
                    invocations=invocations,
                ),
                scratch=scratch,
                queue=queue,
                measures=measures,
                scores=watched.scores,
                observation_trace_id=watched.observation_trace_id,
                loops=loops,
                flags=flags_of_settings(settings),
                web=web_of(settings),
                repositories=repositories_of(settings),
                webhooks=webhooks_of(settings),
                graph_server=graph_server,
                embedders=await stack.enter_async_context(embedders_of(settings)),
                mcp_tools=await stack.enter_async_context(mcp_tools_of(settings, loops)),
            ),
        )
        await stack.enter_async_context(sweeping(settings, graph_server, conversations, loops))
        await stack.enter_async_context(watching_places(settings, database, backing, parts, scratch))
        yield parts


def sample_traces() -> list[Path]:
    """The trace a new data folder begins with: from the checkout, or from the installed wheel. Empty when there is
    none.
    """
    folders = (PACKAGE.parent / "fixtures" / "sample", PACKAGE / "shipped" / "fixtures" / "sample")
    return sorted(next((folder for folder in folders if folder.is_dir()), PACKAGE / "none").glob("*"))[:1]
