"""The profile that a picture is of."""

from rendering.errors import InvalidOption
from rendering.text import printable
from traces.model import Profile, Trace


def chosen_profile(trace: Trace, index: int | None, field: str = "profile") -> Profile:
    """The profile asked for, or the trace's default one. Raises InvalidOption."""
    if index is None:
        return trace.profiles[trace.default_profile]
    if not 0 <= index < len(trace.profiles):
        last = len(trace.profiles) - 1
        raise InvalidOption(field, f"there is no p{index}; this trace has {f'p0 to p{last}' if last else 'only p0'}")
    return trace.profiles[index]


def profile_title(trace: Trace, profile: Profile) -> str:
    """`p0 main`, or the handle alone for a profile without a name of its own; in printable characters."""
    own = profile.name.strip() and profile.name != trace.name
    return f"{profile.handle} {printable(profile.name)}" if own else profile.handle


def trace_title(trace: Trace) -> str:
    """The trace's name in printable characters."""
    return printable(trace.name)
