"""Causes whose own functions are in no stack: encoding that a runtime inlines into its caller, and awaits of which only
the event loop's wait was sampled. The functions around them show what happens.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from traces.analysis.units import format_share
from traces.equal_rows import distinct
from traces.insights.culprits import frames_of
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Int64
from traces.values import Unit, Waits

INVERSES = (
    ("serialize", "deserialize"),
    ("serialise", "deserialise"),
    ("marshal", "unmarshal"),
    ("stringify", "parse"),
    ("pickle", "unpickle"),
    ("encode", "decode"),
    ("freeze", "thaw"),
    ("dump", "load"),
    ("dumps", "loads"),
    ("pack", "unpack"),
    ("to", "from"),
)
"""What libraries call the two ways of a format: Storable's `freeze` and `thaw`, Python's `dumps` and `loads`, `toJSON`
and `fromJSON` and so on."""
PREPOSITIONS = ("to", "from")
"""Words that name a format only at the beginning and before another."""
WAY = {word: (pair[0], side) for pair in INVERSES for side, word in enumerate(pair)}
WORD = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
COMPREHENSION = lazy_regex(r"(?:^|\.)<(?:list|dict|set)comp>$")
"""CPython's own frame for one, up to 3.11."""
TASK_STEP = lazy_regex(r"^(?:Handle\.)?_run$")
LOOP_WAIT = lazy_regex(r"(?:epoll|devpoll)\.poll|kqueue\.control|^(?:\w*Selector\.)?select$|GetQueuedCompletionStatus")
AWAITED = lazy_regex(
    r"(?:^|\.)(?:open_connection|open_unix_connection|create_connection|_connect_sock|sock_(?:connect|recv|sendall)|"
    r"_sock_connect|read|readline|readuntil|readexactly|_wait_for_data|drain|wait_for|sleep|getaddrinfo|to_thread)$"
)
"""asyncio's coroutines that wait for somebody's answer."""


def _round_trips(subject: Subject) -> Iterator[tuple[float, int, int, int]]:
    """What two inverse functions take together below one function of the program, with that function and the two."""
    own, tree = subject.own, subject.heavy
    ways: dict[tuple[str, tuple[str, ...]], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for frame in frames_of(tree).tolist():
        if own.frames[frame]:
            words = tuple(
                word.lower() for word in WORD.findall(re.split(r"[.:#/]", subject.trace.frame_name(frame))[-1])
            )
            for place, word in enumerate(words):
                if word in WAY and (word not in PREPOSITIONS or (place == 0 and len(words) > 1)):
                    pair, side = WAY[word]
                    ways[pair, words[:place] + words[place + 1 :]][side].append(frame)
    for sides in ways.values():
        if not all(sides):
            continue
        both = np.zeros(len(subject.trace.frames), np.bool_)
        both[[*sides[0], *sides[1]]] = True
        callers, parts, heaviest = [], [], []
        for frames in sides:
            rows = own.entering(both & np.isin(np.arange(len(both)), frames))
            callers.append(own.weightiest(rows, tree.total[rows], but=both) if len(rows) else None)
            parts.append(float(tree.total[rows].sum()))
            heaviest.append(int(tree.frame[rows[np.argmax(tree.total[rows])]]) if len(rows) else NONE)
        if (
            callers[0] is not None
            and callers[0] == callers[1]
            and min(parts) >= threshold("overhead.low") * subject.total
        ):
            yield sum(parts), callers[0], heaviest[0], heaviest[1]


def _round_trip(subject: Subject) -> Verdict:
    if subject.unit is Unit.BYTES or subject.profile.waits is Waits.WAITING:
        return not_applicable("it does not measure work")
    value, caller, there, back = max(_round_trips(subject), default=(0.0, NONE, NONE, NONE))
    share = value / subject.total if subject.total else 0.0
    if share < threshold("serialisation.cause"):
        return passed(f"{format_share(share)} is in two inverse functions below one caller", share=share)
    return Verdict(
        State.FAIL,
        f"{{0}} encodes with {{1}} what it decodes again with {{2}}: {subject.amount(value)} ({format_share(share)}) "
        "is this serialisation, there and back.",
        Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in (caller, there, back)),
        profile=subject.profile.handle,
        share=min(share, 1.0),
        advice="Avoid the round trip: encode only what changed, copy with structured cloning, or pass the object on.",
        # Names of this kind with most of the time, both below one caller, are no chance.
        confidence=Confidence.MEDIUM if share >= threshold("hot-function.high") else Confidence.LOW,
    )


def _awaits(subject: Subject) -> Verdict:
    if not subject.unit.is_time or subject.profile.waits is Waits.WAITING:
        return not_applicable("it does not measure waiting")
    own, tree = subject.own, subject.heavy
    steps = own.above(own.named(TASK_STEP)[tree.frame])
    if not (steps != NONE).any():
        return not_applicable("no step of a task on an event loop was recorded")
    polls = own.entering(own.named(LOOP_WAIT))
    polls = polls[steps[polls] == NONE]
    waited = float(tree.total[polls].sum())
    share = waited / subject.total
    within = own.above(own.named(COMPREHENSION)[tree.frame])
    asks = _awaiting(subject, np.where(steps != NONE, within, NONE))
    work = own.entering(own.frames & ~own.named(TASK_STEP))
    done = float(tree.total[work[steps[work] != NONE]].sum())
    comprehensions = distinct(within[asks]).astype(np.int64)
    below = float(tree.total[comprehensions].sum())
    if share < threshold("hot-function.high") or not len(asks) or 2 * below < done:
        return passed("no comprehension awaits while the event loop waits for most of the time", share=share)
    caller = own.weightiest(comprehensions, tree.total[comprehensions])
    awaited = own.weightiest(asks, tree.total[asks])
    frames = [frame for frame in dict.fromkeys((caller, awaited)) if frame is not None]
    if not frames:
        return passed("what awaits in a comprehension is no function of the program")
    what = "{1}" if len(frames) > 1 else "its calls"
    return Verdict(
        State.FAIL,
        f"{{0}} awaits {what} in a comprehension, one after the other, while the event loop waits "
        f"{subject.amount(waited)} ({format_share(share)}).",
        Severity.HIGH,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in frames),
        profile=subject.profile.handle,
        share=min(share, 1.0),
        advice="If none needs another's answer, start them together (gather, a task group) and await them all.",
    )


def _awaiting(subject: Subject, within: Int64) -> Int64:
    """The rows of asyncio's waiting coroutines below one of the chosen rows, with a function of the program between."""
    own, tree = subject.own, subject.heavy
    rows = np.flatnonzero(own.named(AWAITED)[tree.frame] & (within != NONE))
    kept = [
        row
        for row in rows.tolist()
        if "asyncio" in (subject.trace.frame_file(int(tree.frame[row])) or "") and own.nearest[row] > within[row]
    ]
    return np.array(kept, np.int64)


DETECTORS = (
    Detector("round-trip", Kind.OVERHEAD, "Serialisation", "encoding and decoding below one function, by a pair "
             "of names", _round_trip, ("overhead.low", "serialisation.cause", "hot-function.high"),
             ("What changes between the two?",), Confidence.LOW, "serialisation"),
    Detector("awaits-in-turn", Kind.WAITING, "Serial waits", "awaits in a comprehension while the event loop waits",
             _awaits, ("hot-function.high",), ("What could run at the same time?",), Confidence.MEDIUM,
             "serial_waits"),
)  # fmt: skip
