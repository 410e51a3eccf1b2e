"""`flamechat analyze TRACE ["question"]`: one turn of the conversation without a server, a browser or a database."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from server.agent.tools.screenshots import FLAMEGRAPH, SANDWICH
from server.agent.turn import TurnAnswer, TurnInput
from server.agent.verification.references.figure_links import AddressFilter
from server.edges.cli.command_values import Analysis, AnalyzeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.printing import print_json
from server.edges.cli.reading import FOLLOWED_EVERY_S, MISUSED, ShowRead, fail, named, need_file, progress
from server.errors import ConfigError, ServerError
from server.ports.identity import LOCAL_USER_ID, Caller
from server.ports.traces import TraceRow
from server.protocol import events
from server.protocol.checks_sentence import checks_sentence
from server.protocol.client import NO_TEXT
from server.protocol.wire_values import ViewerState
from server.quoting import visible
from traces.errors import TraceError
from traces.model import Trace

SCREENSHOTS = frozenset((FLAMEGRAPH, SANDWICH))
"""What is hidden where nobody would see it: to draw one takes a tenth of the command's time."""


class KeptPictures:
    """The turn's pictures as files of a folder, or only counted when there is none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.paths: list[Path] = []
        self.not_kept = 0

    async def save(self, turn: TurnInput, tool_call_id: str, png: bytes) -> str:
        """Write `picture-<n>.png`; returns its path, or a word that it was not kept. Raises OSError."""
        if self._folder is None:
            self.not_kept += 1
            return "not kept"
        path = self._folder / f"picture-{len(self.paths) + 1}.png"
        self.paths.append(path)
        await asyncio.to_thread(_write, path, png)
        return str(path)

    async def load(self, turn: TurnInput, tool_call_id: str) -> bytes | None:
        """None: a turn of the command line has one attempt."""
        return None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


class TerminalSink:
    """Text to stdout as it comes, figures without their addresses (kept back with `--json`), tool steps to stderr."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._said = False
        self._without_addresses = AddressFilter()
        self._read_quarters = -1
        self.tools: list[dict[str, Any]] = []

    def restore(self, events: Sequence[events.TurnEvent]) -> None:
        """Nothing is ever taken up here: a command has one attempt."""

    async def emit(self, event: events.TurnEvent) -> None:
        match event:
            case events.ModelChunkStart() | events.ModelChunkAppend():
                if isinstance(event, events.ModelChunkStart) and self._said:
                    self._print(self._without_addresses.close() + "\n\n")
                self._said = True
                self._print(self._without_addresses.feed(event.chunk))
            case events.ModelTextReset():
                self._without_addresses.close()
                click.echo("\nThe answer is written again.", err=True)
            case events.TurnStarted():
                click.echo(f"· {event.model}", err=True)
            case events.ModelReading():
                self._show_reading(event.tokens_read, event.tokens_in_all)
            case events.ToolStart() | events.ToolProgress():
                click.echo(f"· {visible(event.message)}{_steps(event)}", err=True)
            case events.ToolResult():
                self.tools.append({"tool": event.tool_name, "status": event.status, "picture": event.image_url})
                if event.image_url and event.image_url != "not kept":
                    click.echo(f"  saved {event.image_url}", err=True)
            case events.ToolError():
                self.tools.append({"tool": event.tool_name, "status": "error", "message": event.message})
                click.echo(f"  {visible(event.tool_name)} failed: {visible(event.message)}", err=True)
            case _:  # a title, a viewer that is not here, an end that the answer shows
                pass

    def _show_reading(self, read: int, of: int) -> None:
        """A line for each quarter of a prompt."""
        quarters = 4 * read // max(of, 1)
        if quarters != self._read_quarters:
            self._read_quarters = quarters
            click.echo(f"· the model is reading: {read:,} of {of:,} tokens", err=True)

    def close(self) -> None:
        """Print what was kept back: half a link at the end of the answer."""
        self._print(self._without_addresses.close())

    def _print(self, text: str) -> None:
        if not self._quiet:
            click.echo(visible(text), nl=False)


