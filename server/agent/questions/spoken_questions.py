"""Rules that make a question over many recordings of words. What they do not know is no question here."""

import re
from datetime import UTC, datetime

from server.agent.questions.checks import FINDINGS
from server.agent.questions.question_schema import Measure, Recurrence, Runs, Series, Value
from server.ports.history import KnownRuns
from traces.gate.function_keys import short_name
from traces.insights.registry import DETECTORS
from traces.lazy_regex import lazy_regex

_RUNS = r"(?:runs?|recordings?|traces?|profiles?|nights?|builds?|uploads?|commits?|releases?|versions?)"
_MANY = r"(?:runs|recordings|traces|profiles|nights|builds|uploads|commits|releases|versions|branches)"
_SINCE = lazy_regex(
    r"\bsince when\b|\bsince (?:which|what) (?:release|commit|version|build|run|recording|branch|night|day)\b|"
    r"\bwhen did\b.*\b(?:get|become|start|begin|turn|grow)\w*\b.*\b(?:slow|fast|heav|wors|bett|larg|expensive)\w*|"
    r"\bwhich (?:release|commit|version|build|run|recording) (?:made|slowed|broke|introduced|changed|regressed)\b",
    re.IGNORECASE,
)
_TREND = lazy_regex(
    rf"\b(?:over|in|across|of|for) the (?:last|past|previous) \d{{1,4}} {_RUNS}\b|"
    rf"\b(?:over|across) (?:all )?(?:of )?(?:my|our|the|all|these) {_MANY}\b|"
    r"\b(?:by|per|for each|for every) (?:release|commit|branch|version|environment|host|scenario)s?\b|"
    r"\bhow (?:has|have|did|does|do)\b.*\b(?:develop|evolv)\w*\b|"
    rf"\bhow (?:has|have|did)\b.*\bchang\w*\b.*(?:\b(?:over|between|across)\b.*\b{_MANY}\b|\bsince\b.*\b{_RUNS}\b|"
    r"\b(?:on|in) (?:the )?branch\b)|"
    r"\b(?:trend|development|evolution) of\b",
    re.IGNORECASE,
)
_RECURS = lazy_regex(
    r"\b(?:come|comes|came|coming) back\b|\brecur(?:s|red|ring)?\b|\bre-?appear(?:s|ed)?\b|"
    r"\b(?:happen|occur|appear)(?:s|ed)? again\b|\bback again\b|"
    rf"\bhow often\b.*\b(?:my|our|these|all|last \d+) {_RUNS}\b|"
    rf"\bin how many (?:of )?(?:my|our|the|these|all|last \d+)? ?{_RUNS}\b",
    re.IGNORECASE,
)
_OF_RUNS = lazy_regex(
    r"\bover time\b|\bregress\w*|\bimprov\w*|\b(?:slow(?:ed|ing)|going|gone|went) (?:down|up)\b|"
    r"\b(?:get|gets|getting|got|gotten|become|becomes|became|grow|grows|grew|grown)\b (?:any |much )?"
    r"(?:slow|fast|bett|wors|heav|larg|small|cheap|long|short|more expensive)\w*|"
    r"\bhappened (?:to|with)\b|\bhistory of\b|\bsince (?:release|commit|version|build)\b",
    re.IGNORECASE,
)
"""What is over recordings where nothing else can be meant: of one recording alone it would be asked of its own time."""
_LAST = lazy_regex(rf"\b(?:last|past|newest|latest|previous) (\d{{1,4}}) {_RUNS}\b", re.IGNORECASE)
_BY = lazy_regex(
    r"\b(?:by|per|each|every|across|over)(?: the| all| our| my)? ([a-z0-9_.-]{1,40}?)(?:e?s)?\b", re.IGNORECASE
)
_WHICH = lazy_regex(
    r"\bsince (?:which|what) (?:release|version)\b|"
    r"\b(?:which|what) (?:release|version) (?:made|slowed|broke|introduced|changed|regressed)\b",
    re.IGNORECASE,
)
"""By which groups a change is asked for."""
_LAST_RELEASES = lazy_regex(
    r"\b(?:last|past|newest|latest|previous) (\d{1,4}) (?:releases?|versions?)\b", re.IGNORECASE
)
_ABOVE = lazy_regex(r"\b(?:above|over|more than|at least|>=?) ?(\d+(?:\.\d+)?) ?(?:%|percent)", re.IGNORECASE)
_SINCE_DAY = lazy_regex(r"\bsince (\d{4}-\d\d-\d\d)\b", re.IGNORECASE)
_WORD = lazy_regex(r"[\w.:$#<>~/-]*[\w>)]", re.UNICODE)
_CODE = lazy_regex(r"`([^`]{1,300})`")
_SAYS_TOTAL = lazy_regex(r"\btotal\b|\binclusive\b|\bcumulative\b|\bwith what it calls\b", re.IGNORECASE)
_SAYS_SHARE = lazy_regex(r"\bshare\b|\bpercent\w*\b|%", re.IGNORECASE)
_SAYS_CALLS = lazy_regex(
    r"\b(?:number of|how many) calls\b|\bhow often (?:is|was|has)\b.*\bcalled\b|\bcall count\b", re.IGNORECASE
)
_SYNONYMS = {"gc": "collection", "garbage": "collection", "pauses": "pause", "collections": "collection"}
_NAMES_OF_LABELS = {"version": "release", "night": "run", "build": "run"}
_FIGURES = {
    "duration": lazy_regex(
        r"\b(?:duration|wall[- ]?(?:clock )?time|how long (?:it|they|the (?:run|program)s?) (?:took|takes?))\b",
        re.IGNORECASE,
    ),
    "waiting": lazy_regex(r"\bwaiting\b|\bwait time\b", re.IGNORECASE),
    "idle": lazy_regex(r"\bidle\b", re.IGNORECASE),
    "busy": lazy_regex(r"\bbusy\b", re.IGNORECASE),
    "samples": lazy_regex(r"\bnumber of samples\b", re.IGNORECASE),
    "total": lazy_regex(
        r"\b(?:total|everything|overall|the (?:program|whole thing|recording|trace|run)|it all|it)\b", re.IGNORECASE
    ),
}
_PLAIN = frozenset(
    re.findall(
        r"\w+",
        "since when is was are the a an of in on by per over last past runs recordings traces did does do has have how "
        "slow slower fast faster time self total take takes took become became get got getting begin began "
        "start started come back comes came again which what release commit branch version it its with and to for from "
        "long often show me plot chart draw bar line graph please compare against than that this these my our all",
    )
)


