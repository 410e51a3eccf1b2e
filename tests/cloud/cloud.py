"""Everything the cloud configuration needs, on loopback: a Supabase project with its database, and a Langfuse project.

The database has what a new Supabase project has (its roles, `auth`, `storage`, `realtime`) and nothing of ours: the
server brings the migrations itself.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.migrations import sql_root
from tests.cloud.langfuse_server import LangfuseServer, langfuse_server
from tests.cloud.supabase_server import SupabaseServer, supabase_server

GATEWAY_SECRET = "of a test's gateway"


@dataclass(frozen=True, slots=True)
class Cloud:
    supabase: SupabaseServer
    langfuse: LangfuseServer
    owner_dsn: str
    server_dsn: str

    def settings(self) -> dict[str, str]:
        """Of a server in this cloud, as environment variables."""
        return {
            **self.supabase.settings(),
            **self.langfuse.settings(),
            "FLAMECHAT_DATABASE_URL": self.server_dsn,
            "FLAMECHAT_DATABASE_SESSION_URL": self.owner_dsn,
            "PROCESS_AI_TURN_SECRET": GATEWAY_SECRET,
            "FLAMECHAT_LANGFUSE_PROMPT_SECONDS": "30",  # a busy machine is no Langfuse that hangs
        }


@asynccontextmanager
async def a_cloud(folder: Path, *, port: int = 0, auth_program: Path | None = None) -> AsyncIterator[Cloud]:
    """Run it until the block ends; the database's rows stay in the folder. Its people sign in with that program."""
    prompt = (Path(__file__).parents[2] / "server/agent/prompts/analysis_system_prompt.md").read_text(encoding="utf-8")
    async with (
        EmbeddedPostgres(folder) as postgres,
        supabase_server(postgres.owner_dsn, port=port, auth_program=auth_program) as supabase,
        langfuse_server(prompt=prompt) as langfuse,
    ):
        # After Auth, whose tables are its own.
        with psycopg.connect(postgres.owner_dsn, autocommit=True) as owner:
            owner.execute((sql_root() / "local" / "bootstrap.sql").read_text(encoding="utf-8"))
        yield Cloud(supabase, langfuse, postgres.owner_dsn, postgres.server_dsn)
