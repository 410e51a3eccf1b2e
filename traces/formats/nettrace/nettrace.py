""".NET's `.nettrace` (EventPipe), as `dotnet-trace` writes it: the samples of its profiler, a profile a thread.

Format: see nettrace_blocks; the events are described at learn.microsoft.com/dotnet/fundamentals/diagnostics
(runtime-method-events, runtime-loader-binder-events). The profiler stops all threads a thousand times a second and says
of each whether it ran managed code. The methods that the runtime lists when a recording ends name the addresses.
"""

import re
import struct
from collections import Counter
from datetime import UTC, datetime
from operator import itemgetter

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.equal_rows import numbered, rows_of_each
from traces.errors import EmptyTrace
from traces.formats.nettrace.nettrace_blocks import Contents, Kind, Start, read_blocks, utf16
from traces.kernels.trees import paths_of_stacks
from traces.losses import LOST
from traces.model import Int32, Int64
from traces.values import Unit, ValueType

SAMPLE = Kind("Microsoft-DotNETCore-SampleProfiler", 0)
RUNTIME, RUNDOWN = "Microsoft-Windows-DotNETRuntime", "Microsoft-Windows-DotNETRuntimeRundown"
METHODS = tuple(Kind(provider, number) for provider in (RUNTIME, RUNDOWN) for number in (143, 144))
"""Loaded, unloaded, and listed at the begin and end: all say where a method lies and what it is called."""
MODULES = (Kind(RUNTIME, 152), Kind(RUNTIME, 153), Kind(RUNDOWN, 153), Kind(RUNDOWN, 154))
METHOD = struct.Struct("<QQQI8x")
"""Number of the method and of its module, address, size; two numbers more, then namespace, name and signature."""
MODULE_PATH = 24
IN_MANAGED_CODE = 2
COLLECTIONS, WAITS, TICKS, EXCEPTIONS, POOL = (Kind(RUNTIME, number) for number in (1, 81, 10, 80, 55))
COUNTED = {
    COLLECTIONS: ("recorded_collections", "garbage collections", slice(0)),
    WAITS: ("recorded_lock_waits", "waits for locks", slice(0)),
    TICKS: ("recorded_allocations", "samples of allocations", slice(26, 400)),
    EXCEPTIONS: ("recorded_exceptions", "exceptions", slice(0)),
    POOL: ("recorded_pool_changes", "changes of the thread pool's size", slice(12, 16)),
}
"""Events of the runtime of which only the number is read: the code of a warning, what they are, and the part of their
payload that matters: the name of a type, behind an address of eight bytes, and a reason."""
ADDRESS = 8
TYPE = re.compile(r"[A-Za-z_][\w.+\[\],<>$]{0,119}", re.ASCII)
"""Names of types that a sentence can have: others are text of an unknown hand."""
STARVATION = b"\6"
"""The reason of a change of the pool's size that threads are missing."""
PARTS = {kind: part for kind, (_, _, part) in COUNTED.items()}
UNMANAGED = "(unmanaged code)"
TIME, SAMPLES = ValueType("time", Unit.NANOSECONDS), ValueType("samples", Unit.COUNT)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; the one that runs most managed code is the default. Raises DamagedTrace."""
    contents = read_blocks(content, SAMPLE, frozenset((*METHODS, *MODULES)), PARTS, builder)
    _count_events(contents, builder)
    builder.warn(LOST, "events were lost while recording", contents.lost)
    if not contents.time:
        raise EmptyTrace(
            f"{builder.name}: this .NET recording has no events of the sample profiler, which stacks are read from. "
            "Record it with `--profile dotnet-sampled-thread-time`."
        )
    builder.recorded(_began(contents.start))
    time = _nanoseconds(contents, builder)
    frames, ends = _stacks(content, contents, builder)
    thread = np.frombuffer(contents.thread, np.uint64)
    bounds = np.concatenate(([0, 0], ends))  # the first is of samples without a stack, which are -1
    for tid, mine in rows_of_each(thread):
        rows = mine[np.argsort(time[mine], kind="stable")]
        _add(str(tid), rows, time[rows], frames, bounds, contents, builder)


def _count_events(contents: Contents, builder: TraceBuilder) -> None:
    """Say how many events of the runtime there are besides the samples, and of what the most."""
    for kind, (code, what, _) in COUNTED.items():
        found, more = contents.counted.get(kind, Counter()), ""
        if kind == TICKS and found and contents.start.address_bytes == ADDRESS and (most := _type_of_most(found)):
            more = f"; the most are of {most}"
        elif kind == POOL and (starved := found[STARVATION]):
            more = f"; {starved:,} because threads were missing (starvation)"
        builder.warn(code, f"{what} are in the file: they are counted, and not drawn{more}", found.total())


def _type_of_most(ticks: Counter[bytes]) -> str:
    """The type that the most samples of allocations are of, and how many; empty where none is named."""
    ((text, count),) = ticks.most_common(1)
    try:
        name = utf16(text + bytes(4), 0)[0]
    except IndexError:
        return ""
    return f"{name} ({count:,})" if TYPE.fullmatch(name) else ""


def _add(
    tid: str, rows: Int64, time: Int64, frames: Int32, bounds: Int64, contents: Contents, builder: TraceBuilder
) -> int:
    """A thread. A sample lasts until the next one; the last as long as the one before."""
    stack = np.frombuffer(contents.stack, np.int64)[rows]
    begins, sizes = bounds[stack + 1], bounds[stack + 2] - bounds[stack + 1]
    outside = np.frombuffer(contents.says, np.int32)[rows] != IN_MANAGED_CODE
    own_ends = np.cumsum(sizes)
    picked = np.arange(sizes.sum()) + np.repeat(begins - own_ends + sizes, sizes)
    # What is outside of managed code is on top of what called it.
    found = np.insert(frames[picked], (own_ends - sizes)[outside], builder.frame(UNMANAGED))
    paths = paths_of_stacks(found, own_ends + np.cumsum(outside), MAX_STACK_DEPTH, inner_first=True)
    lasting = np.diff(time)
    lasting = np.append(lasting, lasting[-1:] if len(lasting) else 0)
    return builder.add_sampled(
        f"Thread {tid}",
        paths,
        paths.leaf,
        [lasting, np.ones(len(rows), np.int64)],
        values=(TIME, SAMPLES),
        default_value=0 if lasting.any() else 1,
        time=time,
        axis=Unit.NANOSECONDS,
        axis_end=int(time[-1] + lasting[-1]),
        pid=str(contents.start.process),
        tid=tid,
    )


def _nanoseconds(contents: Contents, builder: TraceBuilder) -> Int64:
    """The samples' times from the first one on."""
    ticks = np.frombuffer(contents.time, np.uint64)
    since = ticks - ticks.min()
    frequency = np.uint64(contents.start.frequency)
    seconds, rest = since // frequency, since % frequency
    if int(seconds.max()) > MAX_TIME_NS // 1_000_000_000:
        raise builder.damaged("the time of a sample is out of range.")
    found: Int64 = (seconds * np.uint64(1_000_000_000) + rest * np.uint64(1_000_000_000) // frequency).astype(np.int64)
    return found


def _began(start: Start) -> int | None:
    """When the recording began, in nanoseconds since 1970; None where the file says no possible moment."""
    year, month, _, day, hour, minute, second, millisecond = start.moment
    try:
        moment = datetime(year, month, day, hour, minute, second, millisecond * 1_000, UTC)
    except ValueError:
        return None
    return max(0, int(moment.timestamp())) * 1_000_000_000 + millisecond * 1_000_000


def _stacks(content: memoryview, contents: Contents, builder: TraceBuilder) -> tuple[Int32, Int64]:
    """The frames of all stacks in a row, innermost first, and where each one's end."""
    width = contents.start.address_bytes
    sizes = np.frombuffer(contents.stack_size, np.int64) // width
    first = np.frombuffer(contents.stack_at, np.int64)
    ends = np.cumsum(sizes)
    places = np.repeat(first - (ends - sizes) * width, sizes) + np.arange(int(sizes.sum())) * width
    data = np.frombuffer(content, np.uint8)
    addresses = np.zeros(len(places), np.uint64)
    for byte in range(width):
        addresses |= data[places + byte].astype(np.uint64) << np.uint64(8 * byte)
    known, which = numbered(addresses)
    return np.array(_frames(known, contents, builder), np.int32)[which], ends


def _frames(
    addresses: np.ndarray[tuple[int], np.dtype[np.uint64]], contents: Contents, builder: TraceBuilder
) -> list[int]:
    """The builder's frame of each address, by the method that lies there."""
    paths: dict[int, str] = {}
    methods: list[tuple[int, int, int, bytes]] = []
    unread = 0
    for kind, payloads in contents.named.items():
        for payload in payloads:
            try:
                if kind in MODULES:
                    paths[int.from_bytes(payload[:8], "little")] = utf16(payload, MODULE_PATH)[0]
                else:
                    _, module, start, size = METHOD.unpack_from(payload)
                    methods.append((start, start + size, module, payload[METHOD.size :]))
            except (IndexError, struct.error):
                unread += 1
    builder.warn("unread_methods", "descriptions of methods that are cut were skipped", unread)
    methods.sort(key=itemgetter(0))
    starts = np.array([method[0] for method in methods], np.uint64)
    frames = []
    nameless = 0
    for address, at in zip(addresses.tolist(), (np.searchsorted(starts, addresses, "right") - 1).tolist(), strict=True):
        # A call may be the last of a method: then its return address lies just behind it.
        if at < 0 or address > methods[at][1]:
            nameless += 1
            frames.append(builder.frame(f"0x{address:x}"))
        else:
            frames.append(builder.frame(_name(methods[at][3]), paths.get(methods[at][2])))
    builder.warn("no_symbols", "addresses have no names: the recording does not list what lies there", nameless)
    return frames


def _name(text: bytes) -> str:
    """Type, method and parameters."""
    try:
        namespace, at = utf16(text, 0)
        name, at = utf16(text, at)
        signature, _ = utf16(text, at)
    except IndexError:
        return "(unknown)"
    _, opened, parameters = signature.partition("(")
    for word in ("value class ", "valuetype ", "class "):
        parameters = parameters.replace(word, "")
    return (f"{namespace}." if namespace else "") + name + opened + parameters
