"""Every format, in the order of detection: the surest signs first, plain text last."""

from collections.abc import Callable
from dataclasses import dataclass

from traces.builder import TraceBuilder
from traces.importers import collapsed, cpuprofile, firefox, heap_profile, pprof, speedscope, trace_event, v8_log
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
    Format("speedscope", "speedscope JSON", speedscope.looks_like, speedscope.read),
    Format("heap-profile", "V8 heap profiles", heap_profile.looks_like, heap_profile.read),
    Format("firefox", "Firefox profiles", firefox.looks_like, firefox.read),
    Format("cpuprofile", "V8 .cpuprofile", cpuprofile.looks_like, cpuprofile.read),
    Format("trace-event", "Chrome performance traces and trace event JSON", trace_event.looks_like, trace_event.read),
    Format("v8-log", "V8 logs (node --prof)", v8_log.looks_like, v8_log.read),
    Format("collapsed", "collapsed stacks", collapsed.looks_like, collapsed.read),
)
