"""Causes that functions' names betray, with the program's own function behind them: backtracking expressions,
exceptions, membership in lists, imports at the start, collection, calls that block an event loop.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_share
from traces.equal_rows import distinct
from traces.insights.culprits import frames_of
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Int64
from traces.values import Counts, Unit, Waits

MATCHING = lazy_regex(
    r"^RegExp: |'(?:match|search|sub|subn|findall|split|fullmatch|finditer)' of 're\.Pattern'|SRE_Pattern|"
    r"\bre\.Pattern\.(?:match|search|subn?|findall|split|fullmatch)|\b_sre\b|sre_u?(?:match|search)|"
    r"\bpcre2?_(?:exec|match|jit)\w*|java\.util\.regex\.(?:Pattern\$|Matcher)|onig_(?:search|match)|match_at\b|"
    r"\bpreg_(?:match|replace|split)\w*|Regex(?:Interpreter|Runner)|RegExp\.(?:prototype\.)?(?:test|exec)|"
    r"\b(?:Regexp#match\??|String#(?:match\??|=~|gsub|scan))|boost::re_detail|std::__detail::_Executor"
)
"""Engines that go back when a match fails; those of Go, Rust and RE2 take linear time."""
COMPILES = lazy_regex(r"regex[.:]Pattern[.:]compile|sre_compile|re\.compile|regcomp|Regexp#initialize|RegExp: compile")
PATTERN_TEXT = lazy_regex(r"^RegExp: (.*)$", re.DOTALL)
AMBIGUOUS = lazy_regex(r"\((?:\?:)?[^()]*[+*][^()]*\)[+*{]|\(\w*[^()]*\|[^()]*\)[+*{]|\.[*+][^|)]*\.[*+]")
"""A quantifier in a group with a quantifier, an alternative below one, or two of `.*`."""
THROWING = lazy_regex(
    r"Exception[:.]<?(?:init|forInputString|for\w+|new)|Throwable[:.](?:<init>|fillInStackTrace)|fillInStackTrace|"
    r"Error[:.]<init>|__cxa_(?:throw|allocate_exception|begin_catch)|_Unwind_\w+|[cC]aptureStackTrace|JIT_Throw|"
    r"IL_Throw|rb_exc_raise|runtime\.gopanic|prepareStackTrace|\btraceback\.(?:format_\w+|extract\w*)|"
    r"StackTraceElement|getOurStackTrace|backtrace_full|NumberFormatException|"
    r"^Exception#(?:initialize|exception|backtrace|set_backtrace|full_message)$"
)
DESCRIBING = lazy_regex(r"#(?:inspect|to_s|message|detailed_message)$")
"""What Ruby's own functions call only for the text of the error that they raise."""
MEMBER = lazy_regex(
    r"(?:^|[.:>#/\s$])_?(?:(?:is_?)?already_?\w+|was_?seen|seen_?before|has_?seen|is_?(?:known|duplicate|seen|member|taken)|"
    r"contains\w*|in_?list|in_?array|index_?of|find_?(?:index|duplicate|existing|by_?\w+|in_?\w+)?|lookup\w*|exists\w*|"
    r"linear_?search|search_?list|walk_?(?:to_?end|list|all)|position_?of|find_?linear|array_search|includes)$",
    re.IGNORECASE,
)
SCANNING = lazy_regex(
    r"memeq\w*|memcmp\w*|strcmp\w*|__strcmp\w*|memequal|\bequals?\b|strequal|StringEqual|EqualsBuffer|"
    r"slices\.(?:Contains|Index)|Array\.(?:includes|indexOf|find)|ArrayList[.:](?:contains|indexOf)|indexOfRange|"
    r"^_*str(?:len|cat|chr)(?:_\w+)?$|in_array|array_search|\bindexOf\b|list\.(?:index|__contains__)|__eq__|Array#include\?|find_if|PartialEq|richcompare",
)
LISTING = lazy_regex(
    r"ArrayList[.:](?:contains|indexOf)|Array\.(?:prototype\.)?(?:includes|indexOf|find)$|slices\.(?:Contains|Index)\w*$|"
    r"in_array|array_search|Array#include\?|list\.(?:index|__contains__)|CopyOnWriteArrayList[.:]\w+|LinkedList[.:](?:contains|indexOf|get)"
)
"""What libraries call a search that walks a list."""
PREPARING = lazy_regex(
    r"(?:^|[._:#])_?(?:start_?[uU]p|boot(?:strap)?(?:_?[aA]pp)?|initiali[sz]e_?(?:[aA]ll|[aA]pp)|init_?(?:[aA]ll|[aA]pp)|"
    r"warm_?[uU]p|prepare_?[aA]ll|set_?up_?(?:[aA]ll|[aA]pp)|load_?(?:[aA]ll|[eE]verything|[pP]lugins))$"
)
"""Functions that make a program ready, by their names."""
HASHED = lazy_regex(
    r"mapaccess|HashMap|HashSet|hash_?table|unordered_|dict_lookup|lookdict|hash_one|HashTable", re.IGNORECASE
)
IMPORTING = lazy_regex(
    r"^(?:_find_and_load|_find_and_load_unlocked|import_module|_gcd_import|__import__)$|builtins\.__import__|"
    r"ClassLoader[:.](?:loadClass|findClass|defineClass\w*)|ClassLoaders?\$\w+[:.]loadClass|"
    r"Kernel#require\w*|^dlopen\w*$|^_dl_(?:open|relocate)\w*$"
)
REQUIRING = lazy_regex(r"^(?:require|Module\.require|Module\.prototype\.require|importSyncForRequire)$")
BLOCKING = lazy_regex(
    r"\btime\.sleep\b|'sleep' of|^sleep$|\bsubprocess\.|\bPopen\.(?:wait|communicate)|requests\.\w+|"
    r"\burlopen\b|socket\.(?:recv|connect|send)\w*|getaddrinfo|\bSession\.(?:request|send|get)\b|Atomics\.wait|"
    r"Thread\.sleep|sqlite3\.\w+|pbkdf2_hmac|\bscrypt\b|\bhashpw\b|bcrypt"
)
FILE_SYNC = lazy_regex(r"(?:read|write|append|copy|open|stat|readdir|exists|unlink|fsync)\w*Sync$")
HASHING = lazy_regex(r"^(?:pbkdf2|scrypt|exec|execFile|spawn|hash|compare|genSalt)Sync$|Atomics\.wait$")
BLOCKING_NODE = lazy_regex(r"\w+Sync$|Atomics\.wait$")
"""Node's own names for what does not return to the loop."""
LOOP = lazy_regex(r"^(?:BaseEventLoop\.|_UnixSelectorEventLoop\.)?_run_once$|^(?:Handle|Task)\._run$|^uv__?\w*run\w*$")
STARTING = lazy_regex(
    r"^(?:Module\._compile|Module\._load|executeUserEntryPoint|runMain\w*|Module\._extensions\.\.js|wrapModuleLoad)$|run_main_module"
)
ALLOCATING = lazy_regex(
    r"runtime\.(?:mallocgc\w*|gcAssistAlloc\w*|makeslice|newobject|growslice|gcBgMarkWorker)|\(garbage collector\)|"
    r"\bgc_collect\w*|_?PyGC_\w+|gc\.collect|GC_\w*[Aa]lloc|JIT_New\w*|\bgcalloc"
)


