"""What the engine may do with any input: give a trace that keeps the invariants, or refuse it in words of its own."""

import faulthandler
import hashlib
import os
import re
import resource
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from fuzz.importers.mutations import SECRET
from traces.analysis.time_invariants import check_time
from traces.cache import decode, encode
from traces.errors import DamagedTrace, TraceError
from traces.invariants import check
from traces.kernels.library import SWITCH, kernels
from traces.reader import read_trace

CPU_SECONDS = 10
"""What one reading may take of an input of some megabytes, on a slow machine and without kernels."""
HUNG_SECONDS = 200
"""What a batch of readings may take by the clock: see `watched`."""
MEMORY_BYTES = 2 << 30
LONGEST_REFUSAL = 1_500
FORMAT = re.compile(
    r"this [\w-]+ (file|trace) |the (gzip|zstd|zip) (file|archive)|its (JSON|text) is|its (gzip|zstd|zip) compression"
)
"""What a refusal of a damaged file calls it: by its importer's name, or by what it is packed or written in."""
PLACE = re.compile(r"( it is (malformed|truncated))? \(byte [\d,]+\)")
"""Where a file is damaged: the kernels name the byte, the reference the part of the file that it is in. At a text's
very end (`1.`, `trx`) they may not call it the same, broken off or wrong."""


class Hang(BaseException):
    """An input was read for longer than the bound; no importer can catch it."""


def fault(data: bytes, name: str) -> str | None:
    """What is wrong with how `data` is read, with kernels and without; None when nothing is."""
    outcomes = []
    for switch in ("", "off") if kernels() is not None else ("off",):
        with _switched(switch):
            try:
                with bounded():
                    outcomes.append(_outcome(data, name))
            except (Exception, Hang) as error:  # noqa: BLE001  to find these is the purpose
                where = "without kernels" if switch else "with kernels"
                return f"{where}: {type(error).__name__}: {error}\n{''.join(traceback.format_tb(error.__traceback__))}"
    if len(set(outcomes)) > 1:
        return f"with kernels {outcomes[0]}, without {outcomes[1]}"
    return None


def _outcome(data: bytes, name: str) -> str:
    """A digest of the trace's columns, or the words of the refusal without the place."""
    try:
        trace = read_trace(data, name=name)
    except TraceError as error:
        text = str(error)
        assert name in text, f"a refusal does not name the file: {text}"
        assert SECRET.decode() not in text, f"a refusal quotes the file: {text}"
        assert len(text) <= LONGEST_REFUSAL, f"a refusal is {len(text)} characters long"
        if isinstance(error, DamagedTrace):
            assert FORMAT.search(text), f"a refusal does not name the format: {text}"
        return PLACE.sub("", text)
    check(trace)
    check_time(trace)
    columns = b"".join(encode(trace))
    decode(columns)
    return f"{trace.format} {hashlib.sha256(columns).hexdigest()}"


@contextmanager
def watched() -> Iterator[None]:
    """Ends the process when what is inside never returns: a signal reaches no kernel. Once for many inputs: it costs a
    thread."""
    faulthandler.dump_traceback_later(HUNG_SECONDS, exit=True, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _switched(switch: str) -> Iterator[None]:
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = switch
    yield
    if before is None:
        del os.environ[SWITCH]
    else:
        os.environ[SWITCH] = before


@contextmanager
def bounded(cpu_seconds: float = CPU_SECONDS, memory_bytes: int = MEMORY_BYTES) -> Iterator[None]:
    """Raises Hang after so much CPU time inside; more memory than this above what is in use is refused."""

    def ring(_: int, __: FrameType | None) -> None:
        raise Hang(f"more than {cpu_seconds} s of CPU time")

    used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, ring)
    resource.setrlimit(resource.RLIMIT_AS, (used + memory_bytes, hard))
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