def analyze(
    entry_points: CliEntryPoints,
    source: Path,
    question: str,
    *,
    out: Path | None,
    as_json: bool,
    options: AnalyzeOptions,
) -> None:
    """Run the turn and print its answer; ends with exit code 1, naming the file, when the trace or the model failed."""
    need_file(source)
    if not question.strip():
        fail(NO_TEXT, MISUSED)
    pictures = KeptPictures(out)
    sink = TerminalSink(quiet=as_json)
    try:
        analysis = entry_points.analysis(options, pictures)
        hidden = frozenset[str]() if out is not None or analysis.draws_for_itself else SCREENSHOTS
        answer = asyncio.run(_turn(analysis, source, question, sink, hidden))
    except ConfigError as error:
        fail(str(error), MISUSED)
    except (TraceError, ServerError) as error:
        fail(named(source.name, str(error)))
    except OSError as error:
        fail(f"{error.filename or source}: {error.strerror or error}")
    if as_json:
        print_json(_as_json(answer, sink, pictures))
        return
    sink.close()
    click.echo("")
    _closing(answer, pictures, was_drawn=not hidden)


async def _follow(analysis: Analysis, source: Path, show: ShowRead) -> None:
    """Show how much of the file was read, until that is cancelled."""
    size = (await asyncio.to_thread(source.stat)).st_size
    while True:
        importing = await analysis.workers.importing(source)
        if importing is not None and importing.bytes_read is not None:
            show(importing.bytes_read, size)
        await asyncio.sleep(FOLLOWED_EVERY_S)


async def _turn(
    analysis: Analysis, source: Path, question: str, sink: TerminalSink, hidden: frozenset[str]
) -> TurnAnswer:
    with progress(f"Reading {source.name}") as show:
        following = asyncio.create_task(_follow(analysis, source, show))
        try:
            opened = await analysis.workers.open(source)
            row = await analysis.workers.ask(opened, _row)
        finally:
            following.cancel()
    turn = TurnInput(
        turn_id=str(uuid.uuid4()),
        session_id=str(uuid.uuid4()),
        attempt=1,
        caller=Caller(user_id=LOCAL_USER_ID, account_id=LOCAL_USER_ID),
        trace=row,
        opened=opened,
        prompt=question,
        history=(),
        viewer=ViewerState(),
        model_name=None,
        plan_name="local",
        messages_used=2,
        messages_limit=None,
        local_time=datetime.now().astimezone(),
        is_first_answer=True,
        hidden_tools=hidden,
    )
    return await analysis.agent.answer(turn, sink)


def _row(trace: Trace) -> TraceRow:
    """As a server has it in its database; its digest and its object belong to an upload."""
    from traces.analysis.summary import summarise

    summary = summarise(trace)
    return TraceRow(
        trace_id=str(uuid.uuid5(uuid.NAMESPACE_URL, trace.content_key)),
        account_id=LOCAL_USER_ID,
        user_id=LOCAL_USER_ID,
        name=trace.name,
        sha256="",
        size_bytes=summary.source_bytes,
        format=summary.format,
        unit=summary.unit,
        duration_ns=summary.duration_ns,
        summary=summary.as_json(),
        object_path="",
        created_at=datetime.now().astimezone(),
    )


def _as_json(answer: TurnAnswer, sink: TerminalSink, pictures: KeptPictures) -> dict[str, Any]:
    wire = {
        "usage": answer.usage.model_dump(),
        "citations": [one.model_dump() for one in answer.citations],
        "checks": [one.model_dump() for one in answer.checks],
        "checked": checks_sentence(answer.checks),
    }
    said = {"answer": answer.text} | asdict(answer) | wire
    del said["text"]
    return said | {"tools": sink.tools, "pictures": [str(path) for path in pictures.paths]}


def _closing(answer: TurnAnswer, pictures: KeptPictures, *, was_drawn: bool) -> None:
    if sentence := checks_sentence(answer.checks):
        click.echo(f"· against the trace: {visible(sentence)}", err=True)
    if not was_drawn:
        click.echo("· no flame graph was drawn: --out DIR saves those of the answer", err=True)
    if pictures.not_kept:
        drawn = "1 picture was" if pictures.not_kept == 1 else f"{pictures.not_kept} pictures were"
        click.echo(f"· {drawn} drawn and not kept: --out DIR saves them", err=True)
    for suggestion in answer.suggestions:
        click.echo(f"· next: {visible(suggestion)}", err=True)


def _steps(event: events.ToolStart | events.ToolProgress) -> str:
    """How many steps of a call are behind it, where they are counted."""
    if isinstance(event, events.ToolStart) or event.in_all is None:
        return ""
    return f": {event.done or 0} of {event.in_all}"
