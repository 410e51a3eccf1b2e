"""Files that people take for traces but that only their own tool reads: what to make of them instead."""

import re

from traces.importers.head import Head

START = 256
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


def advice_for(head: Head) -> str | None:
    """What the file is and what to do with it, or None."""
    start = head.data[:START]
    return next((advice for sign, advice in ADVICE if sign.search(start)), None)
