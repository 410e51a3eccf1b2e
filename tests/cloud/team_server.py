"""A server inside the test's process whose people, files and Realtime are a project's; its rows are in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from limits.plans import LOCAL_PLAN, Plan
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.relay import MemoryRelay
from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.supabase.identity import SupabaseIdentity
from server.adapters.supabase.keys import PublishedKeys
from server.adapters.supabase.objects import SupabaseObjects
from server.adapters.supabase.realtime import RealtimeRelay
from server.agent.turn import Agent
from server.composing.use_cases import Adapters, Backing, Rows, compose
from server.edges.http.client_config import ClientConfig
from server.edges.http.gateway import Gateway
from server.errors import NotFound
from server.ports.identity import Caller
from server.settings import load_settings
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.evaluations import MemoryEvaluations
from server.testing.invocations import MemoryInvocations
from server.testing.plans import MemoryPlans
from server.testing.trace_records import MemoryTraceRecords
from tests.cloud.people import person_id
from tests.cloud.supabase_server import SupabaseServer, supabase_server
from tests.server.running_server import RunningServer, ScriptedAgent, serving

PEOPLE = {name: Caller(user_id=person_id(name), account_id=person_id(f"{name}/account")) for name in ("anna", "ben")}
SECRET = "a gateway's"


@dataclass(frozen=True, slots=True)
class TeamServer:
    server: RunningServer
    supabase: SupabaseServer
    client: httpx.AsyncClient
    relay: RealtimeRelay

    def wait_for_answers(self, answer_s: float) -> None:
        """How long one answer of the project may take from now on: a test that has it hang does not wait for long, and
        no other one fails because the machine is busy."""
        self.client.timeout = answer_s
        self.relay._answer_s = answer_s

    def token(self, name: str = "anna", **changed: Any) -> str:
        return self.supabase.keys.token(person_id(name), **changed)

    def bearer(self, name: str = "anna") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(name)}"}


@asynccontextmanager
async def team_server(
    tmp_path: Path,
    agent: Agent | None = None,
    *,
    plan: Plan = LOCAL_PLAN,
    secret: str | None = SECRET,
    expired_grace_s: float = 60,
) -> AsyncIterator[TeamServer]:
    """For Anna and Ben."""
    accounts = MemoryAccounts(SystemClock())
    for caller in PEOPLE.values():
        accounts.add(caller, plan)
    records = MemoryTraceRecords(accounts)

    async def account_of(user_id: str) -> str:
        for caller in PEOPLE.values():
            if caller.user_id == user_id:
                return caller.account_id
        raise NotFound("There is no such user.")

    async def budget(requested: int) -> int:
        return requested

    async with supabase_server() as supabase, supabase.project.client() as client:
        identity = SupabaseIdentity(
            issuer=supabase.project.issuer,
            keys=PublishedKeys(client, f"{supabase.project.issuer}/.well-known/jwks.json"),
            secret=None,
            account_of=account_of,
        )
        async with RealtimeRelay(MemoryRelay(), client, budget, wait_s=0.001, pause_s=0.05) as relay:
            conversations, invocations = MemoryConversations(records), MemoryInvocations()
            parts = compose(
                load_settings(data=tmp_path),
                Adapters(
                    rows=Rows(
                        conversations=conversations,
                        records=records,
                        plans=MemoryPlans(records),
                        invocations=invocations,
                        evaluations=MemoryEvaluations(conversations, invocations),
                    ),
                    backing=Backing(
                        objects=SupabaseObjects(client, wait_s=0.001),
                        identity=identity,
                        relay=relay,
                        client=ClientConfig.of_project(supabase.url, supabase.project.publishable_key, realtime=True),
                        gateway=None
                        if secret is None
                        else Gateway(secret=secret, caller_of=identity.caller, refuse=relay.refuse),
                    ),
                    workers=InlineTraceWorkers(),
                    agent=agent or ScriptedAgent(),
                    scratch=tmp_path,
                ),
            )
            socket = replace(parts.services.socket, expired_grace_s=expired_grace_s)
            services = replace(parts.services, socket=socket)
            async with serving(replace(parts, services=services)) as server:
                team = TeamServer(server, supabase, client, relay)
                team.wait_for_answers(60)
                yield team
