"""Python: py-spy and Austin look at a process from outside; memray counts its allocations; the standard library's
cProfile runs inside and is always there.
"""

import re
from collections.abc import Callable
from math import ceil
from pathlib import Path

from server.recording.command import is_python, python_call
from server.recording.recorder import Plan, Recorder, Request, Step, What

PER_SECOND = 200
"""Samples: twice py-spy's own default; a recording of seconds has hundreds, at below 1 % of a processor."""

AUSTIN_INTERVAL = "2ms"

PY_SPY_PROCESS = re.compile(rb'"process \d+:\\"(.*?)\\""')
"""The frame at the root of each process's stacks, in JSON."""

MEMRAY_COMMAND = re.compile(rb'"command_line":\s*"((?:[^"\\]|\\.)*)"')

IN_CHILD = Path(__file__).parents[1] / "in_child" / "python_profile.py"


def _py_spy(request: Request) -> Plan | None:
    """`py-spy record --pid`: attached to the child, so that exit code and output stay the child's own."""
    if not is_python(request.command):
        return None
    idle = ("--idle",) if request.what is What.WALL else ()
    output = f"{request.folder}/recording.speedscope.json"
    duration = ("--duration", str(ceil(request.seconds))) if request.seconds else ()
    settings = ("--format", "speedscope", "--rate", str(PER_SECOND), "--function", "--subprocesses", *idle, *duration)
    return Plan(
        argv=request.command.argv,
        attach=("py-spy", "record", *settings, "--output", output, "--pid", "{pid}"),
        leaves="*.speedscope.json",
        command_lines=PY_SPY_PROCESS,
    )


def _austin(request: Request) -> Plan | None:
    """`austin -p`, attached; it samples what waits, too."""
    if not is_python(request.command):
        return None
    duration = ("-x", str(ceil(request.seconds))) if request.seconds else ()
    settings = ("-i", AUSTIN_INTERVAL, "-C", *duration, "-o", f"{request.folder}/recording.austin")
    return Plan(argv=request.command.argv, attach=("austin", *settings, "-p", "{pid}"), leaves="*.austin")


def _of_a_program(attached: Callable[[Request], Plan | None]) -> Callable[[Request], Plan | None]:
    """The plan of a command: Python that has a program to run."""
    return lambda request: attached(request) if python_call(request.command) is not None else None


def _memray(request: Request) -> Plan | None:
    """`python -m memray run`, then its statistics."""
    call = python_call(request.command)
    if call is None:
        return None
    raw, python = f"{request.folder}/recording.memray", request.command.argv[0]
    kind = (call.kind,) if call.kind else ()
    run = ("-m", "memray", "run", "--quiet", "--force", "--output", raw, *kind, call.target, *call.arguments)
    read = ("-m", "memray", "stats", "--json", "--force", "--output", f"{request.folder}/recording.memray.json", raw)
    return Plan(
        argv=(python, *call.options, *run),
        after=(Step(argv=(python, *read)),),
        leaves="*.memray.json",
        command_lines=MEMRAY_COMMAND,
    )


def _cprofile(request: Request) -> Plan | None:
    """The standard library's profiler in the child, in a module that keeps the program's exit code."""
    call = python_call(request.command)
    if call is None:
        return None
    run = (str(IN_CHILD), f"{request.folder}/recording.prof", call.kind or "file", call.target, *call.arguments)
    return Plan(argv=(request.command.argv[0], *call.options, *run), leaves="*.prof")


RECORDERS = (
    Recorder(
        name="py-spy",
        of="Python",
        records=frozenset({What.CPU, What.WALL}),
        plan=_of_a_program(_py_spy),
        attached=_py_spy,
        probe=("py-spy", "--version"),
        found_after="pip install py-spy",
        merit="it samples from outside, all threads, and costs little",
        systems=frozenset({"linux"}),
    ),
    Recorder(
        name="Austin",
        of="Python",
        records=frozenset({What.WALL}),
        plan=_of_a_program(_austin),
        attached=_austin,
        probe=("austin", "--version"),
        found_after="pip install austin-dist",
        merit="it samples from outside, what waits, too",
        systems=frozenset({"linux"}),
    ),
    Recorder(
        name="memray",
        of="Python",
        records=frozenset({What.MEMORY}),
        plan=_memray,
        probe=("python3", "-c", "import memray"),
        probed_in_program=True,
        found_after="pip install memray",
        merit="it counts every allocation",
    ),
    Recorder(
        name="cProfile",
        of="Python",
        records=frozenset({What.CPU, What.WALL}),
        plan=_cprofile,
        merit="it comes with Python, counts every call and makes calls slower",
    ),
)
