"""Which questions a recording's facts allow: moments need an order in time, single calls a record of each."""

from collections.abc import Iterable, Sequence

from traces.errors import NoTimes
from traces.mapped_profile import MappedProfile
from traces.model import Profile, Trace
from traces.values import Clock, Counts, ProfileKind

SUMS = "sums per stack"


def what_it_is(profile: Profile) -> str:
    """What a profile without times is, in a few words: the reason of a refusal."""
    if isinstance(profile, MappedProfile) and profile.inverted:
        return "an inverted tree: it has no times"
    if not profile.axis.is_time and profile.kind is ProfileKind.EVENTED:
        return f"calls along an axis of {profile.axis.value}: it has no times"
    if profile.counts is not Counts.NONE and profile.facts.count_value is None:
        return "samples without times"
    return f"{SUMS}: it has no times"


def is_in_order(profile: Profile) -> bool:
    """Whether its rows can be drawn one after the other: they have times, or are calls in the order of the file."""
    return profile.has_times or profile.kind is ProfileKind.EVENTED


def need_times(profiles: Sequence[Profile], question: str) -> None:
    """Returns nothing; raises NoTimes where one of them has no moments, or several have each a clock of its own.

    `question` completes "... cannot be said".
    """
    for profile in profiles:
        if not profile.has_times:
            raise NoTimes(
                f"{profile.handle} is {what_it_is(profile)}. So {question} cannot be said. It can say which functions "
                "take most, who calls them, and the call tree: ask for those, without a window."
            )
    if len(profiles) > 1 and any(profile.clock is Clock.OWN for profile in profiles):
        raise NoTimes(
            f"these {len(profiles)} profiles have each a clock of its own, so {question} cannot be said of all of them "
            "together. Ask of one profile."
        )


def timed(profiles: Iterable[Profile]) -> list[Profile]:
    """Those that have moments."""
    return [profile for profile in profiles if profile.has_times]


def from_starts(profiles: Sequence[Profile], handle: str, at: float) -> tuple[float, float | None]:
    """A moment on the axis of one of some profiles: from that profile's start, as everywhere of a single call, and on
    the trace's clock where that is another number; None where it is the same, or the profile has a clock of its own.
    """
    own = next(profile for profile in profiles if profile.handle == handle)
    is_other = own.clock is Clock.TRACE and own.axis.is_time and own.axis_start != 0
    return float(at - own.axis_start), float(at) if is_other else None


def duration_ns(trace: Trace) -> int | None:
    """How long the recording is: from the first moment to the last of all profiles on the trace's clock, else of the
    longest profile with a clock of its own; None where nothing has moments."""
    return trace.duration_ns
