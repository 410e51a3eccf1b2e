"""What loading a page in Chrome waits for: the server, blocking requests, chains of them, late ones, other sites."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.equal_rows import numbered
from traces.insights.insight import (
    Confidence,
    Detector,
    Evidence,
    Kind,
    Severity,
    State,
    Verdict,
    not_applicable,
    passed,
)
from traces.insights.page import LOADING, NAVIGATION
from traces.insights.page_experience import web_host
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.model import NONE, Int32, Int64, Profile, Trace
from traces.values import Unit

BLOCKING = ("blocking", "in_body_parser_blocking")
"""Chrome's words for requests that painting waits for."""
URGENT = ("VeryHigh", "High")
"""Chrome's priorities of what the first view needs."""
FIRST_PAINT = "firstContentfulPaint"
Texts = npt.NDArray[np.object_]
NO_REQUESTS = "requests and the first paint are not in the trace's columns"
DOTTED_NUMBERS = re.compile(r"[\d.]+(?::\d+)?|\[.*")


@dataclass(frozen=True)
class Load:
    """One load of a page: when it was navigated to, its first paint, the request of its document, and all requests of
    the document in order of time. `rows` and `document` are rows of the trace's requests."""

    subject: Subject
    profile: Profile
    began: int
    painted: int
    document: int
    rows: Int64

    @cached_property
    def urls(self) -> Texts:
        """By row of the trace's requests."""
        return _texts(self.subject.trace, self.subject.trace.requests.url)

    def lasted(self, row: int) -> int:
        requests = self.subject.trace.requests
        return int(requests.end[row] - requests.start[row])

    def evidence(self, *rows: int, value: str = "") -> tuple[Evidence, ...]:
        """The thread, which can be shown, then the requests, which have no handle."""
        asked = (Evidence("", self.urls[row] or "(no address)", _time(self.lasted(row))) for row in rows)
        return Evidence(self.profile.handle, self.profile.name, value), *asked

    def window(self, start: float, end: float) -> Window:
        first = min(max(start, self.profile.axis_start), self.profile.axis_end)
        return Window(float(first), float(max(end, first + 1)))


def _texts(trace: Trace, column: Int32) -> Texts:
    """The texts of a column, each decoded once; empty for -1."""
    known, places = numbered(column)
    texts = np.array(["" if index == NONE else trace.strings[index] for index in known.tolist()], object)
    return texts[places]


def _load(subject: Subject) -> Load | None:
    """The load with the first paint; None where its document's request or the paint was not recorded."""
    requests, paints = subject.trace.requests, subject.marks(FIRST_PAINT)
    if not len(requests) or not len(paints):
        return None
    is_document = _texts(subject.trace, requests.kind) == "Document"
    documents = np.flatnonzero(is_document & (requests.start <= paints[-1]) & (requests.profile != NONE))
    if not len(documents):
        return None
    # Frames inside the page load documents, too: the page itself asks for most.
    asking, number = numbered(requests.document)
    asked = np.bincount(number)[number[documents]]
    page = asking[number[documents[int(np.argmax(asked))]]]
    document = int(documents[requests.document[documents] == page][-1])
    start = int(requests.start[document])
    before = subject.marks(*NAVIGATION)
    before = before[before <= start]
    profile = subject.trace.profiles[int(requests.profile[document])]
    rows = np.flatnonzero((requests.document == page) & (requests.start >= start))
    painted = int(paints[paints >= start][0])
    return Load(subject, profile, int(before[-1]) if len(before) else start, painted, document, rows)


def _time(value: int) -> str:
    return format_value(value, Unit.NANOSECONDS)


def _covered(starts: Int64, ends: Int64) -> int:
    """How much time some intervals, in order of their start, cover together."""
    reached = np.maximum.accumulate(ends)
    return int(np.maximum(reached - np.maximum(starts, np.concatenate((starts[:1], reached[:-1]))), 0).sum())


