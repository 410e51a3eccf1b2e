"""Transforms as commands, tools, addresses and pictures ask for them: the recording with other call trees, and in words
what that leaves of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from server.agent.tools.contract.resolving import chosen_selection, profile_choice
from server.quoting import plain, quoted
from traces.analysis.selection import select
from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.errors import InvalidQuestion
from traces.handles import ALL, ProfileChoice
from traces.model import Trace
from traces.transforms.transformed import LARGEST_INVERTED, Left, profile_of_subtree, transformed, what_is_left
from traces.transforms.vocabulary import Transforms, parsed_transforms

TRANSFORM_FIELDS = frozenset({"transforms", "left"})
NOTHING_LEFT = "nothing is left: leave the last transform out"


@dataclass(frozen=True, slots=True)
class Changed:
    """A recording with other call trees, the profile that they are of, and what they leave; `left` is None where there
    are no transforms."""

    trace: Trace
    recorded: Trace
    profile: ProfileChoice
    transforms: Transforms
    left: Left | None

    @property
    def profile_argument(self) -> str | None:
        """The profile as a tool's argument."""
        return None if self.profile is None else ALL if self.profile == ALL else f"p{self.profile}"

    def in_words(self, show: Callable[[str], str]) -> str | None:
        """`hide parse, drop libraries: 320 ms of 1.2 s (27%) left`; names made fit to be shown by `show`."""
        if self.left is None:
            return None
        steps = self.transforms.in_words(self.recorded, show)
        if self.left.is_nothing:
            return f"{steps}: {NOTHING_LEFT}"
        left, of = (format_value(amount, self.left.unit) for amount in (self.left.left, self.left.of))
        deep = ""
        if self.transforms.inverts:
            deep = f"; callers are followed of the {LARGEST_INVERTED:,} heaviest paths"
        return f"{steps}: {left} of {of} ({format_share(self.left.share)}) left{deep}"

    def inside(self, window: Window | None, value: str | None = None) -> "Changed":
        """The same, with what they leave inside a window. Raises NoTimes."""
        if self.left is None or window is None:
            return self
        before, after = (select(trace, self.profile, value=value) for trace in (self.recorded, self.trace))
        return replace(self, left=what_is_left(before, after, window))

    def remarks(self) -> tuple[str, ...]:
        """What a picture says of them."""
        words = self.in_words(lambda name: plain(name, 60))
        return () if words is None else (words,)

    def for_tool(self) -> tuple[list[str], dict[str, Any]]:
        """What a tool's text and data say of the transforms; nothing without any."""
        words = self.in_words(lambda name: quoted(name, 80))
        if words is None or self.left is None:
            return [], {}
        return [words], {"transforms": str(self.transforms), "left": float(self.left.left)}

    def as_json(self) -> dict[str, Any] | None:
        """The text of the transforms, each of them with its words, and what they leave."""
        if self.left is None:
            return None
        return {
            "text": str(self.transforms),
            "items": [{"text": str(one), "words": one.in_words(self.recorded, str)} for one in self.transforms],
            "left": self.left.left,
            "of": self.left.of,
        }


def changed_by(
    trace: Trace,
    transforms: Transforms,
    profile: str | None,
    *,
    value: str | None = None,
    window: Window | None = None,
) -> Changed:
    """The recording with the transforms done in a profile (a handle, a name, `all`; that of a subtree focused on, or
    the main one, where it is None). Raises ToolRetry, TraceError."""
    if not transforms:
        choice = None if profile is None else profile_choice(chosen_selection(trace, profile))
        return Changed(trace, trace, choice, transforms, None)
    index = profile_of_subtree(trace, transforms) if profile is None else None
    before = select(trace, index if profile is None else profile_choice(chosen_selection(trace, profile)), value=value)
    choice = profile_choice(before)
    after = transformed(trace, transforms, choice, value=value, window=window)
    left = what_is_left(before, select(after, choice, value=value), window)
    return Changed(after, trace, choice, transforms, left)


def changed_for_tool(trace: Trace, text: str | None, profile: str | None, *, value: str | None = None) -> Changed:
    """The recording that a tool is asked of; its argument `transforms` may invert nothing. Raises ToolRetry,
    TraceError."""
    return changed_by(trace, refuse_inverting(parsed_transforms(text)), profile, value=value)


def refuse_inverting(transforms: Transforms) -> Transforms:
    """The transforms, for a question that is the same upside down. Raises InvalidQuestion for `invert`."""
    if transforms.inverts:
        raise InvalidQuestion("inverting makes no difference to the figures of functions: leave invert out.")
    return transforms
