"""Every shared sample of many tools: it opens as its format, with figures where its tool or its recording gives them,
or is refused with a reason that names what it is. docs/formats.md has the table of variants."""

from pathlib import Path

import pytest

from traces.analysis.time_invariants import check_time
from traces.errors import TraceError
from traces.invariants import check
from traces.model import Profile
from traces.reader import read_trace

pytestmark = pytest.mark.long

OPENS = {
    "chrome-trace.": {"trace-event", "chrome"},
    "firefox-profile.": {"firefox", "cleopatra"},
    "instruments.": {"instruments-trace"},
    "jfr.": {"jfr"},
    "nettrace.": {"nettrace"},
    "perf-data.": {"perf-data"},
    "perf-script.": {"linux-perf"},
    "perfetto.": {"perfetto"},
    "pprof.": {"pprof", "pprof-legacy"},
    "safari.": {"safari"},
    "torch.": {"trace-event"},
    "v8log.": {"v8-log"},
    "viztracer.": {"trace-event"},
    "xdebug.": {"callgrind"},
    "go-exectrace.traceutils.truth.": {"linux-perf"},
}
"""By how a sample's name begins: the formats that it opens as."""
REFUSED = {
    "art.": "method trace of Android",
    "atrace.catapult-compressed.bin": "atrace's packed events",
    "chrome-trace.catapult-counter-tracks": "a page",
    "chrome-trace.catapult-google-cloud": "Google Cloud Trace",
    "ctf.": "this zip is a CTF trace (LTTng)",
    "datadog.": "Datadog",
    "devtoolslog.": "DevTools protocol",
    "dhat.": "DHAT",
    "etl.perfview-gcevents.etl": "ETW",
    "ftrace.": "ftrace",
    "gcdump.": "gcdump",
    "go-exectrace.go122": "not of a profiler",
    "go-exectrace.traceutils-go": "execution trace of Go",
    "har.": "HAR",
    "jaeger.": "Jaeger",
    "lighthouse-": "Lighthouse",
    "nettrace.perfview-netcore2.1-linux-x64.netperf.zip": "no events of the sample profiler",
    "otlp.": "distributed trace",
    "simpleperf.": "simpleperf",
    "systrace.": "a page",
    "torch.hta-execution-trace": "execution trace of PyTorch",
    "tracecmd.": "trace-cmd",
    "v8heap.": "heap snapshot of V8",
    "zipkin.": "Zipkin",
}
"""By how a sample's name begins: what the refusal says it is. These come first."""
FIGURES: dict[str, dict[str, int]] = {
    "chrome-trace.catapult-nestable-async.json.gz": {"Async spans": 8},
    "firefox-profile.ancient-cleopatra.json.gz": {"GeckoMain": 4_917},
    "perf-script.firefox-simple.txt.gz": {"Gecko (tid 25122)": 27},
    "perfetto.nowinandroid.perfetto-trace.gz": {"tid 9305": 2_787},
    "v8log.catapult-v8.log.gz": {"v8log.catapult-v8.log.gz": 11_971},
}
"""Rows of a profile: pairs of events, samples and ticks that the file's text or packets have, counted apart from us."""
EXPECTED_TEXTS = ".truth."
SAMPLES = 135


def rows_of(profile: Profile) -> int:
    return len(profile.spans) if profile.spans is not None else len(profile.samples or ())


def test_every_sample_opens_or_is_named(shared: Path) -> None:
    files = sorted(f for f in (shared / "samples").iterdir() if f.suffix != ".md")
    assert len(files) >= SAMPLES
    wrong: dict[str, str] = {}
    for file in files:
        reason = next((text for start, text in REFUSED.items() if file.name.startswith(start)), None)
        formats = next((names for start, names in OPENS.items() if file.name.startswith(start)), set())
        if EXPECTED_TEXTS in file.name and not file.name.startswith("go-exectrace"):
            continue  # what a tool's own tests expect: texts of no format
        try:
            trace = read_trace(file.read_bytes(), name=file.name)
        except TraceError as error:
            if reason is None or reason not in str(error):
                wrong[file.name] = str(error)
            continue
        check(trace)
        check_time(trace)
        rows = {profile.name: rows_of(profile) for profile in trace.profiles}
        expected = FIGURES.get(file.name, {})
        if reason is not None or trace.format not in formats:
            wrong[file.name] = f"it opens as {trace.format}"
        elif expected.items() - rows.items():
            wrong[file.name] = f"it has {rows}"
    assert wrong == {}