def _claim(
    subject: Subject,
    rows: Int64,
    detail: str,
    severity: Severity,
    advice: str,
    *,
    confidence: Confidence,
    is_own: bool = False,
) -> Verdict:
    """A finding on the own function above most of some rows, then the heaviest of the rows' functions. In `detail`,
    `{0}` is the own function (the heaviest of the rows where none is known) and `{where}` how to name the other.
    `is_own`: the rows may be the program's own themselves."""
    tree = subject.heavy
    named = np.zeros(len(subject.trace.frames), np.bool_)
    named[tree.frame[rows]] = not is_own
    culprit = subject.own.weightiest(rows, tree.total[rows], but=named)
    below = np.bincount(tree.frame[rows], weights=tree.total[rows])
    frames = list(dict.fromkeys([*([] if culprit is None else [culprit]), int(np.argmax(below))]))
    where = ", most of it {1}" if len(frames) > 1 else ""
    value = float(tree.total[rows].sum())
    return Verdict(
        State.FAIL,
        detail.replace("{where}", where),
        severity,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in frames),
        profile=subject.profile.handle,
        share=min(value / subject.total, 1.0),
        advice=advice,
        confidence=confidence,
    )


def _part(subject: Subject, rows: Int64) -> tuple[float, str]:
    """The share of some rows that lie below none of each other, and how to say it."""
    value = float(subject.heavy.total[rows].sum())
    share = value / subject.total
    return share, f"{subject.amount(value)} ({format_share(share)})"


def _grade(share: float) -> Severity:
    return Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM


