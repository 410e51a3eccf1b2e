"""`flamechat record`: the command as this machine would run it, the recorder that fits, the child, the kept file."""

from collections.abc import Callable
from dataclasses import replace

from server.adapters.recording.child_process import run_attached, run_child
from server.adapters.recording.machine import NOT_EXECUTABLE, command_of, problem_of, resolved
from server.composing.recording_place import RecordingPlace
from server.edges.cli.command_values import ListedRecorder, Recorded, RecordOptions
from server.errors import CannotRecord
from server.recording.choosing import ABSENT, MISUSED, choose
from server.recording.masked_command import masked
from server.recording.page_request import is_go_profile
from server.recording.recorder import Recorder, Request, What
from server.recording.recorders.all_recorders import ALL_RECORDERS
from server.recording.recording_labels import labels_of


def shown_problem(recorder: Recorder, problem: str | None) -> str | None:
    """What a recorder lacks, with the command after which it would be here."""
    if problem != ABSENT or not recorder.found_after:
        return problem
    return f"{problem}; found after: {recorder.found_after}"


def list_recorders() -> list[ListedRecorder]:
    """Every recorder, in the order of choosing, with what it lacks here."""
    from server.composing.page_recordings import listed_browser

    return [
        ListedRecorder(
            name=one.name,
            of=one.of,
            records=tuple(what for what in What if what in one.records),
            merit=one.merit,
            problem=shown_problem(one, problem_of(one)),
        )
        for one in ALL_RECORDERS
    ] + [listed_browser()]


def record(options: RecordOptions, remark: Callable[[str], None]) -> Recorded:
    """Record the page, the running process or the command of the options. `remark` gets lines for the person.

    Raises CannotRecord where nothing was run; ConfigError for a data folder that cannot be written.
    """
    if options.url is not None and is_go_profile(options.url):
        # Its HTTP client takes as long to load as the rest: a program that is recorded does not wait for it.
        from server.composing.go_profiles import record_go_program

        return record_go_program(options, options.url, remark)
    if options.url is not None:
        from server.composing.page_recordings import record_page

        return record_page(options, options.url, remark)
    if options.pid is not None:
        return _record_process(options, options.pid, remark)
    return _record_command(options, remark)


def _record_command(options: RecordOptions, remark: Callable[[str], None]) -> Recorded:
    labels_of(options.labels)
    command = resolved(options.argv)
    request = Request(command=command, what=What(options.what), folder="")
    choice = choose(ALL_RECORDERS, request, lambda one: problem_of(one, command), named=options.recorder)
    place = RecordingPlace.new(options, command.program)
    plan = choice.recorder.plan(replace(request, folder=str(place.folder)))
    if plan is None:
        raise CannotRecord(f"{choice.recorder.name} does not record {command.program}", exit_code=MISUSED)
    remark(choice.sentence)
    try:
        ended = run_child(
            plan.argv,
            environment=plan.environment,
            folder=place.folder,
            attach=plan.attach,
            stop_file=plan.stop_file,
            seconds=options.seconds,
            program_below=plan.program_below,
        )
    except OSError as error:
        return Recorded(exit_code=NOT_EXECUTABLE, file=None, problem=f"{options.argv[0]}: {error.strerror or error}")
    return place.kept(choice.recorder.name, plan, ended, masked(options.argv))


def _record_process(options: RecordOptions, pid: int, remark: Callable[[str], None]) -> Recorded:
    labels_of(options.labels)
    command = command_of(pid)
    request = Request(command=command, what=What(options.what), folder="", seconds=options.seconds)
    attached = [replace(one, plan=one.attached) for one in ALL_RECORDERS if one.attached is not None]
    choice = choose(attached, request, problem_of, named=options.recorder)
    place = RecordingPlace.new(options, command.program)
    plan = choice.recorder.plan(replace(request, folder=str(place.folder)))
    if plan is None:
        raise CannotRecord(f"{choice.recorder.name} does not record {command.program}", exit_code=MISUSED)
    remark(choice.sentence + ("" if options.seconds else "; Ctrl-C ends the recording, not the process"))
    try:
        ended = run_attached(plan.attach, pid, folder=place.folder, seconds=options.seconds)
    except OSError as error:
        return Recorded(exit_code=1, file=None, problem=f"{choice.recorder.name}: {error.strerror or error}")
    return place.kept(choice.recorder.name, plan, ended, masked(command.argv))
