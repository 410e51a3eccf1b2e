"""Which format a file is of: the order of asking, and what a refusal advises."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from traces.bounds import DETECTION_BYTES, FIRST_LINE_BYTES
from traces.decompression import unwrapped
from traces.errors import DamagedTrace, TraceError, UnrecognisedTrace
from traces.formats.austin import AUSTIN, AUSTIN_MOJO
from traces.formats.call_graph import CALLGRIND, GPROF2DOT, PSTATS
from traces.formats.call_tree import HASKELL, MEMRAY, PYINSTRUMENT
from traces.formats.firefox import CLEOPATRA, FIREFOX
from traces.formats.format import Format
from traces.formats.head import Head, outline
from traces.formats.instruments import INSTRUMENTS, INSTRUMENTS_TRACE
from traces.formats.jfr import ASYNC_PROFILER, JFR
from traces.formats.json_repair import repairs, size_without_padding
from traces.formats.nettrace import NETTRACE
from traces.formats.nsys import NSYS
from traces.formats.perf import LINUX_PERF, PERF_DATA
from traces.formats.perfetto import PERFETTO
from traces.formats.pprof_otlp import OTLP, PPROF, PPROF_LEGACY
from traces.formats.ruby import RBSPY, STACKPROF
from traces.formats.safari import SAFARI
from traces.formats.speedscope import SPEEDSCOPE
from traces.formats.text import COLLAPSED, PAPYRUS, PMCSTAT
from traces.formats.trace_event import CHROME, TRACE_EVENT
from traces.formats.v8 import CPUPROFILE, HEAP_PROFILE, V8_LOG
from traces.lazy_regex import lazy_regex

FORMATS = (
    PPROF_LEGACY,
    PPROF,
    OTLP,
    SPEEDSCOPE,
    HEAP_PROFILE,
    FIREFOX,
    CLEOPATRA,
    SAFARI,
    INSTRUMENTS,
    INSTRUMENTS_TRACE,
    JFR,
    PERFETTO,
    PERF_DATA,
    NETTRACE,
    CPUPROFILE,
    TRACE_EVENT,
    V8_LOG,
    PSTATS,
    PYINSTRUMENT,
    MEMRAY,
    GPROF2DOT,
    RBSPY,
    AUSTIN_MOJO,
    NSYS,
    ASYNC_PROFILER,
    STACKPROF,
    HASKELL,
    PAPYRUS,
    PMCSTAT,
    LINUX_PERF,
    CALLGRIND,
    AUSTIN,
    COLLAPSED,
)
"""In the order of asking: the surest signs first, plain text last."""
BY_NAME = {known.name: known for known in (*FORMATS, CHROME)}
"""Every format that a trace may be of."""

START = 256
BLANKS = lazy_regex(rb"(?:[ \t\r\n]++|#[^\n]*+\n)*+")
MOST_REMARKS, FEW_REMARKS = 10, 3
"""Lines before a recording: as many before JSON, as few before other text, which is read line by line."""
ADVICE = (
    (
        re.compile(rb"memray\0"),
        "memray's own recording. Run `memray flamegraph` on it and choose the page that it makes",
    ),
    (
        re.compile(rb"^PERFILE2|^PERFFILE|^2ELIFREP"),
        "perf's own recording, old or of a big-endian machine. Run `perf script` on it there, choose what that prints",
    ),
    (re.compile(rb"^\x04\x08[\[{]"), "Ruby's own format. Write it as JSON: `JSON.generate(StackProf.results)`"),
    (
        re.compile(rb"^Nettrace"),
        "a .nettrace of a version not read. Run `dotnet-trace convert --format Speedscope` and choose what that writes",
    ),
    (re.compile(rb"^gmon"), "gprof's recording. Record with `perf record -g` or callgrind instead"),
    (re.compile(rb"^desc: .*\ncmd: .*\ntime_unit: "), "massif's log of heap sizes. Record with callgrind instead"),
)
"""Files that people take for traces but that only their own tool reads: what to make of them instead."""


@dataclass(frozen=True, slots=True)
class Detected:
    """The format of a content, in which `remarks` lines that a program printed before it became blanks."""

    format: Format
    content: memoryview
    remarks: int = 0


def detect(content: memoryview, name: str) -> Detected:
    """The format of decompressed content, by its first bytes. Raises UnrecognisedTrace, or DamagedTrace (JSON)."""
    head = Head.of(content[:DETECTION_BYTES], name)
    found = _detected(head, content, name) or _behind_blanks(content, name) or _behind_remarks(head, content, name)
    if found is None and 0 < (size := size_without_padding(content)) < len(content):
        found = _detected(Head.of(content[: min(size, DETECTION_BYTES)], name), content[:size], name)
    if found is not None:
        return found
    if (advice := advice_for(head)) is not None:
        raise UnrecognisedTrace(f"{name}: this is {advice}.")
    from traces.formats.foreign import kind_of  # noqa: PLC0415 - 3 ms that what is known need not wait for

    if not head.data.strip():
        head = Head.of(content[_blanks(content) :][:DETECTION_BYTES], name)
    kind = kind_of(head)
    raise UnrecognisedTrace(f"{name}: this is {kind.what}. {kind.step}.")


def _detected(head: Head, content: memoryview, name: str) -> Detected | None:
    known = _format_of(head)
    if known is None and len(content) > DETECTION_BYTES:
        known = _format_of(_more_of(head, content, name))
    return Detected(known, content) if known is not None else None


def _blanks(content: memoryview) -> int:
    found = BLANKS.match(content)
    return found.end() if found is not None else 0


def _behind_blanks(content: memoryview, name: str) -> Detected | None:
    """What stands behind blank lines and comments, which may be longer than a head: readers of lines skip them."""
    at = _blanks(content)
    if not 0 < at < len(content):
        return None
    found = _detected(Head.of(content[at : at + DETECTION_BYTES], name), content[at:], name)
    if found is None:
        return None
    comments = sum(line.startswith(b"#") for line in bytes(content[:at]).split(b"\n"))
    if not comments or outline(bytes(content[at : at + START])) is None:
        return Detected(found.format, content)
    return Detected(found.format, memoryview(b"".join((b" " * at, content[at:]))), comments)


def _behind_remarks(head: Head, content: memoryview, name: str) -> Detected | None:
    """What stands behind a few lines that a program printed into the same file."""
    if head.text is None or (head.json is not None and head.json.root == "object"):
        return None
    at = 0
    for remarks in range(1, MOST_REMARKS + 1):
        at = head.data.find(b"\n", at) + 1
        if not at:
            return None
        behind = Head.of(content[at : at + DETECTION_BYTES], name)
        known = _format_of(behind) if behind.json is not None or remarks <= FEW_REMARKS else None
        if known is None and behind.json is not None and len(content) > DETECTION_BYTES:
            known = _format_of(_more_of(behind, content[at:], name))
        if known is not None and known is not COLLAPSED:  # of which any line may be one
            rest = content[at:] if behind.json is None else memoryview(b"".join((b" " * at, content[at:])))
            return Detected(known, rest, remarks)
    return None


def is_trace(start: bytes, name: str) -> bool:
    """Whether a file with these first bytes is of a known format, packed or not."""
    try:
        content = unwrapped(memoryview(start), name, _is_none).content
    except TraceError:
        return False
    return _format_of(Head.of(content[:DETECTION_BYTES], name)) is not None


def _is_none(start: bytes, name: str) -> bool:
    """An archive in an archive is not looked into: it may hold itself."""
    return False


def _format_of(head: Head) -> Format | None:
    return next((known for known in FORMATS if known.looks_like(head)), None)


def _more_of(head: Head, content: memoryview, name: str) -> Head:
    """What identifies the format may stand behind a long value: the names of top-level values, or a text's first line.

    Raises DamagedTrace.
    """
    if head.json is not None and head.json.root == "object":
        members = next((found for each in _readings(content) if (found := _members_of(each)) is not None), None)
        if members is None:
            raise DamagedTrace(f"{name}: its JSON is truncated or malformed. Record or export it again.")
        return head.with_keys(members)
    if head.json is None and head.text is not None and b"\n" not in head.data:
        return Head.of(bytes(content[:FIRST_LINE_BYTES]).partition(b"\n")[0], name)
    return head


def _readings(content: memoryview) -> Iterator[memoryview]:
    """The content, and what it is when it is repaired."""
    yield content
    yield from (repaired.content for repaired in repairs(content))


def _members_of(content: memoryview) -> Iterable[str] | None:
    import msgspec  # noqa: PLC0415 - 9 ms that what is known by its first bytes need not wait for

    try:
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def advice_for(head: Head) -> str | None:
    """What the file is and what to do with it, or None."""
    start = head.data[:START]
    return next((advice for sign, advice in ADVICE if sign.search(start)), None)