def is_over_runs(prompt: str) -> bool:
    """Whether a prompt asks for many recordings, as far as its form says."""
    text = " ".join(prompt.split())
    return len(text) <= 400 and any(form.search(text) for form in (_SINCE, _TREND, _RECURS))


def spoken_question(prompt: str, known: KnownRuns, program: str | None = None) -> Series | Recurrence | None:
    """What a prompt asks of runs in their order, about what there is; None for words that the rules do not know. What
    is named and not there stands in the question, for the checks to refuse."""
    text = " ".join(prompt.split()).rstrip("?.! ")
    above = _ABOVE.search(text)
    is_bounded = above is not None and named_function(text, known) is not None
    if not is_over_runs(text) and not _OF_RUNS.search(text) and not is_bounded:
        return None
    runs = spoken_runs(text, known, program)
    if (_RECURS.search(text) and not _SINCE.search(text)) or is_bounded:
        measure = _finding(text) if above is None or named_function(text, known) is None else None
        named = measure or named_function(text, known) or _unknown_name(text, known)
        if named is None:
            return None
        share = float(above[1]) / 100 if above else None
        return Recurrence(form="recurrence", measure=named, runs=runs, above=None if share is None else min(share, 1.0))
    named, by = _measured(text, known), _by(text, known)
    if named is None:
        return None
    newest = _LAST_RELEASES.search(text) if by == "release" else None
    if newest is None:
        return Series(form="series", measure=named, runs=runs, by=by)
    every = runs.model_copy(update={"last": None})
    return Series(form="series", measure=named, runs=every, by=by, last=max(1, int(newest[1])))


def named_figure(text: str) -> Measure | None:
    """The figure of all of a run whose words the text has."""
    figure = next((name for name, words in _FIGURES.items() if words.search(text)), None)
    return None if figure is None else Measure(kind="figure", name=figure)