def _measures_work(subject: Subject) -> bool:
    return subject.unit is not Unit.BYTES and subject.profile.waits is not Waits.WAITING


def _backtracking(subject: Subject) -> Verdict:
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    rows = subject.own.entering(subject.own.named(MATCHING))
    share, said = _part(subject, rows) if len(rows) else (0.0, "nothing")
    if share < threshold("backtracking.share"):
        return passed(f"{format_share(share)} is matching regular expressions", share=share)
    tree = subject.heavy
    heaviest = int(rows[np.argmax(tree.total[rows])])
    text = PATTERN_TEXT.match(subject.trace.frame_name(int(tree.frame[heaviest])))
    if text is not None and not AMBIGUOUS.search(text[1]):
        return passed(f"the expression that takes {said} is not ambiguous", share=share)
    compiling = subject.own.entering(subject.own.named(COMPILES))
    if _part(subject, compiling)[0] >= threshold("stacks.share"):
        return passed("much of it is compiling expressions, and none is known to go back", share=share)
    calls, each = _calls_of(subject, rows)
    if calls and each < threshold("backtracking.mean"):
        return passed(f"{calls:,} matches take {subject.amount(each)} each: many, and each is short", share=share)
    known = text is not None or bool(calls)
    number = f", {subject.amount(each)} for each of {calls:,} matches" if calls else ""
    return _claim(
        subject, rows, f"Matching regular expressions in {{0}} takes {said}{{where}}{number}: so much in one "
        "expression is catastrophic backtracking.", _grade(share),
        "Rewrite the pattern so that it is unambiguous (no quantifier inside a quantified group; atomic or possessive "
        "groups), anchor it, or use a linear-time engine such as RE2.",
        confidence=Confidence.HIGH if text is not None else Confidence.MEDIUM if known else Confidence.LOW,
    )  # fmt: skip


def _calls_of(subject: Subject, rows: Int64) -> tuple[int, float]:
    """How often some rows were called and the mean of one, where calls are counted and measured in time."""
    if subject.profile.counts is not Counts.CALLS or not subject.unit.is_time:
        return 0, 0.0
    calls = int(subject.profile.tree.count[subject.heavy.node[rows]].sum())
    return calls, float(subject.heavy.total[rows].sum()) / calls if calls else 0.0


def _exceptions(subject: Subject) -> Verdict:
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    rows = _raising(subject, subject.own.entering(subject.own.named(THROWING)))
    share, said = _part(subject, rows) if len(rows) else (0.0, "nothing")
    if share < threshold("stacks.share"):
        return passed(f"{format_share(share)} is making and throwing exceptions", share=share)
    return _claim(
        subject, rows, f"Making and throwing exceptions below {{0}} takes {said}{{where}}: they are its ordinary flow.",
        _grade(share), "Check the value before instead of catching what it throws, or throw without a stack trace.",
        confidence=Confidence.MEDIUM,
    )  # fmt: skip


def _raising(subject: Subject, rows: Int64) -> Int64:
    """The rows that make exceptions, or in place of one that a native function of Ruby calls, this function's, where it
    calls nothing but what raising needs: raising has no frame, and is its own time."""
    tree, own = subject.heavy, subject.own
    needed = own.named(THROWING) | own.named(DESCRIBING)
    calls_other = np.zeros(len(tree) + 1, np.bool_)
    calls_other[tree.parent[~needed[tree.frame]]] = True
    native = np.zeros(len(subject.trace.frames), np.bool_)
    for frame in frames_of(tree).tolist():
        native[frame] = subject.trace.frame_file(frame) == "<cfunc>"
    callers = tree.parent[rows]
    raises = (callers != NONE) & ~calls_other[callers]
    raises &= native[tree.frame[callers]]
    return distinct(np.where(raises, callers, rows)).astype(np.int64)


def _membership(subject: Subject) -> Verdict:
    """A function that answers whether something is among others, and spends itself comparing."""
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    tree, own = subject.heavy, subject.own
    listing = own.named(LISTING)
    member = own.named(MEMBER) & own.frames | listing
    rows = own.entering(member)
    share, said = _part(subject, rows) if len(rows) else (0.0, "nothing")
    if share < threshold("membership.share"):
        return passed(f"{format_share(share)} is looking for one among others", share=share)
    inside = own.above(member[tree.frame]) >= 0
    comparing = own.named(SCANNING)[tree.frame] | member[tree.frame]
    hashed = own.named(HASHED)[tree.frame]
    compared = float(tree.own[inside & comparing].sum())
    if (inside & hashed).any() or compared < 0.5 * float(tree.total[rows].sum()):
        return passed("what looks for one among others does not walk a list", share=share)
    return _claim(
        subject, rows, f"Looking for one among many in {{0}} takes {said}, nearly all in comparing: a linear search of "
        "a list, quadratic in all where the list grows with the input.", _grade(share),
        "Keep a set or a map beside the list and look it up there.", confidence=Confidence.MEDIUM,
        is_own=not listing[tree.frame[rows]].any(),
    )  # fmt: skip


