"""From where on something is a finding: data, each with its source. `ours` says that no source was found and why."""

from dataclasses import dataclass

MS = 1_000_000
"""Nanoseconds."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """`value` in `unit` (`share` is a part of one, `ns` nanoseconds, `calls`, `times` and so on plain numbers)."""

    value: float
    unit: str
    meaning: str
    source: str


JMC = "JDK Mission Control's rules"
LIGHTHOUSE = "Lighthouse's scoring"
WEB_VITALS = "web.dev, Web Vitals"
CHROME = "Chrome DevTools' performance insights"
SENTRY = "Sentry's performance issue detectors"
DATADOG = "Datadog's profiler insights"
PPROF_TO_MD = "pprof-to-md's hotspot levels"
PPROF_MCP = "pprof-mcp's overhead detection"
PERFETTO = "Perfetto's startup metrics"
HTA = "Holistic Trace Analysis for PyTorch"

THRESHOLDS: dict[str, Threshold] = {
    "few-samples.count": Threshold(100, "samples", "fewer are few", "ours: a share of 10 % then errs by 3 points"),
    "short-recording.length": Threshold(1e9, "ns", "shorter is short", "ours: start-up dominates the first second"),
    "irregular-sampling.gap": Threshold(5, "times", "an interval this much longer than the median is a gap", "ours"),
    "irregular-sampling.share": Threshold(0.1, "share", "part of the time inside gaps", "ours"),
    "truncated-stacks.share": Threshold(0.05, "share", "weight at exactly the deepest level", f"{JMC} (stack depth)"),
    "truncated-stacks.stacks": Threshold(3, "stacks", "fewer of the deepest level are just the deepest", "ours"),
    "truncated-stacks.depth": Threshold(16, "frames", "shallower stacks are taken as whole", "ours: no limit is lower"),
    "unsymbolised.share": Threshold(0.1, "share", "self value in frames without a name", "ours"),
    "minified.share": Threshold(0.3, "share", "self value in minified code", "ours"),
    "anonymous.share": Threshold(0.2, "share", "self value in functions without a name", "ours"),
    "lost-events.share": Threshold(0.01, "share", "events dropped or repaired of all", f"{JMC} (buffer lost)"),
    "idle.share": Threshold(0.5, "share", "part of the time in which nothing ran", "ours"),
    "profiler-cost.share": Threshold(0.02, "share", "value in the profiler itself", "ours"),
    "hot-function.low": Threshold(0.05, "share", "self share worth naming", "the issue's catalogue; 1 % is a floor"),
    "hot-function.medium": Threshold(0.2, "share", "self share that matters", PPROF_TO_MD),
    "hot-function.high": Threshold(0.5, "share", "self share that dominates", PPROF_TO_MD),
    "heaviest-path.follow": Threshold(0.5, "share", "a callee with this part of its caller goes on", "ours"),
    "heaviest-path.floor": Threshold(0.1, "share", "part of the whole at which a path ends", "ours"),
    "flat-profile.share": Threshold(0.2, "share", "less in the ten hottest is flat", "ours"),
    "own-code.medium": Threshold(0.2, "share", "below it little is in the program's own code", PPROF_TO_MD),
    "own-code.least": Threshold(0.01, "share", "less: the program is installed as a package", "ours"),
    "short-burst.share": Threshold(0.25, "share", "work within a twentieth of the time", f"after {JMC} (hot window)"),
    "many-small-calls.calls": Threshold(1000, "calls", "fewer are not many", "ours, as Sentry's hot functions"),
    "many-small-calls.mean": Threshold(10_000, "ns", "mean self time below which calling itself counts", "ours"),
    "many-small-calls.share": Threshold(0.05, "share", "self share in all its calls", "ours"),
    "uneven-calls.ratio": Threshold(3, "times", "99th percentile over the 75th", SENTRY),
    "uneven-calls.calls": Threshold(100, "calls", "fewer say nothing about percentiles", "ours"),
    "uneven-calls.share": Threshold(0.05, "share", "total share of the function", "ours"),
    "recursion.share": Threshold(0.05, "share", "value in recursive calls", "ours"),
    "recursion.depth": Threshold(3, "calls", "of one function in one stack", "ours"),
    "several-ways.share": Threshold(0.05, "share", "total of a function reached from several callers", "ours"),
    "several-ways.most": Threshold(0.5, "share", "more is the program's own frame", "ours"),
    "several-ways.part": Threshold(0.2, "share", "what each of at least two callers brings", "ours"),
    "overhead.low": Threshold(0.05, "share", "a kind of overhead worth naming", PPROF_MCP),
    "overhead.high": Threshold(0.15, "share", "a kind of overhead that matters", PPROF_MCP),
    "collection.low": Threshold(0.05, "share", "time in garbage collection worth naming", PPROF_MCP),
    "collection.high": Threshold(0.1, "share", "time in garbage collection that matters", DATADOG),
    "collection-pause.length": Threshold(50 * MS, "ns", "a collection that people feel", "W3C Long Tasks API"),
    "collection-pause.high": Threshold(1000 * MS, "ns", "a collection that stops a service", JMC),
    "compilation.length": Threshold(100 * MS, "ns", "time in compilers", f"{PERFETTO} (JIT over 100 ms)"),
    "compilation.share": Threshold(0.05, "share", "value in compilers where it is not time", PPROF_MCP),
    "native-code.share": Threshold(0.2, "share", "V8's (program): native code or waiting", "ours"),
    "allocator.share": Threshold(0.1, "share", "time in allocators", "ours, as garbage collection"),
    "kernel.share": Threshold(0.2, "share", "time in the kernel", "ours"),
    "boxing.share": Threshold(0.05, "share", "time in boxing", f"{DATADOG} (boxing over 5 %)"),
    "locks.share": Threshold(
        0.1, "share", "value in taking locks", "ours; pprof-mcp names a lock from 35 % of waiting"
    ),
    "lock-contention.length": Threshold(100 * MS, "ns", "waiting for locks in all", "ours: what people feel"),
    "lock-contention.share": Threshold(
        0.1, "share", "of the recording in each waiting thread", "ours, as locks by name"
    ),
    "serialisation.cause": Threshold(0.25, "share", "in encoding and decoding, as the cause", "ours"),
    "oversubscription.threads": Threshold(8, "threads", "at work at the same time", "ours: a few overlap by chance"),
    "start-phase.share": Threshold(0.5, "share", "in one function that starts the program", "ours"),
    "keeping.objects": Threshold(5_000, "objects", "in use from one function: fewer are no pile", "ours"),
    "lock-contention.high": Threshold(0.3, "share", "of the recording in each waiting thread", "ours"),
    "outlier-call.calls": Threshold(20, "calls", "fewer have no usual length", "ours"),
    "outlier-call.ratio": Threshold(10, "times", "the median: an outlier", "ours; Sentry's uneven calls are 3 times"),
    "outlier-call.share": Threshold(0.1, "share", "of all work in that one call", "ours"),
    "outlier-call.length": Threshold(
        20 * MS, "ns", "a shorter one may be a pause of the system", "ours: a few slices of a scheduler"
    ),
    "outlier-call.calls-below": Threshold(3, "times", "the calls below the median call: long by its own work", "ours"),
    "serial-waits.calls": Threshold(3, "calls", "one after the other below one call", "as sequential calls"),
    "serial-waits.length": Threshold(5 * MS, "ns", "a shorter wait is not worth overlapping", "ours"),
    "serial-waits.share": Threshold(0.2, "share", "of all time that overlapping could save", "ours"),
    "handler-access.share": Threshold(0.2, "share", "of a main thread in files below a handler", "ours"),
    "long-tasks.cause": Threshold(
        100 * MS, "ns", "a task that is long enough to be the cause", "RAIL: an answer within 100 ms"
    ),
    "growth.calls": Threshold(20, "calls", "of one function below one caller", "ours: fewer show no trend"),
    "growth.ratio": Threshold(2.5, "times", "last third of the calls over the first", "ours: linear growth is 5 times"),
    "growth.correlation": Threshold(0.8, "rank correlation", "of length and number", "ours: steady, not a jump"),
    "growth.share": Threshold(0.2, "share", "of all work in those calls", "ours"),
    "membership.share": Threshold(0.3, "share", "of all work in looking for one among many", "ours"),
    "backtracking.share": Threshold(0.3, "share", "in matching one expression", "ours"),
    "backtracking.mean": Threshold(50_000, "ns", "one match that takes long", "ours: a match takes microseconds"),
    "stacks.share": Threshold(0.1, "share", "in making exceptions", "ours, between low and high overhead"),
    "cold-start.share": Threshold(0.25, "share", "in importing and loading classes", "ours"),
    "cold-start.length": Threshold(100 * MS, "ns", "less is no wait", "ours: what people feel"),
    "collection-pressure.share": Threshold(
        0.2, "share", "in collecting: allocation is the cause", "ours, twice Datadog's"
    ),
    "event-loop.share": Threshold(0.2, "share", "in a call that blocks the loop", "ours"),
    "event-loop.length": Threshold(50 * MS, "ns", "a longer one is felt", "W3C Long Tasks API"),
    "cache-misses.part": Threshold(0.3, "share", "of all read misses in one function", "ours"),
    "cache-misses.rate": Threshold(0.25, "share", "misses of reads", "ours: in order it is 1 in 8 doubles"),
    "cache-misses.count": Threshold(100_000, "misses", "fewer do not matter", "ours"),
    "keeping.share": Threshold(0.25, "share", "of all memory below one function that keeps", "ours"),
    "keeping.bytes": Threshold(1_000_000, "bytes", "less does not matter", "ours"),
    "sleeping.share": Threshold(0.1, "share", "time asleep", "ours"),
    "waiting.share": Threshold(0.3, "share", "time waiting for others", "ours"),
    "long-tasks.length": Threshold(50 * MS, "ns", "a longer task is long", "W3C Long Tasks API"),
    "blocking-time.medium": Threshold(200 * MS, "ns", "total blocking time is no longer good", LIGHTHOUSE),
    "blocking-time.high": Threshold(600 * MS, "ns", "total blocking time is poor", LIGHTHOUSE),
    "uneven-workers.ratio": Threshold(2, "times", "busiest worker over the mean", "ours; HTA calls it a straggler"),
    "uneven-workers.workers": Threshold(3, "workers", "of one name", "ours"),
    "one-thread.share": Threshold(0.9, "share", "of all work on one of several threads", "ours"),
    "network-bound.share": Threshold(0.3, "share", "idle main thread with requests in flight", "ours, after Firefox"),
    "frame-jank.interval": Threshold(16_666_667, "ns", "between two frames at 60 Hz", "the usual display"),
    "frame-jank.late": Threshold(1.5, "times", "the interval: a frame was missed", PERFETTO),
    "frame-jank.share": Threshold(0.1, "share", "of the frames are late", "ours"),
    "frame-jank.steady": Threshold(0.5, "share", "more late frames: nothing moved", "ours"),
    "frame-jank.pause": Threshold(500 * MS, "ns", "a longer gap is a pause, not a late frame", "ours"),
    "forced-reflow.length": Threshold(30 * MS, "ns", "forced layout in one task", f"{CHROME} (ForcedReflow)"),
    "layout-thrashing.count": Threshold(10, "layouts", "forced within one task", "ours"),
    "large-layout.length": Threshold(40 * MS, "ns", "one style or layout update", f"{CHROME} (DOMSize)"),
    "rendering.share": Threshold(0.2, "share", "of a busy main thread in style, layout and paint", "ours"),
    "slow-handler.medium": Threshold(50 * MS, "ns", "an event handler people feel", "W3C Long Tasks API"),
    "slow-handler.high": Threshold(200 * MS, "ns", "an event handler that spoils INP", WEB_VITALS),
    "script-start.length": Threshold(100 * MS, "ns", "compiling and first running scripts", PERFETTO),
    "parsing.length": Threshold(50 * MS, "ns", "parsing HTML or style sheets at a stretch", "W3C Long Tasks API"),
    "timers.share": Threshold(0.2, "share", "of a busy main thread in timers", "ours"),
    "lcp.medium": Threshold(2500 * MS, "ns", "largest contentful paint is no longer good", WEB_VITALS),
    "lcp.high": Threshold(4000 * MS, "ns", "largest contentful paint is poor", WEB_VITALS),
    "fcp.medium": Threshold(1800 * MS, "ns", "first contentful paint is no longer good", WEB_VITALS),
    "fcp.high": Threshold(3000 * MS, "ns", "first contentful paint is poor", WEB_VITALS),
    "inp.medium": Threshold(200 * MS, "ns", "an interaction is no longer good", WEB_VITALS),
    "inp.high": Threshold(500 * MS, "ns", "an interaction is poor", WEB_VITALS),
    "layout-shifts.count": Threshold(1, "shifts", "the score is in arguments: shifts are counted", WEB_VITALS),
    "third-parties.share": Threshold(0.2, "share", "of script time from other hosts", "ours; Chrome lists the top 5"),
    "render-blocking.length": Threshold(50 * MS, "ns", "the first paint waits for requests", f"{CHROME} (saving)"),
    "render-blocking.share": Threshold(0.33, "share", "of the time to the first paint", f"{SENTRY} (blocking asset)"),
    "request-chain.requests": Threshold(3, "requests", "each found in the one before", "ours: document, script, other"),
    "request-chain.length": Threshold(50 * MS, "ns", "found that late", f"{CHROME} (network dependency tree)"),
    "request-chain.high": Threshold(500 * MS, "ns", "found so late that people notice", "ours"),
    "slow-document.length": Threshold(600 * MS, "ns", "until the server answers", f"{CHROME} (document latency)"),
    "other-sites.share": Threshold(0.25, "share", "of bytes from other sites", "ours; Chrome lists the top 5"),
    "other-sites.bytes": Threshold(100_000, "bytes", "less does not matter", "ours, as Chrome's large images"),
    "late-requests.share": Threshold(0.25, "share", "of requests start after the first paint", "ours"),
    "n-plus-one.calls": Threshold(5, "calls", "similar ones in a row", SENTRY),
    "n-plus-one.length": Threshold(50 * MS, "ns", "all of them together", SENTRY),
    "n-plus-one-calls.length": Threshold(300 * MS, "ns", "five HTTP calls together", SENTRY),
    "sequential.calls": Threshold(3, "calls", "one after the other", f"{SENTRY} (consecutive HTTP)"),
    "sequential.saving": Threshold(100 * MS, "ns", "what overlapping them could save", SENTRY),
    "sequential.share": Threshold(0.1, "share", "of the caller that it could save", SENTRY),
    "sequential.gap": Threshold(500 * MS, "ns", "longest pause between two of a row", SENTRY),
    "repeated-calls.calls": Threshold(
        20, "calls", "per run of the function that causes them", "ours; four times Sentry's run"
    ),
    "repeated-calls.share": Threshold(0.1, "share", "of the time in those calls", "ours"),
    "repeated-work.sampled": Threshold(0.25, "share", "in compiling what can be kept, by names", "ours"),
    "repeated-work.other": Threshold(0.1, "share", "other work of the function that has it done", "ours"),
    "slow-query.length": Threshold(500 * MS, "ns", "one query", SENTRY),
    "slow-query.high": Threshold(1000 * MS, "ns", "one query that is very slow", SENTRY),
    "main-thread-io.length": Threshold(16 * MS, "ns", "one file or database access: a frame", SENTRY),
    "top-allocator.medium": Threshold(0.2, "share", "of allocated bytes in one function", PPROF_TO_MD),
    "top-allocator.high": Threshold(0.5, "share", "of allocated bytes in one function", PPROF_TO_MD),
    "small-objects.mean": Threshold(64, "bytes", "mean size of an allocation", "ours: a cache line"),
    "small-objects.count": Threshold(100_000, "allocations", "fewer do not matter", "ours"),
    "held-memory.share": Threshold(0.5, "share", "of what was allocated is still held", "ours"),
    "growing-memory.growth": Threshold(0.2, "share", "growth from first to last third", f"{JMC} (live set)"),
    "growing-memory.readings": Threshold(9, "readings", "fewer show no trend", "ours"),
    "kernel-gaps.share": Threshold(0.3, "share", "of a device's time between kernels", "ours; HTA splits idle time"),
    "small-kernels.length": Threshold(10_000, "ns", "median kernel", "ours; HTA: shorter than its launch"),
    "small-kernels.count": Threshold(100, "kernels", "fewer do not matter", "ours"),
    "slow-launches.length": Threshold(50_000, "ns", "one launch on the host", HTA),
    "slow-launches.share": Threshold(0.05, "share", "of launches are slow", "ours"),
    "device-copies.share": Threshold(0.1, "share", "of the time in copies", "ours"),
    "data-loading.share": Threshold(0.1, "share", "of the time in loading data", "ours"),
    "device-synchronisation.share": Threshold(0.1, "share", "of the time in waiting for the device", "ours"),
    "small-operators.calls": Threshold(1000, "calls", "fewer do not matter", "ours"),
    "small-operators.mean": Threshold(20_000, "ns", "mean operator", "ours; a launch alone takes about 5 µs"),
    "regressions.medium": Threshold(0.1, "share", "growth of a function", f"{SENTRY} (minor)"),
    "regressions.high": Threshold(0.2, "share", "growth of a function", f"{SENTRY} (major)"),
    "regressions.floor": Threshold(0.01, "share", "smaller functions are left out", PPROF_TO_MD),
    "new-functions.share": Threshold(0.05, "share", "a function that was not there", "ours"),
    "unlike-recordings.ratio": Threshold(1.5, "times", "between the two wholes", "ours, as in compare_traces"),
}


def threshold(key: str) -> float:
    """The value of one."""
    return THRESHOLDS[key].value
