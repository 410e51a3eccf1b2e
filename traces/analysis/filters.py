"""Which frames a question shows: only one's own code, or what a pattern leaves.

A hidden function's own value goes to the nearest shown caller, so that totals stay true.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.equal_rows import distinct
from traces.errors import InvalidQuestion
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Trace

MAX_PATTERN = 200
"""Longer ones are not typed by people, and an expression's cost grows with it."""

LIBRARY_FILE = lazy_regex(
    r"(?:^|[/\\])(?:node_modules|site-packages|dist-packages|bower_components|jspm_packages|gems|rubygems)[/\\]"
    r"|(?:^|[/\\])(?:lib(?:32|64)?[/\\]python\d|lib[/\\]ruby|ruby[/\\]\d|go[/\\]src|go[/\\]pkg[/\\]mod|pkg[/\\]mod|vendor)"
    r"[/\\.\d]"
    r"|^/usr/(?:lib|lib64|include|libexec)/|^/lib(?:32|64)?/|[/\\]\.cargo[/\\]registry|[/\\]rustc[/\\]|[/\\]rustlib[/\\]"
    r"|^(?:node|internal|native|chrome-extension|moz-extension|extensions|chrome|resource|deno|bun|ext|wasm|php):"
    r"|^(?:internal[/\\]|evalmachine|native |<frozen |<built-?in|<string>|<__array_function__|~$|\[.*\]$)"
    r"|^(?:archive|bufio|bytes|cmp|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|go|"
    r"hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|"
    r"strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe|weak)/[\w./-]*\.(?:go|s)$"
    r"|[/\\](?:Zend|Symfony|Doctrine|Illuminate|PHPUnit|PEAR)[/\\]"
    r"|\.so(?:\.\d+)*$|\.dylib$|\.dll$|\.framework[/\\]|^unknown$"
)
"""Where package managers and language distributions put code that is not the project's; Go's standard library where
`-trimpath` left its packages' names alone."""

LIBRARY_NAME = lazy_regex(
    r"^(?:java|javax|jdk|sun|kotlin|kotlinx|scala|android|androidx|System|Microsoft)\."
    r"|^(?:Zend_|PHPUnit_|PEAR_?|(?:Symfony|Doctrine|Illuminate|PHPUnit|Composer|Twig)\\)"
    r"|^(?:runtime|syscall|sync|reflect|std|core|alloc|__libc|__GI|__pthread|_dl)(?:\.|::|_)"
    r"|^\((?:program|garbage collector|root|idle|native)\)|\[native code\]|_\[[kj]\]$"
    r"|(?:node_modules|site-packages|dist-packages)[/\\]|lib[/\\]python\d|<frozen |<built-in|\{built-in|^\[.*\]$"
)
"""The same for frames without a file: runtimes, packages of language vendors, paths inside the name."""


@dataclass(frozen=True, slots=True)
class FrameFilter:
    """`hide_libraries` leaves one's own code; `hide` and `only` are text in the name or file, any case."""

    hide_libraries: bool = False
    hide: str | None = None
    only: str | None = None

    def __bool__(self) -> bool:
        return self.hide_libraries or bool(self.hide) or bool(self.only)


def shown_frames(trace: Trace, frame_filter: FrameFilter) -> npt.NDArray[np.bool_]:
    """Whether each frame of the trace is shown. Raises InvalidQuestion when none is, or a pattern is too long."""
    shown = np.ones(len(trace.frames), bool)
    if frame_filter.hide_libraries:
        shown &= ~library_frames(trace)
    if frame_filter.hide:
        shown &= ~frames_that(trace, pattern(frame_filter.hide))
    if frame_filter.only:
        shown &= frames_that(trace, pattern(frame_filter.only))
    if not shown.any():
        raise InvalidQuestion("the filter hides every function of this trace: loosen it.")
    return shown


def library_frames(trace: Trace) -> npt.NDArray[np.bool_]:
    """Whether each frame is a library's or the runtime's, by its file, or by its name where it has none.

    In a trace most of whose frames have a file, those without one are native code: libraries too.
    """
    placed = trace.frames.file != NONE
    by_file = _by_string(trace, trace.frames.file, lambda text: LIBRARY_FILE.search(text) is not None)
    by_file |= _inlined_into(trace, by_file)
    if placed.mean() > 0.5:
        by_file[~placed] = True
        return by_file
    by_name = _by_string(trace, np.where(placed, NONE, trace.frames.name), lambda t: LIBRARY_NAME.search(t) is not None)
    return np.logical_or(by_file, by_name)


RESERVED = lazy_regex(r"_[_A-Z]")


def _inlined_into(trace: Trace, library: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Frames that perf calls inlined, without their file, where whatever calls them is a library's or such a frame, or
    whose names C reserves for its library (C11, 7.1.3: an underscore, then another or a capital)."""
    inlined = _by_string(trace, trace.frames.file, lambda text: text.strip("()") == "inlined")
    found = inlined.copy()
    if not inlined.any():
        return found
    found &= _by_string(trace, trace.frames.name, lambda text: RESERVED.match(text) is not None)
    pairs = []
    for profile in trace.profiles:
        tree = profile.tree
        rows = np.flatnonzero(inlined[tree.frame] & (tree.parent >= 0))
        pairs.append(np.stack((tree.frame[rows], tree.frame[tree.parent[rows]])))
    callee, caller = np.concatenate(pairs, axis=1)
    while True:
        own = np.zeros(len(inlined), np.bool_)
        own[callee[~(library | found)[caller]]] = True
        called = np.zeros(len(inlined), np.bool_)
        called[callee] = True
        more = inlined & called & ~own & ~found
        if not more.any():
            return found
        found |= more


def pattern(text: str, *, regex: bool = False) -> re.Pattern[str]:
    """The expression that finds a text (or is one), any case. Raises InvalidQuestion for a broken or long one."""
    if len(text) > MAX_PATTERN:
        raise InvalidQuestion(f"the pattern is longer than {MAX_PATTERN} characters.")
    try:
        return re.compile(text if regex else re.escape(text), re.IGNORECASE)
    except re.error as error:
        raise InvalidQuestion(f"the pattern is no regular expression: {error}.") from error


def frames_that(trace: Trace, matcher: re.Pattern[str]) -> npt.NDArray[np.bool_]:
    """Whether the expression is found in each frame's name or file."""
    by_name, by_file = (
        _by_string(trace, column, lambda text: matcher.search(text) is not None)
        for column in (trace.frames.name, trace.frames.file)
    )
    return np.logical_or(by_name, by_file)


def _by_string(trace: Trace, column: npt.NDArray[np.integer], test: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
    """A test's answer for the string of each row (False without one); each string is looked at once."""
    answers = np.zeros(len(trace.strings) + 1, bool)  # the last row answers for NONE
    for string in distinct(column).tolist():
        if string != NONE and test(trace.strings[string]):
            answers[string] = True
    found: npt.NDArray[np.bool_] = answers[column]
    return found
