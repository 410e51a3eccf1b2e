"""Why a file could not be read as a trace.

TraceError
├── EmptyTrace          no bytes, or a trace that holds neither samples nor spans
├── UnrecognisedTrace   no importer knows this content
├── DamagedTrace        recognised, but broken: truncated, contradictory, not what its format says
├── TraceTooLarge       over one of the ceilings in `bounds`
├── UnknownHandle       a question named a frame, profile, node or span that the trace does not have
└── InvalidQuestion     a question whose arguments make no sense: an empty window, a broken pattern
    └── NoTimes         a question about moments, durations or rates of a recording that has no times

Each text names the file, what is wrong with it and what to do; it never quotes the file's contents.
"""


class TraceError(Exception):
    """Root of the room's errors; its text is meant for the person who chose the file."""


class EmptyTrace(TraceError):
    pass


class UnrecognisedTrace(TraceError):
    pass


class DamagedTrace(TraceError):
    pass


class TraceTooLarge(TraceError):
    pass


class UnknownHandle(TraceError):
    pass


class InvalidQuestion(TraceError):
    pass


class NoTimes(InvalidQuestion):
    pass