def _cold_start(subject: Subject) -> Verdict:
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    own, tree = subject.own, subject.heavy
    frames = own.named(IMPORTING)
    rows = own.entering(frames)
    required = np.flatnonzero(own.named(REQUIRING)[tree.frame])
    # Node runs a program's first file inside a loader, but calls `require` only for what that file needs.
    above = np.append(own.above(own.named(REQUIRING)[tree.frame]), NONE)
    rows = np.concatenate((rows, required[above[tree.parent[required]] == NONE])).astype(np.int64)
    share, said = _part(subject, rows) if len(rows) else (0.0, "nothing")
    value = float(tree.total[rows].sum())
    if share < threshold("cold-start.share") or (subject.unit.is_time and value < threshold("cold-start.length")):
        return passed(f"{format_share(share)} is importing modules and loading classes", share=share)
    # The program's own importing: what an imported module does is no caller of the first import.
    return _claim(
        subject, rows, f"Loading modules takes {said} of the recording, asked for by {{0}}: a cold start, paid before "
        "the work begins.", _grade(share),
        "Import lazily: inside the function, when it is first needed; load fewer plugins and modules at the start.",
        confidence=Confidence.MEDIUM,
    )  # fmt: skip


def _start_phase(subject: Subject) -> Verdict:
    """A function that makes the program ready and takes most of the run."""
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    rows = subject.own.entering(subject.own.named(PREPARING) & subject.own.frames)
    share, said = _part(subject, rows) if len(rows) else (0.0, "nothing")
    value = float(subject.heavy.total[rows].sum())
    if share < threshold("start-phase.share") or (subject.unit.is_time and value < threshold("cold-start.length")):
        return passed(f"{format_share(share)} is making ready, by functions' names", share=share)
    below = np.flatnonzero(np.isin(subject.heavy.parent, rows))
    most = int(below[np.argmax(subject.heavy.total[below])]) if len(below) else int(rows[0])
    frames = list(dict.fromkeys((int(subject.heavy.frame[rows[0]]), int(subject.heavy.frame[most]))))
    where = ", most of it in {1}" if len(frames) > 1 else ""
    return Verdict(
        State.FAIL,
        f"{{0}} takes {said} at the start, before the work begins{where}: a cold start.",
        _grade(share),
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in frames),
        profile=subject.profile.handle,
        share=min(share, 1.0),
        advice="Prepare lazily: each thing on demand, when it is first needed, not all of them at the start.",
        confidence=Confidence.MEDIUM,
    )


def _explicit(subject: Subject) -> npt.NDArray[np.bool_]:
    """Which frames are calls for a collection, among them CPython's own where only its bare name is known."""
    found = subject.matching("explicit-collection")
    for frame in subject.read_frames.tolist():
        bare = subject.trace.frame_name(frame) == "collect"
        found[frame] |= bare and subject.trace.frame_file(frame) in ("<built-in>", "~")
    return found


def _collection_pressure(subject: Subject) -> Verdict:
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    asked_for = subject.own.entering(_explicit(subject))
    share, said = _part(subject, asked_for) if len(asked_for) else (0.0, "nothing")
    if share >= threshold("collection-pressure.share"):
        return _claim(
            subject, asked_for, f"Garbage collection that the program itself asks for takes {said}, called by {{0}}"
            "{where}.", _grade(share),
            "Do not call the collector there: leave it to the runtime, and allocate less, reuse objects.",
            confidence=Confidence.HIGH,
        )  # fmt: skip
    found = subject.category("garbage-collection")
    if found.share < threshold("collection-pressure.share"):
        return passed(f"{format_share(found.share)} is garbage collection by name", share=found.share)
    own, tree = subject.own, subject.heavy
    rows = np.flatnonzero(own.named(ALLOCATING)[tree.frame])
    above = np.append(own.above(own.named(ALLOCATING)[tree.frame]), NONE)[tree.parent[rows]]
    asked = rows[(above == NONE) & (own.nearest[rows] >= 0)]
    said = f"{subject.amount(found.value)} ({format_share(found.share)})"
    if not len(asked):
        return passed(f"garbage collection takes {said}; who allocates is not known", share=found.share)
    return _claim(
        subject, asked, f"Garbage collection takes {said}; most of what is allocated comes from {{0}}.",
        _grade(found.share), "Allocate less there: reuse buffers and objects, preallocate, use a pool.",
        confidence=Confidence.MEDIUM,
    )  # fmt: skip


