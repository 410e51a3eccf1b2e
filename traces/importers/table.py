"""Every format, in the order of detection: the surest signs first, plain text last.

What reads a format is the module of its name, imported when a file is of it: who reads one trace does not wait for the
readers of all others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from traces.builder import TraceBuilder
from traces.importers import signs_in_bytes, signs_in_json, signs_in_text
from traces.importers.head import Head


@dataclass(frozen=True, slots=True)
class Format:
    """`looks_like` decides on a file's head."""

    name: str
    label: str
    looks_like: Callable[[Head], bool]

    @property
    def read(self) -> Callable[[memoryview, TraceBuilder], None]:
        """Feeds the builder with a file's decompressed content."""
        read: Callable[[memoryview, TraceBuilder], None] = import_module(
            f"traces.importers.{self.name.replace('-', '_')}"
        ).read
        return read


FORMATS = (
    Format("pprof", "pprof profiles", signs_in_bytes.pprof),
    Format("otlp", "OpenTelemetry profiles", signs_in_bytes.otlp),
    Format("speedscope", "speedscope JSON", signs_in_json.speedscope),
    Format("heap-profile", "V8 heap profiles", signs_in_json.heap_profile),
    Format("firefox", "Firefox profiles", signs_in_json.firefox),
    Format("safari", "Safari recordings", signs_in_json.safari),
    Format("instruments", "Instruments deep copies and traces", signs_in_text.instruments),
    Format("instruments-trace", "Instruments traces (.trace.zip)", signs_in_bytes.instruments_trace),
    Format("jfr", "Java Flight Recorder", signs_in_bytes.jfr),
    Format("perfetto", "Perfetto traces", signs_in_bytes.perfetto),
    Format("perf-data", "perf.data of Linux", signs_in_bytes.perf_data),
    Format("nettrace", ".NET traces (.nettrace)", signs_in_bytes.nettrace),
    Format("cpuprofile", "V8 .cpuprofile", signs_in_json.cpuprofile),
    Format("trace-event", "Chrome performance traces and trace event JSON", signs_in_json.trace_event),
    Format("v8-log", "V8 logs (node --prof)", signs_in_json.v8_log),
    Format("pstats", "cProfile", signs_in_bytes.pstats),
    Format("pyinstrument", "pyinstrument JSON", signs_in_json.pyinstrument),
    Format("memray", "memray flame graphs and statistics", signs_in_json.memray),
    Format("gprof2dot", "gprof2dot JSON", signs_in_json.gprof2dot),
    Format("rbspy", "rbspy recordings", signs_in_bytes.rbspy),
    Format("austin-mojo", "Austin's binary form", signs_in_bytes.austin_mojo),
    Format("nsys", "Nsight Systems exports (SQLite)", signs_in_bytes.nsys),
    Format("async-profiler", "async-profiler pages", signs_in_text.async_profiler),
    Format("stackprof", "stackprof JSON", signs_in_json.stackprof),
    Format("haskell", "GHC profiles", signs_in_json.haskell),
    Format("papyrus", "Papyrus script profiles", signs_in_text.papyrus),
    Format("pmcstat", "pmcstat call graphs", signs_in_text.pmcstat),
    Format("linux-perf", "Linux perf script", signs_in_text.linux_perf),
    Format("callgrind", "callgrind, cachegrind and xdebug", signs_in_text.callgrind),
    Format("austin", "Austin", signs_in_text.austin),
    Format("collapsed", "collapsed stacks", signs_in_text.collapsed),
)
