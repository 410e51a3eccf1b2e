"""Text that is no trace, by how most of its lines look."""

import re
from collections import Counter

from traces.formats.foreign.file_kind import ORIGINAL, RECORD, Kind
from traces.formats.stack_lines import are_quoted, split_weight
from traces.lazy_regex import lazy_regex

FIRST_CHARACTERS = 65_536
LINES = 200
"""So many lines are looked at."""
MOST = 0.6
SOME = 0.25
LOG = "A log says what happened, not where time went. " + RECORD
KERNEL_EVENTS = Kind("events of the kernel (ftrace)", "Record stacks with `perf record -g`, then `perf script`")
PERF_FIELDS = Kind(
    "what `perf script` prints, without the times or threads of its samples, or the objects of its frames",
    "Run it with its own fields, or `-F comm,pid,tid,time,event,ip,sym,dso`",
)
FIRST: tuple[tuple[str, Kind], ...] = (
    (
        r"<svg\b[\s\S]*(?:flame ?graph|id=\"frames\")|<\?xml[\s\S]*<svg[\s\S]*(?:[Ff]lame ?[Gg]raph|id=\"frames\")",
        Kind("a flame graph as a picture (SVG)", "Choose the collapsed stacks that it was drawn from"),
    ),
    (r"(?:<\?xml[\s\S]{0,400})?<svg\b", Kind("a picture (SVG)", ORIGINAL)),
    (
        r"<\?xml[\s\S]*<trace-(?:query-result|toc)",
        Kind("an export of Instruments as XML", "Copy the call tree as a deep copy"),
    ),
    (
        r"(?i)<!doctype html[\s\S]*(?:systrace|trace-viewer|tr-ui|trace_viewer|catapult)",
        Kind(
            "a page with a trace of Android or Chrome in it (systrace)",
            "Record with Perfetto, or save the trace as JSON",
        ),
    ),
    (r"(?i)<!doctype html|<html|<head|<body", Kind("a page (HTML)", "Choose the recording that it shows")),
    (r"<\?xml|<!DOCTYPE|<\w+[^>]*>\s*\n\s*<", Kind("XML", RECORD)),
    (r"%PDF-", Kind("a document (PDF)", ORIGINAL)),
    (r"-----BEGIN ", Kind("a key or a certificate", "Choose a recording of a profiler, and keep this one to yourself")),
    (r"\*version\n\d", Kind("a method trace of Android", "Record the app with Perfetto or simpleperf")),
    (
        r"# tracer: |version = \d\n(?:CPU|cpus)|trace-cmd|.*\n?# *_-----=> irqs-off",
        KERNEL_EVENTS,
    ),
    (r"\s*\[\s*\[\s*\{[\s\S]*\"trace_id\"", Kind("spans of a distributed trace (Datadog)", RECORD)),
    (
        r"(?:PeriodType|Samples): ?[\s\S]*Locations\b|Samples:\n",
        Kind("what `pprof -raw` prints", "Choose the profile itself"),
    ),
    (r"[\s\S]{0,400}\bflat +flat% +sum%", Kind("what `go tool pprof -top` prints", "Choose the profile itself")),
    (
        r"[\s\S]{0,400}\bncalls +tottime",
        Kind("what cProfile prints", "Save it: `python -m cProfile -o trace.prof app.py`"),
    ),
    (r"\[\s*(?:-?\d[\d.]*\s*[,\]]|true|false|null|\[)", Kind("JSON, but not of a trace that is known here", RECORD)),
    (
        r"(?:Version: \d[\s\S]{0,80}\n)?TRACE START \[",
        Kind("a trace of calls by Xdebug", "Record with `xdebug.mode=profile` and choose the file cachegrind.out.PID"),
    ),
    (
        r"version https://git-lfs\.github\.com/",
        Kind("a pointer of Git LFS, not the file itself", "Get that with `git lfs pull` and choose it again"),
    ),
    (
        r"data:[\w./+-]*(?:;[\w=-]+)*;base64,",
        Kind("an address that holds a file in base64", "Save what it holds as a file of its own"),
    ),
    (
        r"(?:Analysis of sampling|Sampling process) [\s\S]{0,4000}Call graph:",
        Kind("what `sample` of macOS prints", "Record with `samply record` or Instruments"),
    ),
    (
        r"Date/Time: [\s\S]{0,8000}\nHeaviest stack for",
        Kind("a report of spindump (macOS)", "Record with `samply record` or Instruments"),
    ),
    (
        r"(?:File: .*\n)?(?:Type: .*\n)?(?:Time: .*\n)?(?:Duration: .*\n)?-{5,}\+-{5,}",
        Kind("what `go tool pprof -traces` prints", "Choose the profile itself"),
    ),
    (r"(?:strict )?digraph ", Kind("a graph as Graphviz draws it", ORIGINAL)),
    (
        r"Process \d+: [\s\S]{0,2000}\nThread \S+ \((?:active|idle)",
        Kind("what `py-spy dump` prints, one moment of a program", "Record with `py-spy record --format speedscope`"),
    ),
    (
        r"\s*Percent +\|",
        Kind("what `perf annotate` prints", "Choose what `perf script` prints, or perf.data itself"),
    ),
    (
        r"# DURATION +TID +FUNCTION",
        Kind("what `uftrace replay` prints", "Choose what `uftrace dump --chrome` writes"),
    ),
    (r"% time +seconds +usecs/call", Kind("what `strace -c` prints", "Record with `perf record -g`")),
    (
        r"v [0-9a-f]+ \d+\n[xX] ",
        Kind("a recording of heaptrack", "It says who allocated; record with callgrind or perf"),
    ),
    (r"Timer unit: ", Kind("what line_profiler prints", RECORD)),
    (
        r"Flat profile:|[\s\S]{0,300}% +cumulative +self",
        Kind("what gprof prints", "Record with `perf record -g` or callgrind"),
    ),
    (
        r"# To display the perf\.data|# Total Lost Samples|# Overhead +",
        Kind("what `perf report` prints", "Choose what `perf script` prints, or perf.data itself"),
    ),
    (r"\s*Performance counter stats for", Kind("what `perf stat` prints", "Record with `perf record -g`")),
    (r"==\d+== ", Kind("a log of Valgrind", "Choose the file callgrind.out.PID")),
    (
        r"Full thread dump|[\s\S]{0,200}\nFull thread dump",
        Kind("a thread dump of Java", "Record with `jcmd PID JFR.start`"),
    ),
    (r"go test |goos: ", Kind("what a test of Go prints", "Record it with `go test -cpuprofile cpu.pb.gz`")),
    (r"top - \d\d:|Processes: \d+ total|USER +PID +%CPU| *PID +(?:TTY|USER|PPID)", Kind("a list of processes", RECORD)),
    (r"commit [0-9a-f]{40}\b", Kind("a log of git", RECORD)),
    (r"diff --git |--- .*\n\+\+\+ ", Kind("a list of changes (diff)", RECORD)),
    (r"shared-library,|v8-version;", Kind("a log of an old V8", "Record with today's `node --prof`")),
    (
        r"(?:Attaching \d+ probes?\.*\s*)?@\w*\[\s*\n",
        Kind(
            "what bpftrace prints of stacks", "Fold them with `stackcollapse-bpftrace.pl` and choose what that writes"
        ),
    ),
    (r"#!", Kind("a program's source", RECORD)),
    (
        r"BEGIN:V(?:CARD|CALENDAR)|From: |Return-Path: |Received: ",
        Kind("mail, contacts or dates", "Choose a recording of a profiler"),
    ),
)
"""By how a text begins."""
MOSTLY: tuple[tuple[str, Kind], ...] = (
    (
        r"\S+ \S+ \S+ \[[^\]]+\] \"[A-Z]+ |\S+ \d+ \d+\.\d+ \"|\d{4}-\d\d-\d\d [\d:]{8} \S+ (?:GET|POST|HEAD|PUT)",
        Kind("a log of a server's requests", LOG),
    ),
    (
        r"(?:\[\d+\] *)?\[?(?:<\d+>)?(?:\w{3} +\d+ \d\d:\d\d:\d\d|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d)",
        Kind("a log", LOG),
    ),
    (r"\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b", Kind("a log", LOG)),
    (r"\[ *\d+\.\d+\] ", Kind("a log of the kernel", LOG)),
    (r"\s*\S.*-\d+ +(?:\( *\S+\) +)?\[\d+\] .*\d\.\d+: +\w+:", KERNEL_EVENTS),
    (r"(?:\[pid +)?\d* ?(?:\d+[.:]\S+ )?\w+\(.*\) += ", Kind("system calls (strace)", "Record with `perf record -g`")),
    (
        r"(?:INSERT|CREATE|SELECT|UPDATE|DELETE|DROP|ALTER|BEGIN|COMMIT|SET)\b",
        Kind("statements for a database (SQL)", RECORD),
    ),
    (r"[-dlbcps][-rwxsStT]{9}", Kind("a list of files", RECORD)),
    (r"[A-Za-z0-9+/]{56,}={0,2}\s*$", Kind("a file in base64", "Decode it with `base64 -d` and choose what comes out")),
    (r"[ \t]+[0-9a-f]{2,16} \S.*(?:\+0x[0-9a-f]+|\(\S+\))", PERF_FIELDS),
    (
        r"\s+\S+`\S+",
        Kind("what DTrace prints of stacks", "Fold them with `stackcollapse.pl` and choose what that writes"),
    ),
)
"""By how most of its lines begin."""
PARTLY: tuple[tuple[str, Kind], ...] = (
    (r"\s+at [\w.$<>/]+\(|Caused by: ", Kind("a stack trace of an error (Java)", RECORD)),
    (r"  File \".*\", line \d+", Kind("a stack trace of an error (Python)", RECORD)),
    (
        r"\s+at (?:async )?[\w.<>$ ]*\(?(?:file|node|http|/|[A-Z]:)",
        Kind("a stack trace of an error (JavaScript)", RECORD),
    ),
    (r"goroutine \d+ \[|\t.*\.go:\d+", Kind("a stack trace of an error (Go)", RECORD)),
    (r"#\d+ +(?:0x[0-9a-f]+ in )?\S", Kind("a stack trace of a debugger", RECORD)),
    (r"\t(?: +[0-9a-f]{1,16}|[0-9a-f]{12,16}) \S", PERF_FIELDS),
    (r"\s+from .*:\d+:in [`']", Kind("a stack trace of an error (Ruby)", RECORD)),
)
"""By how some of its lines begin."""
SEPARATORS = {",": "a table (CSV)", ";": "a table (CSV)", "\t": "a table (TSV)", "|": "a table"}
CELL_WORDS = 3
"""Words in a cell of a table, on average, at most."""
LINE_CHARACTERS = 500
SETTING = lazy_regex(r"\s*(?:\[[^\]]+\]|[\w.\-\"']+ *[=:](?: |$|\S))")
SOURCE = lazy_regex(
    r"\s*(?:#include|#define|import |from \S+ import|def |class |function\b|package |public |private |static |return\b|"
    r"if ?\(|for ?\(|\} *$|//|/\*|\*|const |let |var |fn |func |use |end$|\.PHONY|FROM |RUN |\t)"
)
HEADING = lazy_regex(r"#{1,6} \S|```|[-*] \S|={3,}$|-{3,}$|\d+\. \S|\.\. ")
CALL = lazy_regex(r"\s*[\w.$]+\s*[(=]")
KEY = lazy_regex(r'"[^"\n]{1,80}"\s*:')
OF_JSON = lazy_regex(r'"(?:[^"\\]|\\.)*+"?|[\d.eE+-]+|true|false|null|[\s{}\[\],:]')
JSON_CHARACTERS, LEAST_KEYS, MOST_ELSE = 4_096, 8, 0.05
PART_OF_JSON = Kind(
    "JSON within other text, or without its beginning", "Save all of the JSON, and nothing else, as a file"
)
TABLE = "Of a profile, choose the recording itself; of stacks, write `outer;inner weight` lines"
QUOTED_STACKS = Kind(
    "stacks with a mark or a number before each line, as mail, `grep -n` or a list of changes put it there",
    "Choose the file that they were taken from",
)
PROSE = Kind("text, but not of a profiler that is known here", RECORD)


