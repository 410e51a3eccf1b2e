"""Every format that is written."""

from typing import Literal, assert_never

from traces.analysis.selection import select
from traces.export import chrome, collapsed, pprof, speedscope
from traces.export.document import Document
from traces.handles import ALL, ProfileChoice, profile_at
from traces.model import Trace

Target = Literal["speedscope", "chrome", "collapsed", "pprof"]
TARGETS: tuple[Target, ...] = ("speedscope", "chrome", "collapsed", "pprof")


def export(trace: Trace, target: Target, profile: ProfileChoice = ALL) -> Document:
    """The trace as a file of another format. `ALL` keeps profiles apart where the format can, and adds up those that
    measure what the main one does where it cannot.

    Raises UnknownHandle, InvalidQuestion (chrome: a trace that does not measure time).
    """
    profiles = trace.profiles if profile == ALL else (profile_at(trace, profile),)
    match target:
        case "speedscope":
            return speedscope.export(trace, profiles)
        case "chrome":
            return chrome.export(trace, profiles)
        case "collapsed" | "pprof":
            chosen = select(trace, profile if len(trace.profiles) > 1 else None)
            written = collapsed.export(chosen) if target == "collapsed" else pprof.export(chosen)
            notes = written.notes
            if len(chosen.profiles) > 1:
                notes = (f"{len(chosen.profiles)} profiles were added up: this format holds one", *notes)
            if chosen.left_out:
                notes = (f"{chosen.left_out} profiles that measure something else were left out", *notes)
            return Document(written.chunks, notes)
        case _:
            assert_never(target)
