"""Every format, in the order of detection: the surest signs first, plain text last."""

from collections.abc import Callable
from dataclasses import dataclass

from traces.builder import TraceBuilder
from traces.importers import (
    async_profiler,
    austin,
    austin_mojo,
    callgrind,
    collapsed,
    cpuprofile,
    firefox,
    gprof2dot,
    haskell,
    heap_profile,
    instruments,
    instruments_bundle,
    jfr,
    linux_perf,
    memray,
    nettrace,
    nsys,
    otlp,
    papyrus,
    perf_data,
    perfetto,
    pmcstat,
    pprof,
    pstats,
    pyinstrument,
    rbspy,
    safari,
    speedscope,
    stackprof,
    trace_event,
    v8_log,
)
from traces.importers.head import Head


@dataclass(frozen=True, slots=True)
class Format:
    """`looks_like` decides on a file's head; `read` feeds the builder with its decompressed content."""

    name: str
    label: str
    looks_like: Callable[[Head], bool]
    read: Callable[[memoryview, TraceBuilder], None]


FORMATS = (
    Format("pprof", "pprof profiles", pprof.looks_like, pprof.read),
    Format("otlp", "OpenTelemetry profiles", otlp.looks_like, otlp.read),
    Format("speedscope", "speedscope JSON", speedscope.looks_like, speedscope.read),
    Format("heap-profile", "V8 heap profiles", heap_profile.looks_like, heap_profile.read),
    Format("firefox", "Firefox profiles", firefox.looks_like, firefox.read),
    Format("safari", "Safari recordings", safari.looks_like, safari.read),
    Format("instruments", "Instruments deep copies and traces", instruments.looks_like, instruments.read),
    Format(
        "instruments-trace", "Instruments traces (.trace.zip)", instruments_bundle.looks_like, instruments_bundle.read
    ),
    Format("jfr", "Java Flight Recorder", jfr.looks_like, jfr.read),
    Format("perfetto", "Perfetto traces", perfetto.looks_like, perfetto.read),
    Format("perf-data", "perf.data of Linux", perf_data.looks_like, perf_data.read),
    Format("nettrace", ".NET traces (.nettrace)", nettrace.looks_like, nettrace.read),
    Format("cpuprofile", "V8 .cpuprofile", cpuprofile.looks_like, cpuprofile.read),
    Format("trace-event", "Chrome performance traces and trace event JSON", trace_event.looks_like, trace_event.read),
    Format("v8-log", "V8 logs (node --prof)", v8_log.looks_like, v8_log.read),
    Format("pstats", "cProfile", pstats.looks_like, pstats.read),
    Format("pyinstrument", "pyinstrument JSON", pyinstrument.looks_like, pyinstrument.read),
    Format("memray", "memray flame graphs and statistics", memray.looks_like, memray.read),
    Format("gprof2dot", "gprof2dot JSON", gprof2dot.looks_like, gprof2dot.read),
    Format("rbspy", "rbspy recordings", rbspy.looks_like, rbspy.read),
    Format("austin-mojo", "Austin's binary form", austin_mojo.looks_like, austin_mojo.read),
    Format("nsys", "Nsight Systems exports (SQLite)", nsys.looks_like, nsys.read),
    Format("async-profiler", "async-profiler pages", async_profiler.looks_like, async_profiler.read),
    Format("stackprof", "stackprof JSON", stackprof.looks_like, stackprof.read),
    Format("haskell", "GHC profiles", haskell.looks_like, haskell.read),
    Format("papyrus", "Papyrus script profiles", papyrus.looks_like, papyrus.read),
    Format("pmcstat", "pmcstat call graphs", pmcstat.looks_like, pmcstat.read),
    Format("linux-perf", "Linux perf script", linux_perf.looks_like, linux_perf.read),
    Format("callgrind", "callgrind, cachegrind and xdebug", callgrind.looks_like, callgrind.read),
    Format("austin", "Austin", austin.looks_like, austin.read),
    Format("collapsed", "collapsed stacks", collapsed.looks_like, collapsed.read),
)