def _render_blocking(subject: Subject) -> Verdict:
    load = _load(subject)
    if load is None:
        return not_applicable(NO_REQUESTS)
    requests = subject.trace.requests
    if not (requests.blocking[load.rows] != NONE).any():
        return not_applicable("whether painting waits for requests was not recorded")
    is_blocking = np.isin(_texts(subject.trace, requests.blocking)[load.rows].astype(str), BLOCKING)
    rows = load.rows[is_blocking & (requests.end[load.rows] <= load.painted)]
    blocked = _covered(requests.start[rows], requests.end[rows]) if len(rows) else 0
    if blocked < threshold("render-blocking.length"):
        return passed(f"the first paint waited {_time(blocked)} for blocking requests")
    share = min(blocked / max(load.painted - load.began, 1), 1.0)
    longest = sorted(rows.tolist(), key=load.lasted, reverse=True)[:4]
    asked = f"{len(rows):,} requests, the longest" if len(rows) > 1 else "one request"
    late = load.painted - load.began > threshold("fcp.medium")
    heavy = share >= threshold("render-blocking.share")
    return Verdict(
        State.FAIL,
        f"The first paint on {{0}} waits {_time(blocked)} ({format_share(share)} of the time from the navigation on) "
        f"for {asked} ({_time(load.lasted(longest[0]))}) {{1}}: rendering is blocked until then.",
        Severity.HIGH if heavy and late else Severity.MEDIUM if heavy else Severity.LOW,
        load.evidence(*longest, value=_time(blocked)),
        profile=load.profile.handle,
        window=load.window(float(requests.start[rows].min()), float(requests.end[rows].max())),
        share=share,
        advice="Load scripts with defer or async, inline the styles of the first view and load the others later.",
    )


def _request_chain(subject: Subject) -> Verdict:
    load = _load(subject)
    if load is None:
        return not_applicable(NO_REQUESTS)
    requests = subject.trace.requests
    if not (requests.found_in[load.rows] != NONE).any():
        return not_applicable("what requests were found in was not recorded")
    above = _above(load)
    length: dict[int, int] = {}
    for row, parent in above.items():
        length[row] = 1 + length.get(parent, 0)
    shown = max([load.painted, *subject.marks("largestContentfulPaint::Candidate").tolist()])
    is_urgent = np.isin(_texts(subject.trace, requests.priority)[load.rows].astype(str), URGENT)
    needed = load.rows[is_urgent & (requests.end[load.rows] <= shown)].tolist()
    late = [row for row in needed if length[row] >= threshold("request-chain.requests")]
    answered = int(requests.end[load.document])
    delay = int(requests.start[late[-1]]) - answered if late else 0
    if delay < threshold("request-chain.length"):
        return passed("what the first view needs is found in the document, or soon after it")
    chain = [late[-1]]
    while (parent := above[chain[-1]]) != NONE:
        chain.append(parent)
    return Verdict(
        State.FAIL,
        f"The page on {{0}} needs {{1}} early, but can ask for it only {_time(delay)} after the document came: "
        f"it is found in {{2}}, the last of {len(chain) - 1:,} requests that had to come before it.",
        Severity.MEDIUM if delay >= threshold("request-chain.high") else Severity.LOW,
        load.evidence(*chain[:4], value=_time(delay)),
        profile=load.profile.handle,
        window=load.window(answered, float(requests.end[late[-1]])),
        share=min(delay / max(shown - load.began, 1), 1.0),
        advice="Name it in the document (a link with rel=preload, or a script of its own) so that it loads at once.",
        confidence=Confidence.MEDIUM,
    )


def _above(load: Load) -> dict[int, int]:
    """The request that brought what each request was found in, or -1."""
    found_in = _texts(load.subject.trace, load.subject.trace.requests.found_in)
    first: dict[str, int] = {}
    above: dict[int, int] = {}
    for row in load.rows.tolist():  # in order of time: what a request was found in stands before it
        above[row] = first.get(found_in[row], NONE)
        first.setdefault(load.urls[row], row)
    return above


def _slow_document(subject: Subject) -> Verdict:
    load = _load(subject)
    if load is None:
        return not_applicable(NO_REQUESTS)
    waited = int(subject.trace.requests.server[load.document])
    if waited == NONE:
        return not_applicable("how long the server took was not recorded")
    if waited <= threshold("slow-document.length"):
        return passed(f"the server began to answer after {_time(waited)}")
    start = float(subject.trace.requests.start[load.document])
    return Verdict(
        State.FAIL,
        f"The server took {_time(waited)} to begin its answer with the page on {{0}}, {{1}}: all else waits for it.",
        Severity.HIGH if waited >= 3 * threshold("slow-document.length") else Severity.MEDIUM,
        load.evidence(load.document, value=_time(waited)),
        profile=load.profile.handle,
        window=load.window(start, start + waited),
        share=min(waited / max(load.painted - load.began, 1), 1.0),
        advice="Look at the server: a profile of it tells more than this trace; cache pages, answer from nearby.",
    )


