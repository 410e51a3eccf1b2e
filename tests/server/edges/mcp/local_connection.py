"""A connection to the tools of some files, in this process."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, types

from server.edges.mcp.stdio import LocalTraces
from server.edges.mcp.tools import Context, tools_server
from tests.inline_workers import inline_workers

STACKS = "main;parse;read 700\nmain;parse 200\nmain;render;paint 80\nmain 20\n"
OTHER = "main;parse;read 100\nmain;parse 200\nmain;render;paint 80\nmain 20\n"


@asynccontextmanager
async def connected(folder: Path, *texts: str, every_s: float = 60.0) -> AsyncIterator[Client]:
    """A client of traces t1, t2, ... of collapsed stacks."""
    files = [folder / f"trace{index}.collapsed.txt" for index, _ in enumerate(texts, 1)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    async with talking_about(LocalTraces(inline_workers(), files), every_s=every_s) as client:
        yield client


@asynccontextmanager
async def talking_about(local_traces: LocalTraces, *, every_s: float = 60.0) -> AsyncIterator[Client]:
    async def traces_of(_: Context) -> LocalTraces:
        return local_traces

    with anyio.fail_after(60):
        async with Client(tools_server(traces_of, version="test", report_every_s=every_s)) as client:
            yield client


def words(result: types.CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, types.TextContent))


def statuses(result: types.CallToolResult) -> Sequence[tuple[str, str]]:
    """Each claim with its status."""
    data: dict[str, Any] = (result.structured_content or {})["data"]
    return [(check["claim"], check["status"]) for check in data["checks"]]