def spoken_runs(text: str, known: KnownRuns, program: str | None) -> Runs:
    """The recordings that a text means."""
    last, day = _LAST.search(text), _SINCE_DAY.search(text)
    named = next((one for one in known.programs if re.search(rf"\b(?:in|of|for) `?{re.escape(one)}\b", text)), program)
    labels: dict[str, str] = {}
    starting = None
    for key, values in known.labels.items():
        for value in sorted(values, key=len, reverse=True):
            said = re.search(
                rf"\b(?P<how>on|in|for|from|since|after)(?: the)?(?: {re.escape(key)})? `?{re.escape(value)}(?![\w-])",
                text,
            )
            if said is None:
                continue
            if said["how"].casefold() in ("since", "after", "from"):
                starting = f"{key}:{value}"
            else:
                labels[key] = value
            break
    if starting is None and (
        unknown := re.search(r"\bsince (release|commit|version) `?([\w.+-]+)", text, re.IGNORECASE)
    ):
        starting = f"{_NAMES_OF_LABELS.get(unknown[1].lower(), unknown[1].lower())}:{unknown[2]}"
    if unknown := re.search(r"\bon (?:the )?branch `?([\w./+-]+)", text, re.IGNORECASE):
        labels.setdefault("branch", unknown[1])
    count = None if last is None else max(1, min(1_000, int(last[1])))
    return Runs(program=named, labels=labels, since=_day(day[1]) if day else None, starting=starting, last=count)


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def _by(text: str, known: KnownRuns) -> str | None:
    if _WHICH.search(text) or _LAST_RELEASES.search(text):
        return "release" if "release" in known.labels else None
    for found in _BY.finditer(text):
        key = _NAMES_OF_LABELS.get(found[1].lower(), found[1].lower())
        if key in known.labels or key in ("release", "commit", "branch", "environment", "host", "scenario", "program"):
            return None if key == "commit" and "commit" not in known.labels else key
    return None


def _measured(text: str, known: KnownRuns) -> Measure | None:
    if function := named_function(text, known):
        return function
    if name := _unknown_name(text, known):
        return name
    return named_figure(text) or _finding(text)


def _value(text: str) -> Value:
    if _SAYS_CALLS.search(text):
        return "calls"
    share = _SAYS_SHARE.search(text) is not None
    if _SAYS_TOTAL.search(text):
        return "total_share" if share else "total"
    return "self_share" if share else "self"


def named_function(text: str, known: KnownRuns) -> Measure | None:
    """The function that a word of the text names, those in backticks first."""
    names = {name for name, _ in known.functions}
    short: dict[str, str] = {}
    for name in names:
        short.setdefault(short_name(name).casefold(), name)
    for word in (*_CODE.findall(text), *sorted(_WORD.findall(_CODE.sub(" ", text)), key=len, reverse=True)):
        name, at, file = word.partition(" @ ")
        plain_word = word.casefold() in _PLAIN
        if word in names or (not plain_word and name.casefold().removesuffix("()") in short):
            chosen = word if word in names else name.removesuffix("()")
            exact = (
                chosen
                if chosen in names or any(short_name(one) == chosen for one in names)
                else short[chosen.casefold()]
            )
            return Measure(kind="function", name=exact, file=file if at else None, value=_value(text))
    return None


def _unknown_name(text: str, known: KnownRuns) -> Measure | None:
    """A word that looks like a function and is none that is known: the checks refuse it with the nearest."""
    labels = {value.casefold() for values in known.labels.values() for value in values}
    for word in (*_CODE.findall(text), *_WORD.findall(_CODE.sub(" ", text))):
        code = re.search(r"[a-z][A-Z]|_|::|\(\)|\w\.\w*[A-Za-z]", word) is not None or word in _CODE.findall(text)
        if code and word.casefold() not in _PLAIN | labels and word not in known.programs:
            return Measure(kind="function", name=word.removesuffix("()"), value=_value(text))
    return None


def _finding(text: str) -> Measure | None:
    """The finding whose words the text has, most of them."""
    words = {_SYNONYMS.get(word, word) for word in re.findall(r"[a-z+0-9]+", text.casefold())} - {"long", "the", "come"}
    words |= {"long"} if re.search(r"\blong tasks?\b", text, re.IGNORECASE) else set()
    best, most = None, 0.0
    for detector in DETECTORS:
        parts = detector.id.split("-")
        hits = sum(
            any(word.startswith(part[:5]) or part.startswith(word[:5]) for word in words if len(word) > 2)
            for part in parts
        )
        score = hits / len(parts) + 0.1 * hits
        if hits and score > most and hits * 2 > len(parts):
            best, most = detector.id, score
    if best is None and (exact := next((one for one in FINDINGS if one in text), None)):
        best = exact
    return None if best is None else Measure(kind="finding", name=best)
