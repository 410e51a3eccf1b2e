"""How a tool is run: validate -> ask in a worker, within its time -> keep only the fields that are safe to show -> cap
the text.
"""

import asyncio
import difflib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import structlog

from rendering.errors import RenderingError
from server.agent.tools.contract.arguments import Windowed, validated
from server.agent.tools.contract.named_windows import NamedWindow
from server.agent.tools.contract.output_schema import unfit
from server.agent.tools.contract.tool import Outcome, PageReply, Tool, ToolArguments
from server.agent.tools.contract.tool_context import NOWHERE, Asking, Reach, ToolContext
from server.agent.tools.contract.tool_errors import ToolFailed, ToolProblem, ToolRetry
from server.agent.tools.contract.tool_progress import Progress
from server.agent.tools.contract.window_argument import by_numbers
from server.cleaning import clean
from server.errors import DatabaseUnavailable, NotFound, ServiceUnavailable, WorkerFailed, raised_at
from server.ports.traces import OpenTrace, TraceWorkers
from server.protocol.mounted import ShownView
from server.protocol.wire_values import Colours
from server.quoting import quoted
from traces.errors import TraceError

if TYPE_CHECKING:
    from server.agent.questions.planner import PlanWriter

ERROR_CHARACTERS = 600
"""Of an error's text that a model reads."""


def named_tool(name: str, offered: tuple[Tool[Any], ...]) -> Tool[Any]:
    """The tool of that name. Raises ToolRetry naming the nearest."""
    for tool in offered:
        if tool.name == name:
            return tool
    names = [tool.name for tool in offered]
    near = difflib.get_close_matches(name, names, n=2, cutoff=0.4)
    raise ToolRetry(
        f"there is no tool {quoted(name, 60)}: " + (f"did you mean {' or '.join(near)}?" if near else ", ".join(names))
    )


async def run_tool(
    tool: Tool[Any],
    arguments: dict[str, Any],
    *,
    trace: OpenTrace,
    workers: TraceWorkers,
    seconds: float,
    characters: int,
    tool_context: ToolContext | None = None,
    windows: tuple[NamedWindow, ...] = (),
    view: ShownView | None = None,
    colours: Colours = "file",
    reach: Reach = NOWHERE,
    plan: "PlanWriter | None" = None,
    progress: Progress | None = None,
) -> tuple[Outcome, bool]:
    """The tool's outcome, redacted and capped, and whether its text was cut; `windows` are those whose names the model
    was given, `view` is what the page shows, in `colours`. Raises ToolRetry or ToolFailed.
    """
    checked = validated(tool, arguments)

    async def ask() -> Outcome:
        by_number, where = checked, ""
        if isinstance(checked, Windowed) and checked.window is not None:
            by_number, where = await workers.ask(trace, by_numbers, checked, windows)
        asking = Asking(
            trace=trace,
            workers=workers,
            tool_context=tool_context,
            view=view,
            colours=colours,
            reach=reach,
            plan=plan,
            progress=progress,
        )
        outcome = await _outcome(tool, by_number, asking)
        return replace(outcome, text=f"{where}\n{outcome.text}") if where else outcome

    return await _in_time(tool, ask, seconds=seconds, characters=characters)


async def answered_by_page(
    tool: Tool[Any],
    reply: PageReply,
    *,
    trace: OpenTrace,
    workers: TraceWorkers,
    seconds: float,
    characters: int,
    reach: Reach = NOWHERE,
) -> tuple[Outcome, bool]:
    """As `run_tool`, of a tool whose page has answered. Raises ToolRetry or ToolFailed."""
    if tool.approved is not None:
        asking, approved = Asking(trace=trace, workers=workers, reach=reach), tool.approved
        return await _in_time(tool, lambda: approved(asking, reply), seconds=seconds, characters=characters)
    assert tool.answered is not None
    question = tool.answered
    return await _in_time(tool, lambda: workers.ask(trace, question, reply), seconds=seconds, characters=characters)


async def _in_time(
    tool: Tool[Any], ask: Callable[[], Awaitable[Outcome]], *, seconds: float, characters: int
) -> tuple[Outcome, bool]:
    try:
        async with asyncio.timeout(seconds):
            outcome = await ask()
    except ToolProblem:
        raise
    except TimeoutError:
        raise ToolFailed(f"{tool.name} took longer than {seconds:g} s: {tool.narrow}", "timeout") from None
    except (TraceError, NotFound) as error:  # its words may hold the trace's own: they go to the model as data
        raise ToolRetry(quoted(str(error), ERROR_CHARACTERS)) from None
    except (WorkerFailed, RenderingError, ServiceUnavailable, DatabaseUnavailable) as error:
        why = quoted(str(error), ERROR_CHARACTERS)
        raise ToolFailed(f"{tool.name} could not be answered: {why}", "unavailable") from error
    except Exception as error:  # a fault of ours in one question: the turn can go on without it
        structlog.get_logger(__name__).error(
            "tool_broke", tool=tool.name, error=type(error).__name__, where=raised_at(error)
        )
        raise ToolFailed(
            f"{tool.name} broke on this trace ({type(error).__name__}); this is a fault of Flamechat"
        ) from error
    data = shown_fields(outcome.data, tool.fields)
    if (wrong := unfit(tool, data)) is not None:
        structlog.get_logger(__name__).error("tool_result_unfit", tool=tool.name, wrong=wrong)
        raise ToolFailed(f"what {tool.name} returned has not its form; it is not shown", "redaction_failed")
    text, cut = capped(outcome.text, characters, tool.narrow)
    return replace(outcome, text=clean(text), data=data), cut


async def _outcome(tool: Tool[Any], arguments: ToolArguments, asking: Asking) -> Outcome:
    if tool.ask is not None:
        return await tool.ask(asking, arguments)
    if tool.coloured is not None:
        return await asking.workers.ask(asking.trace, tool.coloured, arguments, asking.colours)
    assert tool.answer is not None
    return await asking.workers.ask(asking.trace, tool.answer, arguments)


def capped(text: str, characters: int, narrow: str) -> tuple[str, bool]:
    """The text up to its last complete line within the cap, with what was cut and how to ask for less."""
    if len(text) <= characters:
        return text, False
    kept = text[:characters].rsplit("\n", 1)[0]
    left = text[len(kept) :].strip("\n").count("\n") + 1
    return f"{kept}\n… {left} more lines cut at {characters} characters: {narrow}", True


def shown_fields(data: dict[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    """`data` with every key outside `fields` gone, at every level."""

    def shown(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shown(inner) for key, inner in value.items() if key in fields}
        return [shown(item) for item in value] if isinstance(value, list) else value

    return {key: shown(value) for key, value in data.items() if key in fields}
