"""What tools answer over small traces, to the letter: `golden/<module>.txt` has the calls of a module, a block each:
`=== trace: tool arguments`, the text for the model, and below `---` the data, the table and what the page shows.

`python -m tests.server.agent.tools.written_outcomes` writes all of them anew; look at what changed before it is kept.
"""

import asyncio
import json
import sys
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from server.agent.tools.contract.tool_errors import ToolProblem
from tests.server.agent.tool_context import ask_tool
from tests.server.analyst.small_traces import trace_named

GOLDEN = Path(__file__).parent / "golden"
BLOCK = "=== "


def written(module: str) -> dict[str, str]:
    """By the line of a call what it answered."""
    texts = (GOLDEN / f"{module}.txt").read_text(encoding="utf-8").split(f"\n{BLOCK}")
    calls = (text.removeprefix(BLOCK).partition("\n") for text in texts)
    return {call: answer.strip("\n") for call, _, answer in calls}


def calls_of(module: str) -> list[Any]:
    """The calls of a module, as parameters of its test."""
    return [pytest.param(module, call, id=call) for call in written(module)]


async def outcome_of(call: str) -> str:
    name, _, asked = call.partition(": ")
    tool, _, arguments = asked.partition(" ")
    other = trace_named("equals") if tool == "compare_traces" else None
    try:
        outcome = await ask_tool(tool, json.loads(arguments or "{}"), trace_named(name), *([other] if other else []))
    except ToolProblem as problem:
        return f"{type(problem).__name__}: {problem}"
    parts: list[object] = [outcome.data, outcome.table, outcome.ui, outcome.action]
    shown = [f"warning: {outcome.warning}, picture: {outcome.picture is not None}"]
    shown += [json.dumps(part, default=_plain, ensure_ascii=False) for part in parts if part is not None]
    return "\n".join([outcome.text, "---", *shown])


def _plain(value: object) -> object:
    """Models and values as JSON has them."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value.model_dump() if hasattr(value, "model_dump") else str(value)


async def assert_answered(module: str, call: str) -> None:
    assert await outcome_of(call) == written(module)[call]


async def write_anew() -> None:
    for path in sorted(GOLDEN.glob("*.txt")):
        blocks = [f"{BLOCK}{call}\n{await outcome_of(call)}\n" for call in written(path.stem)]
        path.write_text("\n".join(blocks), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(asyncio.run(write_anew()))
