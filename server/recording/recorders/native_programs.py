"""Native programs: Linux's perf where the kernel allows it, valgrind's callgrind else."""

import re

from server.recording.command import INTERPRETERS, is_php, is_python
from server.recording.recorder import Plan, Recorder, Request, Step, What

CALLGRIND_COMMAND = re.compile(rb"^cmd:\s*(.*)$", re.MULTILINE)

PERF_PROBE = ("perf", "stat", "-x,", "-e", "cpu-clock", "--", "true")
"""The least that says whether the kernel lets this user measure (`perf_event_paranoid`, a container's filter)."""

PER_SECOND = 999
"""Samples: no round number, so that what a program does every millisecond is not met each time."""


def record_perf(folder: str) -> tuple[str, ...]:
    """The words before a program's own, with its call graphs by frame pointers."""
    return ("perf", "record", "--quiet", "-F", str(PER_SECOND), "-g", "-o", f"{folder}/perf.data", "--")


def read_perf(folder: str) -> tuple[Step, ...]:
    """`perf script`, which has the symbols that `perf.data` lacks. Inlined functions would take minutes to look up."""
    return (Step(argv=("perf", "script", "--no-inline", "-i", f"{folder}/perf.data"), output="recording.perf.txt"),)


def _is_native(request: Request) -> bool:
    """Not a program of an interpreter that has a recorder of its own: its C functions would be recorded."""
    command = request.command
    return (
        not is_python(command) and not is_php(command) and command.name not in {*INTERPRETERS, "java", "go", "dotnet"}
    )


def _perf(request: Request) -> Plan | None:
    if not _is_native(request):
        return None
    return Plan(
        argv=(*record_perf(request.folder), *request.command.argv),
        after=read_perf(request.folder),
        leaves="*.perf.txt",
        program_below=1,
    )


def _perf_attached(request: Request) -> Plan | None:
    if not _is_native(request):
        return None
    *words, _ = record_perf(request.folder)
    duration = ("--", "sleep", str(request.seconds)) if request.seconds else ()
    return Plan(
        argv=(), attach=(*words, "-p", "{pid}", *duration), after=read_perf(request.folder), leaves="*.perf.txt"
    )


def _callgrind(request: Request) -> Plan | None:
    if not _is_native(request):
        return None
    tool = ("valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={request.folder}/callgrind.out.%p")
    argv = (*tool, "--", *request.command.argv)
    return Plan(argv=argv, leaves="callgrind.out.*", command_lines=CALLGRIND_COMMAND)


RECORDERS = (
    Recorder(
        name="perf",
        of="native programs, and whatever a script starts",
        records=frozenset({What.CPU}),
        plan=_perf,
        attached=_perf_attached,
        probe=PERF_PROBE,
        found_after="apt install linux-perf",
        merit="the kernel samples the program and its children",
    ),
    Recorder(
        name="callgrind",
        of="native programs, and whatever a script starts",
        records=frozenset({What.CPU}),
        plan=_callgrind,
        probe=("valgrind", "--version"),
        found_after="apt install valgrind",
        merit="it counts every instruction and takes some 50 times as long",
    ),
)
