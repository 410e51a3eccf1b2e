"""`record_program`: where whoever started `flamechat mcp` allowed it, another program may have a command recorded.

It is `flamechat record` in a process of its own, whose output goes to a file: our stdout is the protocol's. The command
runs as the person who started us, with nothing more than they may do.
"""

import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Literal

import anyio
from mcp import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.quoting import quoted

LONGEST_S = 600
ENDING_S = 60
"""For a program that is asked to end, and for its recorder to write."""
SHOWN_OF_OUTPUT = 600

RECORD_PROGRAM = types.Tool(
    name="record_program",
    description="Run a command of this machine under the profiler that fits it, until it ends or for so many seconds, "
    "and take in the recording for the other tools. Only what the person asked you to run.",
    input_schema={
        "type": "object",
        "properties": {
            "command": {"type": "array", "items": {"type": "string"}, "description": "program and arguments, no shell"},
            "seconds": {"type": "number", "maximum": LONGEST_S, "description": "interrupt it then; default 60"},
            "what": {"type": "string", "enum": ["cpu", "wall", "memory", "locks"]},
            "folder": {"type": "string", "description": "the folder that it runs in"},
        },
        "required": ["command"],
    },
    annotations=types.ToolAnnotations(read_only_hint=False, open_world_hint=True),
)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    command: list[str] = Field(min_length=1, max_length=200)
    seconds: float = Field(default=60, gt=0, le=LONGEST_S)
    what: Literal["cpu", "wall", "memory", "locks"] = "cpu"
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class ProgramRecording:
    """What came of it: the recording's file, and a line about the command's end with the last of its output."""

    file: str
    text: str


async def record_program(arguments: dict[str, Any]) -> ProgramRecording:
    """Record a command. Raises ToolRetry for arguments that are none, ToolFailed where nothing was recorded."""
    try:
        asked = _Asked.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ToolRetry(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if asked.folder is not None and not await anyio.Path(asked.folder).is_dir():
        raise ToolRetry(f"there is no folder {quoted(asked.folder, 200)}")
    with tempfile.TemporaryFile() as output:
        ours = (sys.executable, "-c", "from server.app import main; main()", "record", "--no-answer")
        words = ("--what", asked.what, "--seconds", str(asked.seconds), "--", *asked.command)
        with anyio.move_on_after(asked.seconds + ENDING_S) as limit:
            ended = await anyio.run_process(
                (*ours, *words), stdout=output, stderr=output, cwd=asked.folder, check=False
            )
        output.seek(0)
        said = output.read().decode(errors="replace").rstrip()
    if limit.cancelled_caught:
        raise ToolFailed("the command did not end, and was stopped without a recording")
    *lines, last = said.splitlines() or [""]
    kept = last.removeprefix("· kept: ")
    if kept == last or not await anyio.Path(kept).is_file():
        raise ToolFailed(f"nothing was recorded: {quoted(said[-SHOWN_OF_OUTPUT:], SHOWN_OF_OUTPUT)}")
    shown = quoted("\n".join(lines)[-SHOWN_OF_OUTPUT:], SHOWN_OF_OUTPUT)
    return ProgramRecording(kept, f"it ended with {ended.returncode}; the last of its output: {shown}")
