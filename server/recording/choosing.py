"""Which recorder takes a command: the first that fits, records what is asked for and is here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.errors import CannotRecord
from server.recording.recorder import Recorder, Request, What

ProblemOf = Callable[[Recorder], str | None]
"""Why a recorder cannot be used on this machine; None when it can."""

ABSENT = "is not here"
"""The problem that installing solves."""

MISUSED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The recorder that is taken, and those that would come before it, with what they lack."""

    recorder: Recorder
    passed_over: tuple[tuple[Recorder, str], ...]

    @property
    def sentence(self) -> str:
        """Which one, and why: for the person who waits."""
        better = "; ".join(lack(one, problem) for one, problem in self.passed_over)
        return f"recording with {self.recorder.name}: {self.recorder.merit}" + (f"; {better}" if better else "")


def lack(recorder: Recorder, problem: str) -> str:
    """What a recorder lacks, with the command after which it would be here; one that is here gets none."""
    after = f" ({recorder.found_after})" if problem == ABSENT and recorder.found_after else ""
    return f"{recorder.name} {problem}{after}"


def choose(
    recorders: Sequence[Recorder], request: Request, problem_of: ProblemOf, *, named: str | None = None
) -> Choice:
    """The first of `recorders` that can record the request, or the one that is `named`. `problem_of` is asked of those
    that fit alone, in their order. Raises CannotRecord, which says what would help.
    """
    if named is not None and named not in {one.name for one in recorders}:
        known = ", ".join(one.name for one in recorders)
        raise CannotRecord(f"there is no recorder {named}: the recorders are {known}", exit_code=MISUSED)
    fitting = [one for one in recorders if named in (None, one.name) and one.plan(request) is not None]
    if not fitting:
        program = request.command.program
        if named is not None:
            raise CannotRecord(f"{named} does not record {program}", exit_code=MISUSED)
        raise CannotRecord(f"no recorder fits {program}: flamechat record --list names them", exit_code=MISUSED)
    recording = [one for one in fitting if request.what in one.records]
    if not recording:
        kinds = ", ".join(what for what in What if any(what in one.records for one in fitting))
        names = " and ".join(one.name for one in fitting)
        raise CannotRecord(
            f"{names} cannot record {request.what} of {request.command.program}, only {kinds}", exit_code=MISUSED
        )
    passed_over: list[tuple[Recorder, str]] = []
    for one in recording:
        problem = problem_of(one)
        if problem is None:
            return Choice(recorder=one, passed_over=tuple(passed_over))
        passed_over.append((one, problem))
    missing = "; ".join(lack(one, problem) for one, problem in passed_over)
    raise CannotRecord(
        f"nothing here records {request.what} of {request.command.program}: {missing}", exit_code=MISUSED
    )
