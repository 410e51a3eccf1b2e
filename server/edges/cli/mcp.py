"""`flamechat mcp [TRACE...]`: the agent's tools for another program, over stdin and stdout."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import need_file


def mcp(
    entry_points: CliEntryPoints, traces: Sequence[Path], source_folder: Path | None, *, records: bool = False
) -> None:
    """Answer until stdin closes; everything but the protocol goes to stderr."""
    from server.edges.mcp.stdio import LocalTraces, serve_stdio
    from server.edges.mcp.version import version

    for trace in traces:
        need_file(trace)
    local_traces = LocalTraces(
        entry_points.workers(), [trace.absolute() for trace in traces], source_folder=source_folder, records=records
    )
    asyncio.run(serve_stdio(local_traces, version=version()))
