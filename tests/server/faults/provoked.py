"""Each service, asked for what a turn asks of it while it fails in one way."""

import os
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path

import anyio
import httpx

from server.adapters.in_process.relay import MemoryRelay
from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.prompts import LangfusePrompts
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.adapters.postgres.pool import Database
from server.adapters.supabase.keys import PublishedKeys
from server.adapters.supabase.objects import SupabaseObjects
from server.adapters.supabase.realtime import RealtimeRelay
from server.errors import ServerError
from server.ports.objects import PICTURES_BUCKET
from server.testing.manual_clock import ManualClock
from tests.arrivals import Arrivals
from tests.cloud.published_turns import ENDED, S1, STARTED, stamped, words
from tests.process_workers import process_workers
from tests.server.agent.turns import stage
from tests.server.faults.scripted_services import (
    STARTED_STREAM,
    Fault,
    database_service,
    die,
    http_service,
    reply_by_half,
)

SOON_S = 0.3
BOUND_S = 30.0


LOGGED: ContextVar[Arrivals[str]] = ContextVar("LOGGED")
"""The events that were logged because of the fault that is being tried: one list for each."""


async def model_endpoint(fault: Fault, folder: Path) -> None:
    async with http_service(fault, kind=b"text/event-stream", began=STARTED_STREAM) as port:
        choice = ModelChoice(
            base_url=f"http://127.0.0.1:{port}/v1",
            api_key="sk-test-key-123456",
            model="fake",
            use_responses_api=False,
            patience=Patience(first_s=_patience(fault), silence_s=_patience(fault), retries=0),
        )
        scene = stage(ChosenModels(choice))
        await scene.agent.answer(scene.turn, scene.sink)


async def langfuse(fault: Fault, folder: Path) -> None:
    async with http_service(fault) as port:
        connection = LangfuseConnection(
            host=f"http://127.0.0.1:{port}", public_key=f"pk-lf-{port}", secret_key="sk-lf-1"
        )
        async with connection:
            await LangfusePrompts(connection, ManualClock(), timeout_s=_patience(fault)).system_prompt()


async def object_storage(fault: Fault, folder: Path) -> None:
    async with http_service(fault) as port, _client(port, fault) as client:
        await SupabaseObjects(client, wait_s=0.001).put(PICTURES_BUCKET, "a/t/p.png", b"picture")


async def realtime(fault: Fault, folder: Path) -> None:
    async def all_requested(requested: int) -> int:
        return requested

    inner = MemoryRelay()
    async with (
        http_service(fault) as port,
        _client(port, fault) as client,
        RealtimeRelay(inner, client, all_requested, wait_s=0.001, pause_s=0.05, answer_s=_patience(fault)) as relay,
    ):
        listening = relay.listen(S1)
        events = stamped(STARTED, *words(3), ENDED)
        for event in events:
            await relay.publish(event)
        assert [await anext(listening) for _ in events] == events, "listeners of ours have all of it"
        await listening.aclose()
        await LOGGED.get().until(len, within_s=BOUND_S)


async def sign_in_keys(fault: Fault, folder: Path) -> None:
    async with http_service(fault) as port, _client(port, fault) as client:
        await PublishedKeys(client, "/auth/v1/.well-known/jwks.json").key("a")


async def database(fault: Fault, folder: Path) -> None:
    async with database_service(fault) as port:
        pool = Database(f"postgresql://nobody@127.0.0.1:{port}/flamechat", min_connections=0)
        async with pool, pool.transaction() as connection:
            await connection.execute("select 1")


async def workers(fault: Fault, folder: Path) -> None:
    started = process_workers(folder / "cache", most_imports=0 if fault == "refuses" else 5)
    work: dict[Fault, Callable[[], Awaitable[object]]] = {
        "gone": lambda: started._run(60, QUESTION, die),
        "slow": lambda: started._run(1, QUESTION, time.sleep, 60),
        "refuses": lambda: started.read(folder / "upload", name="a.json", key="0" * 64),
        "wrong shape": lambda: started._run(60, QUESTION, os.write, 1, b"not what was asked for\n"),
        "half a reply": lambda: started._run(60, QUESTION, reply_by_half),
    }
    await work[fault]()


QUESTION = "A question about the trace"


def _patience(fault: Fault) -> float:
    """Seconds that a service is waited for; long where it is not slow, for a busy machine."""
    return SOON_S if fault == "slow" else BOUND_S


def _client(port: int, fault: Fault) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=_patience(fault), verify=False)


SERVICES: dict[str, Callable[[Fault, Path], Awaitable[None]]] = {
    "PostgreSQL": database,
    "object storage": object_storage,
    "Realtime": realtime,
    "model endpoint": model_endpoint,
    "Langfuse": langfuse,
    "Auth (JWKS)": sign_in_keys,
    "workers": workers,
}


TIMES = (
    "server.adapters.supabase.keys.FETCH_S",
    "server.adapters.postgres.pool.WAIT_SECONDS",
    "server.adapters.model.openai.ALIVE_S",
)
"""Waits that a test sets to SOON_S."""


async def failure(service: str, fault: Fault, folder: Path) -> ServerError | None:
    """What the application makes of it; None where nothing that a turn needs failed."""
    with anyio.fail_after(BOUND_S):
        try:
            await SERVICES[service](fault, folder)
        except ServerError as error:
            return error
    return None
