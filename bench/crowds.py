"""`python -m bench crowds`: how long it takes to decide on thousands of first prompts at once, over four processes, and
that exactly as many are accepted as the plan allows.
"""

import asyncio
import tempfile
from pathlib import Path

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import set_up_library_tables
from server.adapters.postgres.migrations import migrate
from tests.plugins.postgres import FreshDatabase
from tests.soak.crowds import LIFETIME, LIMIT, Seen, many_users, one_user


async def crowds(folder: Path) -> dict[str, tuple[Seen, int]]:
    """What was seen of each crowd, and how many turns its plan allows."""
    async with EmbeddedPostgres(folder) as postgres:
        await migrate(postgres.owner_dsn, bootstrap=True)
        await set_up_library_tables(postgres.owner_dsn)
        database = FreshDatabase(postgres.owner_dsn, postgres.server_dsn)
        return {
            "one user": (await asyncio.to_thread(one_user, database, LIFETIME, 2000), LIMIT),
            "500 users": (await asyncio.to_thread(many_users, database, LIFETIME, 500), 500 * LIMIT),
        }


def print_crowds() -> bool:
    """Print the figures; returns whether they are exact."""
    with tempfile.TemporaryDirectory(prefix="flamechat-crowds-") as folder:
        seen = asyncio.run(crowds(Path(folder) / "postgres"))
    print(f"\nfirst prompts at once at a limit of {LIMIT}, 4 processes of 20 connections (seconds with their start)\n")
    print(f"{'':10} {'asked':>6} {'accepted':>9} {'refused':>8} {'given back':>11} {'seconds':>8}")
    exact = True
    for name, (crowd, allowed) in seen.items():
        is_exact = (crowd.accepted, crowd.counters) == (allowed, {LIMIT})
        is_exact = is_exact and (crowd.given_back, crowd.counters_after) == (allowed, {0})
        exact = exact and is_exact
        print(
            f"{name:10} {crowd.asked:6} {crowd.accepted:9} {crowd.asked - crowd.accepted:8} {crowd.given_back:11} "
            f"{crowd.seconds:8.1f}  {'exact' if is_exact else 'NOT EXACT'}"
        )
    return exact
