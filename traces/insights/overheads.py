"""What programs do besides their purpose, recognised by the names of functions: one detector a kind."""

from collections.abc import Callable, Sequence
from functools import partial

from traces.analysis.units import format_share
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, passed
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.values import Unit


def named_share(
    subject: Subject,
    pattern: str,
    what: str,
    advice: str,
    low: str,
    high: str,
    *,
    own: bool = False,
    is_specific: bool = False,
) -> Verdict:
    """A verdict on the share of a pattern's functions with what they call (`own`: alone). `is_specific` names belong to
    nothing else, whoever does the work below them."""
    found = subject.category(pattern, own=own)
    if found.share < threshold(low):
        return passed(f"{format_share(found.share)} is {what} by name", share=found.share)
    # What a name only passes on to others may be called so for another reason.
    alone = subject.category(pattern, own=True).share
    entries = found.entries
    rows, weights = subject.entering(pattern)
    outside = ~subject.own.frames[subject.heavy.frame[rows]]
    is_library = pattern in NAMED_FOR_IT and 2 * weights[outside].sum() > weights.sum()
    asks = subject.own.weightiest(*subject.entering(pattern)) if CAUSE_OF.get(pattern) else None
    if asks is not None and f"f{asks}" not in {one.handle for one in entries}:
        entries = (subject.evidence(asks, subject.frames.total_value), *entries)
    most = "most of it {1}, called from {0}" if len(entries) > len(found.entries) else "most of it {0}"
    itself = Severity.MEDIUM if found.share >= threshold(high) else Severity.LOW
    return Verdict(
        State.FAIL,
        f"{format_share(found.share)} ({subject.amount(found.value)}) is {what} by name, {most}.",
        itself if is_specific or is_library or alone >= threshold(low) else Severity.INFO,
        entries,
        profile=subject.profile.handle,
        share=found.share,
        advice=advice,
        names_cause=found.share >= threshold(CAUSE_FROM.get(pattern, high)) and subject.unit is not Unit.BYTES,
    )


def by_name(
    pattern: str, what: str, advice: str, *, low: str = "overhead.low", high: str = "overhead.high", own: bool = False
) -> Callable[[Subject], Verdict]:
    """The detecting function of a pattern."""
    return partial(named_share, pattern=pattern, what=what, advice=advice, low=low, high=high, own=own)


NamedOverhead = tuple[str, Kind, str, str, str, str, str]
"""Name, kind and title of a detector, its pattern, what that pattern is, the advice, and the lower threshold."""


def named_detectors(named: Sequence[NamedOverhead]) -> tuple[Detector, ...]:
    """A detector each; of waiting only what the named functions take alone counts."""
    return tuple(
        Detector(
            name,
            kind,
            title,
            f"{what}, by the names of functions",
            by_name(pattern, what, advice, low=low, high="overhead.high", own=kind is Kind.WAITING),
            (low, "overhead.high"),
            (f"Who calls the {title.lower()}?",),
            Confidence.LOW,
        )
        for name, kind, title, pattern, what, advice, low in named
    )


KINDS = (
    ("serialisation", "Serialisation", "encoding and decoding data",
     "Parse once, move fewer fields, use a faster or binary format, or stream."),
    ("logging", "Logging", "logging", "Log less on hot paths, guard costly arguments, write asynchronously."),
    ("regular-expressions", "Regular expressions", "matching or compiling regular expressions",
     "Compile once outside loops, anchor the pattern, or use plain string functions."),
    ("dates", "Date handling", "parsing and formatting dates",
     "Keep timestamps as numbers; parse a fixed format once, without a general parser."),
    ("compression", "Compression", "compressing and decompressing",
     "Use a lower level or a faster codec, and do not compress what is compressed already."),
    ("cryptography", "Cryptography", "hashing and encryption",
     "Reuse connections and digests; use a fast hash where nobody attacks."),
    ("sorting", "Sorting", "sorting", "Sort once, keep it sorted, use a heap for the top few, or a cheaper key."),
    ("linear-search", "Linear search", "searching through lists and text",
     "Look things up in a set or a map built once; in a loop this grows with the square."),
    ("copying", "Copying", "copying memory and objects", "Pass references or views; copy only what changes."),
    ("text-building", "Building text", "building and formatting strings",
     "Collect parts and join once; format only what is shown."),
    ("map-access", "Hashing and comparing keys", "map accesses, hashing and comparing keys",
     "Hold the entry instead of looking it up again; use smaller keys or an array."),
    ("exceptions", "Exceptions", "raising and describing exceptions",
     "Do not use exceptions for what happens often; avoid stack traces where nobody reads them."),
    ("reflection", "Reflection", "reflection and dynamic attributes",
     "Resolve members once and keep them, or generate the code."),
    ("module-loading", "Loading modules", "loading and linking modules",
     "Load lazily what the start does not need; bundle or precompile; measure after the start."),
    ("file-access", "File access", "file system calls", "Read in larger pieces, cache, and do fewer stats and syncs."),
)  # fmt: skip
CAUSE_OF = {
    "serialisation": "serialisation",
    "logging": "logging",
}
"""The kinds that are a cause as soon as they weigh."""
NAMED_FOR_IT = frozenset({"logging"})
"""The kinds whose library functions do nothing else, whoever does the work below them."""
CAUSE_FROM = {"serialisation": "serialisation.cause"}
"""From which share they are: programs that store what they make spend some time on that."""
DETECTORS = (
    *(
        Detector(
            id=pattern,
            kind=Kind.OVERHEAD,
            title=title,
            about=f"{what}, by the names of functions",
            detect=by_name(pattern, what, advice),
            thresholds=("overhead.low", "overhead.high", *filter(None, [CAUSE_FROM.get(pattern)])),
            questions=(f"Who calls the {title.lower()}?",),
            confidence=Confidence.LOW,
            cause=CAUSE_OF.get(pattern),
        )
        for pattern, title, what, advice in KINDS
    ),
    Detector(
        id="boxing",
        kind=Kind.OVERHEAD,
        title="Boxing",
        about="turning numbers into objects, by the names of functions",
        detect=by_name(
            "boxing",
            "turning numbers into objects",
            "Use arrays and collections of plain numbers.",
            low="boxing.share",
            own=True,
        ),
        thresholds=("boxing.share", "overhead.high"),
        questions=("Who boxes numbers?",),
        confidence=Confidence.LOW,
    ),
)
