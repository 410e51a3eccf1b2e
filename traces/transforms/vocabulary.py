"""What can be done to a call tree, in one form of text for addresses, commands and tools.

The names are Firefox Profiler's (docs-user/guide-filtering-call-trees.md of firefox-devtools/profiler); `drop-library`
is our own. The text is `focus-function:f12,drop-function:f3,collapse-recursion`: done in this order, what stands behind
a colon percent-encoded where it has a comma or a per cent sign. docs/viewer.md has the table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from traces.errors import InvalidQuestion, TraceError
from traces.handles import frame_behind, parse_handle, resolve
from traces.model import Trace

MOST = 20
"""More than a person undoes one by one."""
LONGEST_TEXT = 4_000
"""Characters of all of them: as long as the address of a view."""
LONGEST_ARGUMENT = 1_000


class Kind(StrEnum):
    """One way to make another tree; a sample is what a thread spent with one stack."""

    FOCUS_FUNCTION = "focus-function"  #: Only samples with the function; stacks begin with its outermost call.
    FOCUS_SUBTREE = "focus-subtree"  #: Only one node with what it calls.
    DROP_FUNCTION = "drop-function"  #: Samples with the function go.
    MERGE_FUNCTION = "merge-function"  #: The function goes: what it spent and calls is its caller's.
    COLLAPSE_RECURSION = "collapse-recursion"  #: Recursive calls are merged into the outermost: of one function or all.
    COLLAPSE_FUNCTION_SUBTREE = "collapse-function-subtree"  #: What the function calls is its own.
    DROP_LIBRARY = "drop-library"  #: Libraries' frames are merged into their callers.
    FILTER_SAMPLES = "filter-samples"  #: Only samples with a function whose name or file has the text.
    INVERT = "invert"  #: Bottom up: functions by self, below them their callers. Comes last.


ALIASES = {
    "hide": Kind.DROP_FUNCTION,
    "merge": Kind.MERGE_FUNCTION,
    "collapse": Kind.COLLAPSE_FUNCTION_SUBTREE,
    "search": Kind.FILTER_SAMPLES,
}
"""Short words; `focus` is of a function or, with a node or span, of a subtree."""
WITHOUT_ARGUMENT = frozenset({Kind.DROP_LIBRARY, Kind.INVERT})
WORDS = {
    Kind.FOCUS_FUNCTION: "focus on",
    Kind.FOCUS_SUBTREE: "focus on the subtree",
    Kind.DROP_FUNCTION: "hide",
    Kind.MERGE_FUNCTION: "merge",
    Kind.COLLAPSE_RECURSION: "collapse recursion",
    Kind.COLLAPSE_FUNCTION_SUBTREE: "collapse",
    Kind.DROP_LIBRARY: "drop libraries",
    Kind.FILTER_SAMPLES: "only with",
    Kind.INVERT: "invert",
}


@dataclass(frozen=True, slots=True)
class Transform:
    """`argument` is a function (`f12`, its exact name, or a part of it between stars), a node or span for a subtree,
    the text looked for; None where there is none."""

    kind: Kind
    argument: str | None = None

    def __post_init__(self) -> None:
        needs = self.kind not in WITHOUT_ARGUMENT and self.kind is not Kind.COLLAPSE_RECURSION
        if needs and not self.argument:
            raise InvalidQuestion(f"{self.kind} needs {_needed(self.kind)}: {self.kind}:{_example(self.kind)}.")
        if self.argument and self.kind in WITHOUT_ARGUMENT:
            raise InvalidQuestion(f"{self.kind} takes nothing behind it.")
        if self.argument and len(self.argument) > LONGEST_ARGUMENT:
            raise InvalidQuestion(f"what {self.kind} is of has more than {LONGEST_ARGUMENT:,} characters.")

    def __str__(self) -> str:
        if not self.argument:
            return self.kind.value
        return f"{self.kind}:{self.argument.replace('%', '%25').replace(',', '%2C')}"

    def in_words(self, trace: Trace, show: Callable[[str], str]) -> str:
        """For people: the function by its name, made fit to be shown by `show`."""
        if not self.argument:
            return WORDS[self.kind]
        return f"{WORDS[self.kind]} {show(_named(trace, self))}"


@dataclass(frozen=True, slots=True)
class Transforms:
    """Transforms in the order in which they are done. Raises InvalidQuestion for more than `MOST`, and for one behind
    `invert`."""

    items: tuple[Transform, ...] = ()

    def __post_init__(self) -> None:
        if len(self.items) > MOST:
            raise InvalidQuestion(f"there are {len(self.items)} transforms; at most {MOST} are done.")
        if any(one.kind is Kind.INVERT for one in self.items[:-1]):
            raise InvalidQuestion("invert comes last: put the other transforms before it.")

    def __bool__(self) -> bool:
        return bool(self.items)

    def __iter__(self) -> Iterator[Transform]:
        return iter(self.items)

    def __str__(self) -> str:
        return ",".join(map(str, self.items))

    @property
    def inverts(self) -> bool:
        return bool(self.items) and self.items[-1].kind is Kind.INVERT

    @property
    def upright(self) -> "Transforms":
        """Without the inverting, for questions that invert themselves, or that it makes no difference to."""
        return Transforms(self.items[:-1]) if self.inverts else self

    def in_words(self, trace: Trace, show: Callable[[str], str]) -> str:
        """All of them for people, in order."""
        return ", ".join(one.in_words(trace, show) for one in self.items)


def parsed_transforms(text: str | None) -> Transforms:
    """The transforms that a text says; none for None or an empty one. Raises InvalidQuestion that names the first
    wrong one."""
    if not text or not text.strip():
        return Transforms()
    if len(text) > LONGEST_TEXT:
        raise InvalidQuestion(f"the transforms have more than {LONGEST_TEXT:,} characters.")
    return Transforms(tuple(_parsed(part) for part in text.split(",")))


def _parsed(part: str) -> Transform:
    word, _, encoded = part.strip().partition(":")
    argument = unquote(encoded).strip() or None
    word = word.strip().lower().replace("_", "-")
    if word == "focus":
        return focus_on(argument)
    if word in ALIASES:
        return Transform(ALIASES[word], argument)
    if word not in set(Kind):
        raise InvalidQuestion(f"“{word[:40]}” is no transform: there are {', '.join(Kind)}.")
    return Transform(Kind(word), argument)


def focus_on(argument: str | None) -> Transform:
    """Of a node or a span its subtree, of all else a function."""
    try:
        is_function = argument is None or parse_handle(argument).kind in ("frame", "profile")
    except TraceError:
        is_function = True
    return Transform(Kind.FOCUS_FUNCTION if is_function else Kind.FOCUS_SUBTREE, argument)


def _named(trace: Trace, transform: Transform) -> str:
    argument = transform.argument or ""
    if transform.kind is Kind.FILTER_SAMPLES:
        return argument
    try:
        return trace.frame_name(frame_behind(trace, resolve(trace, argument)))
    except TraceError:
        return argument


def _needed(kind: Kind) -> str:
    return {Kind.FOCUS_SUBTREE: "a node", Kind.FILTER_SAMPLES: "a text"}.get(kind, "a function")


def _example(kind: Kind) -> str:
    return {Kind.FOCUS_SUBTREE: "n345", Kind.FILTER_SAMPLES: "parse"}.get(kind, "f12")
