"""`make demo-cloud`: the cloud configuration on this machine, without an account anywhere.

It starts test servers that speak Supabase's and Langfuse's protocols, a Flamechat that uses them, and prints links that
sign in, as a mail of Supabase Auth would. Nothing is kept: each start begins anew.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

import httpx

from tests.cloud.auth_server import PASSWORD
from tests.cloud.cloud import Cloud, a_cloud
from tests.cloud.people import person_id

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".make" / "demo-cloud"
PORT = int(os.environ.get("PORT", "8585"))
ADDRESS = f"http://127.0.0.1:{PORT}"
SMALL_PLAN = {
    "name": "demo",
    "displayName": "Demo",
    "priceMonthlyCents": 0,
    "chatMessagesPerSession": 4,
    "chatSessionsLimit": None,
    "chatSessionsPeriod": None,
    "monthlyUploadLimit": None,
    "totalTraceLimit": None,
    "retentionDays": None,
    "allowPublicSharing": False,
    "reason": "two questions show a limit",
}
START_S = 90


async def main() -> int:
    """Until Ctrl-C, or until the server ends by itself; returns its exit code."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    async with a_cloud(FOLDER / "database", port=PORT + 1) as cloud:
        cloud.supabase.auth.administrators.add("ada")
        settings = {
            name: value for name, value in os.environ.items() if not name.startswith(("FLAMECHAT_", "SUPABASE_"))
        }
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "from server.app import main; main()", "serve"),
            *("--port", str(PORT), "--data", str(FOLDER / "server"), "--no-open"),
            cwd=ROOT,
            env={**settings, **cloud.settings()},
            start_new_session=True,  # Ctrl-C is ours to pass on
            stdout=asyncio.subprocess.PIPE,
        )
        assert server.stdout is not None
        ready = asyncio.Event()
        passing_on = asyncio.create_task(_pass_on(server.stdout, ready))
        ending = asyncio.create_task(server.wait())
        stopped = asyncio.Event()
        for one in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(one, stopped.set)
        waiting = asyncio.create_task(stopped.wait())
        try:
            async with asyncio.timeout(START_S):
                starting = asyncio.create_task(ready.wait())
                await asyncio.wait({ending, starting}, return_when=asyncio.FIRST_COMPLETED)
                starting.cancel()
            if not ending.done():
                await _print_guide(cloud)
            await asyncio.wait({ending, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            with contextlib.suppress(ProcessLookupError):
                server.terminate()
            code = await ending
            await passing_on
        return code


async def _pass_on(output: asyncio.StreamReader, ready: asyncio.Event) -> None:
    """Print what the server prints; it is ready once it names its address."""
    async for line in output:
        sys.stdout.write(line.decode())
        sys.stdout.flush()
        if ADDRESS.encode() in line:
            ready.set()


async def _print_guide(cloud: Cloud) -> None:
    """Prepare a small plan, and print where to go."""
    async with httpx.AsyncClient(base_url=ADDRESS) as http:
        for name in ("anna", "ben"):
            await cloud.supabase.auth.sign_in(name)
        as_ada = {"Authorization": f"Bearer {await cloud.supabase.auth.sign_in('ada')}"}
        await http.post("/api/v1/admin/plans", json=SMALL_PLAN, headers=as_ada)
        choice = {"plan": SMALL_PLAN["name"], "reason": "the demonstration"}
        await http.put(f"/api/v1/admin/users/{person_id('ben')}/plan", json=choice, headers=as_ada)
    places = {
        "anna@example.com, on the free plan": "/",
        "anna@example.com again, who hears turns by Realtime alone": "/?stream=realtime",
        "ben@example.com, whose plan ends a conversation after two questions": "/",
        "ada@example.com, who may change plans": "/admin",
    }
    lines = [f"\n  {who}\n  {ADDRESS}{path}\n" for who, path in places.items()]
    sys.stdout.write(f"\nSign in with the password `{PASSWORD}`:\n{''.join(lines)}\nCtrl-C ends everything.\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