def _late_requests(subject: Subject) -> Verdict:
    load, sent, painted = _load(subject), subject.marks("ResourceSendRequest"), subject.marks(FIRST_PAINT)
    if load is not None:
        sent, moment = subject.trace.requests.start[load.rows], load.painted
    elif len(sent) and len(painted):
        moment = int(painted[-1])
    else:
        return not_applicable(NO_REQUESTS)
    late = int((sent > moment).sum())
    share = late / len(sent)
    if share < threshold("late-requests.share"):
        return passed(f"{late:,} of {len(sent):,} requests started after the first paint")
    text = f"{late:,} of {len(sent):,} requests ({format_share(share)}) of {{0}} started after the first paint"
    longest = [] if load is None else sorted(load.rows[sent > moment].tolist(), key=load.lasted, reverse=True)[:4]
    evidence: tuple[Evidence, ...] = (Evidence(subject.profile.handle, subject.profile.name),)
    if load is not None and longest:
        text += f"; the longest, {{1}}, takes {_time(load.lasted(longest[0]))}"
        evidence = load.evidence(*longest)
    return Verdict(
        State.FAIL,
        f"{text}.",
        Severity.INFO,
        evidence,
        share=share,
        advice="If the first view needs them, let the HTML name or preload them; a chain of scripts is late.",
        confidence=Confidence.MEDIUM,
    )


def _other_sites(subject: Subject) -> Verdict:
    load = _load(subject)
    if load is None:
        return not_applicable(NO_REQUESTS)
    own = site(load.urls[load.document])
    sizes = np.maximum(subject.trace.requests.size[load.rows], 0)
    total_size = int(sizes.sum())
    if not own or total_size == 0:
        return not_applicable("how many bytes came from where was not recorded")
    sites = [site(url) for url in load.urls[load.rows]]
    foreign = np.array([bool(one) and one != own for one in sites], np.bool_)
    share = float(sizes[foreign].sum() / total_size)
    said = format_value(int(sizes[foreign].sum()), Unit.BYTES)
    if share < threshold("other-sites.share") or sizes[foreign].sum() < threshold("other-sites.bytes"):
        return passed(f"{said} ({format_share(share)}) of what was received come from other sites", share=share)
    order = np.argsort(-sizes * foreign, kind="stable")
    largest = [int(row) for row in load.rows[order[: min(4, int(foreign.sum()))]]]
    names = len({one for one, is_foreign in zip(sites, foreign, strict=True) if is_foreign})
    return Verdict(
        State.FAIL,
        f"{said} ({format_share(share)}) of what the page on {{0}} received come from {names:,} other "
        f"site{'s' if names > 1 else ''}; most of it, {format_value(int(sizes[order[0]]), Unit.BYTES)}, is {{1}}.",
        Severity.LOW,
        load.evidence(*largest, value=said),
        profile=load.profile.handle,
        share=share,
        advice="Serve it from the page's own site, load it later, or do without.",
        confidence=Confidence.MEDIUM,
    )


def site(url: str) -> str:
    """The last two parts of an address's host, the host itself where it is a number; empty for what is no web page.

    Hosts below a suffix of two parts, such as co.uk, count as one site: what is foreign is never overstated.
    """
    host = web_host(url).lower()
    return host if DOTTED_NUMBERS.fullmatch(host) else ".".join(host.partition(":")[0].split(".")[-2:])


DETECTORS = (
    Detector("render-blocking", Kind.PAGE, "Render-blocking requests", "requests that the first paint waits for",
             _render_blocking, ("render-blocking.length", "render-blocking.share", "fcp.medium"), LOADING),
    Detector("request-chain", Kind.PAGE, "Late-discovered requests",
             "urgent requests found only in what other requests brought", _request_chain,
             ("request-chain.requests", "request-chain.length", "request-chain.high"), LOADING),
    Detector("slow-document", Kind.PAGE, "Slow answer with the page", "time until the server answers with the document",
             _slow_document, ("slow-document.length",), LOADING),
    Detector("late-requests", Kind.PAGE, "Late requests", "requests that start after the first paint", _late_requests,
             ("late-requests.share",), LOADING),
    Detector("other-sites", Kind.PAGE, "Bytes from other sites", "what a page receives from sites other than its own",
             _other_sites, ("other-sites.share", "other-sites.bytes"), ("Which hosts' scripts take most?",)),
)  # fmt: skip