def text_kind(text: str, name: str) -> Kind:
    """What a text is, by how it begins, then by its lines, then by the ending of its name."""
    start = text.lstrip()[:FIRST_CHARACTERS]
    for pattern, kind in FIRST:
        if re.match(pattern, start):
            return kind
    lines = [line for line in text.split("\n", LINES)[:LINES] if line.strip()]
    if not lines:
        return Kind("blank", RECORD)
    for least, kinds in ((MOST, MOSTLY), (SOME, PARTLY)):
        for pattern, kind in kinds:
            if _share(re.compile(pattern), lines) >= least:
                return kind
    return _by_shape(lines, name)


def _by_shape(lines: list[str], name: str) -> Kind:
    if _is_part_of_json("\n".join(lines)[:JSON_CHARACTERS]):
        return PART_OF_JSON
    if sum(split_weight(line) is not None for line in lines) >= MOST * len(lines) and are_quoted(lines):
        return QUOTED_STACKS
    for separator, what in SEPARATORS.items():
        counts = Counter(line.count(separator) for line in lines)
        cells, times = counts.most_common(1)[0]
        if (
            cells
            and times >= 2
            and times >= MOST * len(lines)
            and _words(lines, separator) <= CELL_WORDS
            and not (separator == ";" and cells == 1 and _ends(lines))
        ):
            return Kind(what, TABLE)
    if name.endswith((".md", ".rst")) or _share(HEADING, lines) >= SOME:
        return Kind("a document with headings and lists", RECORD)
    if _share(SOURCE, lines) >= 0.4:
        return Kind("a program's source", RECORD)
    if _share(SETTING, lines) >= MOST:
        return Kind("settings", RECORD)
    if any(";" in line for line in lines) and _ends(lines):
        return Kind(
            "text, but not collapsed stacks",
            "Stacks are lines `outer;inner weight` with callers in common; call it .folded if it is",
        )
    return PROSE


def _is_part_of_json(text: str) -> bool:
    """Whether there is little besides JSON and it has many members; it may begin within a text."""
    if len(KEY.findall(text)) < LEAST_KEYS or CALL.match(text):
        return False
    parts = text, text.partition('"')[2]
    return any(len(OF_JSON.sub("", part)) <= MOST_ELSE * len(part) for part in parts)


def _words(lines: list[str], separator: str) -> float:
    """Words in a cell, on average: prose has commas, too."""
    cells = [cell for line in lines for cell in line[:LINE_CHARACTERS].split(separator)]
    return sum(len(cell.split()) for cell in cells) / len(cells)


def _ends(lines: list[str]) -> bool:
    """Whether most lines end in a number."""
    return sum(line.rstrip()[-1:].isdigit() for line in lines) >= MOST * len(lines)


def _share(pattern: re.Pattern[str], lines: list[str]) -> float:
    return sum(pattern.match(line[:LINE_CHARACTERS]) is not None for line in lines) / len(lines)
