"""Answers of the analyst to the letter, with the tools that it called: `golden/<module>.txt` has what a module answers,
a block each: `=== trace: prompt`, a line a call, and the answer below `---`.

`python -m tests.server.analyst.written_answers` writes all of them anew; look at what changed before it is kept.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.analyst.small_traces import trace_named
from tests.server.analyst.test_analyst_chat import asked

GOLDEN = Path(__file__).parent / "golden"
BLOCK = "=== "


def written(module: str) -> dict[tuple[str, str], str]:
    """By trace and prompt what was called and answered."""
    texts = (GOLDEN / f"{module}.txt").read_text(encoding="utf-8").split(f"\n{BLOCK}")
    found = {}
    for text in texts:
        head, _, answer = text.removeprefix(BLOCK).partition("\n")
        trace, _, prompt = head.partition(": ")
        found[trace, prompt] = answer.strip("\n")
    return found


def prompts_of(module: str) -> list[Any]:
    """Traces and prompts, as parameters of the test of a module."""
    return [pytest.param(module, trace, prompt, id=f"{trace}: {prompt}") for trace, prompt in written(module)]


async def answered(trace: str, prompt: str) -> str:
    answer, scene = await asked(prompt, trace_named(trace))
    calls = [event for event in scene.sink.events if event.type == "tool_start"]
    lines = [f"{call.tool_name} {json.dumps(call.args, ensure_ascii=False)}" for call in calls]
    return "\n".join([*lines, "---", answer.text.strip("\n")])


async def assert_answered(module: str, trace: str, prompt: str) -> None:
    assert await answered(trace, prompt) == written(module)[trace, prompt]


async def write_anew() -> None:
    for path in sorted(GOLDEN.glob("*.txt")):
        blocks = [
            f"{BLOCK}{trace}: {prompt}\n{await answered(trace, prompt)}\n" for trace, prompt in written(path.stem)
        ]
        path.write_text("\n".join(blocks), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(asyncio.run(write_anew()))
