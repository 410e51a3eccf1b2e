"""What a recorder is: how it is found, which commands it fits, with which arguments it runs, which file it leaves."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from server.recording.command import Command

ADDED_TO = "{before}"
"""In a plan's environment: what the variable had before."""


class What(StrEnum):
    """What is recorded."""

    CPU = "cpu"  #: processor time
    WALL = "wall"  #: elapsed time, with its waits
    MEMORY = "memory"  #: allocations
    LOCKS = "locks"  #: waits for locks


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A recording that is asked for: of the command, into the folder, which is new and the owner's alone. Of a
    process that runs already, for so many seconds, counted by the recorder once it is attached.
    """

    command: Command
    what: What
    folder: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A program that runs after the recording; its stdout becomes the file `output` of the folder, if that is given."""

    argv: tuple[str, ...]
    output: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a recording is made. The child is `argv` with `environment` added. `attach` runs next to the child and reads
    it from outside: `{pid}` in it is the child's. The recording is the largest file of the folder that matches `leaves`
    after the steps of `after`. `stop_file` is made when the child is asked to end. Signals go to the
    program, which the child starts: `program_below` is how many processes stand above it, the child among them.
    The first group of `command_lines` is a command line wherever it matches in the recording: secrets in it are masked.
    """

    argv: tuple[str, ...]
    leaves: str
    environment: Mapping[str, str] = field(default_factory=dict)
    attach: tuple[str, ...] = ()
    after: tuple[Step, ...] = ()
    stop_file: str | None = None
    program_below: int = 0
    command_lines: re.Pattern[bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """One way to record. `plan` is None for a command that it does not fit. It is here when `probe` runs and exits with
    0, where `probed_in_program` by the program's own interpreter; without one it comes with what it records.
    `found_after` is the command after which it would be here, and `merit` why it is taken before those below it.
    """

    name: str
    of: str
    records: frozenset[What]
    plan: Callable[[Request], Plan | None]
    merit: str
    probe: tuple[str, ...] = ()
    probed_in_program: bool = False
    found_after: str = ""
    attached: Callable[[Request], Plan | None] | None = None
    """As `plan`, of a process that runs already: its `attach` alone is run."""
    systems: frozenset[str] = field(default_factory=frozenset)
    """Where it runs without more rights (`sys.platform`); empty: everywhere."""