def is_event_loop(subject: Subject) -> bool:
    """Whether the main profile is of Node's thread, which runs its event loop."""
    return any("node:" in (subject.trace.frame_file(int(f)) or "") for f in frames_of(subject.heavy)[:4000])


def own_start(subject: Subject) -> npt.NDArray[np.bool_]:
    """The rows of the heavy tree in which Node loads the program and runs its first file."""
    own = subject.own
    found: npt.NDArray[np.bool_] = own.above(own.named(STARTING)[subject.heavy.frame]) >= 0
    return found


def _blocked_loop(subject: Subject) -> Verdict:
    if not _measures_work(subject):
        return not_applicable("it does not measure work")
    own, tree = subject.own, subject.heavy
    loop = own.above(own.named(LOOP)[tree.frame]) >= 0
    is_node = is_event_loop(subject)
    if not (loop.any() or is_node):
        return not_applicable("no event loop was recorded")
    # What a server hashes or waits for blocks it, also where a script of one file stands for the server.
    in_loop = ~own_start(subject) | own.named(HASHING)[tree.frame] if is_node else loop
    rows = own.entering(own.named(BLOCKING_NODE if is_node else BLOCKING))
    rows = rows[in_loop[rows]]
    share, said = _part(subject, rows) if len(rows) else (0.0, "nothing")
    value = float(tree.total[rows].sum())
    if share < threshold("event-loop.share") or (subject.unit.is_time and value < threshold("event-loop.length")):
        return passed(f"{format_share(share)} is synchronous calls that block", share=share)
    files = own.named(FILE_SYNC)[tree.frame[rows]]
    on = ", which is file access on the main thread" if tree.total[rows[files]].sum() * 2 > value else ""
    return _claim(
        subject, rows, f"Synchronous calls below {{0}} block the event loop for {said}{{where}}{on}: nothing else runs "
        "meanwhile.", _grade(share),
        "Use the asynchronous version, or move the call to a worker thread or an executor.",
        confidence=Confidence.MEDIUM,
    )  # fmt: skip


LOADING: Sequence[str] = ("What is imported first?",)
DETECTORS = (
    Detector("regex-backtracking", Kind.OVERHEAD, "Regex backtracking", "a regular expression that dominates",
             _backtracking, ("backtracking.share", "backtracking.mean", "hot-function.high"),
             ("Which expression is it?",), Confidence.MEDIUM, "regex_backtracking"),
    Detector("thrown-exceptions", Kind.OVERHEAD, "Exceptions as control flow", "making exceptions and their stack "
             "traces below one function", _exceptions, ("stacks.share", "hot-function.high"), ("Who throws?",),
             Confidence.MEDIUM, "exceptions_as_control_flow"),
    Detector("list-search", Kind.CODE, "Growth with size", "membership searched for in a list, by functions' names",
             _membership, ("membership.share", "hot-function.high"), ("Does it grow with the input?",),
             Confidence.MEDIUM, "superlinear_growth"),
    Detector("cold-start", Kind.OVERHEAD, "Cold start", "imports and class loading as a phase of the run", _cold_start,
             ("cold-start.share", "cold-start.length", "hot-function.high"), tuple(LOADING), Confidence.MEDIUM,
             "cold_start"),
    Detector("start-phase", Kind.OVERHEAD, "Cold start", "functions that make the program ready, by their names",
             _start_phase, ("start-phase.share", "cold-start.length", "hot-function.high"), tuple(LOADING),
             Confidence.MEDIUM, "cold_start"),
    Detector("collection-pressure", Kind.RUNTIME, "GC pressure", "garbage collection and the function that allocates",
             _collection_pressure, ("collection-pressure.share", "hot-function.high"), ("Who allocates?",),
             Confidence.MEDIUM, "gc_pressure"),
    Detector("blocked-event-loop", Kind.TIMELINE, "Blocked event loop", "synchronous calls on an event loop's thread",
             _blocked_loop, ("event-loop.share", "event-loop.length", "hot-function.high"),
             ("What blocks the event loop?",), Confidence.MEDIUM, "blocked_event_loop"),
)  # fmt: skip
