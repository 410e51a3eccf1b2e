"""What a prompt asks, by rule: a topic and the names, threads, numbers and time ranges in it."""

import re
from dataclasses import dataclass, replace
from typing import Any

from server.analyst.evidence import SpokenOf
from server.analyst.languages import in_english
from server.analyst.moments import TimeRange, time_ranges
from server.analyst.topics import ABOUT_ONE_FUNCTION, Topic, topic_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`names` are functions that are meant, the surest first; `maybe` are words that a function may have for its name.
    `handle` is one of a frame, node or span; `thread` part of a thread's name. `carried` is the citation of what the
    answer before was about, and `profile` the one that it named, where this prompt goes on about it; `note` is a
    sentence for a person who did not ask in English.
    """

    topic: Topic
    text: str
    names: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    handle: str | None = None
    thread: str | None = None
    sort_by: str = "self"
    limit: int = 10
    time_ranges: tuple[TimeRange, ...] = ()
    view: str | None = None
    asks_time: bool = False
    asks_speed: bool = False
    understood: bool = True
    carried: str | None = None
    profile: str | None = None
    note: str | None = None

    def about(self, topic: Topic) -> "Question":
        """The same question, of another topic."""
        return replace(self, topic=topic)


CODE = re.compile(r"`([^`\n]{1,300})`|[\"“”]([^\"“”\n]{1,300})[\"“”]|(?<!\w)'([^'\n]{2,300})'(?!\w)")
_HANDLE = re.compile(r"(?<![\w])#?([fns]\d+)\b")
_PROFILE = re.compile(r"(?<![\w])#?(p(?!(?:50|75|90|95|99|999)\b)\d+)\b")
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[\w$~<>]+)+(?:\(\))?|[A-Za-z_$]\w*\(\)|[a-z]+[A-Z]\w*|\w*_\w+|"
    r"[A-Z][a-z]+[A-Z]\w*|<\w[\w .]*>|\((?:program|idle|root|anonymous|garbage collector)\))"
)
_NAME = r"(?:the\s+|function\s+|method\s+|frame\s+|call(?:s)?\s+to\s+)*([\w.$:<>~/#()-]{2,})"
_ABOUT = re.compile(
    rf"\b(?:what about|how about|tell me (?:more )?about|explain|who calls|who invokes|what calls|"
    rf"which functions? calls?|callers? of|callees? of|called by|calls? to|what does|what is|what's|"
    rf"how much (?:time )?is|how (?:slow|long|expensive|much time) (?:is|does|goes to|in)|"
    rf"(?:spent|time|seconds|milliseconds|ms|bytes|memory) (?:is |are )?(?:in|spent in|by)|(?:function|method)|"
    rf"show me|show|"
    rf"zoom (?:in )?(?:to|on|into)|go to|jump to|highlight|find|where is|where's|focus on|compare)\s+{_NAME}",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(r"[\w.:/$@-]{3,80}\??")
_TOOK = re.compile(
    rf"\b(?:why (?:is|does|are|do|was|did)|(?:how (?:often|many times|frequently|long|much time|"
    rf"many calls) (?:is|does|was|did|do we|"
    rf"are|has|do))|how (?:slow|expensive) is|when (?:is|does|was)|how many (?:\w+ )?(?:seconds|milliseconds|ms|"
    rf"bytes|samples|calls) (?:does|is|are)|"
    rf"is|does|prove that|sure that)\s+{_NAME}\s+"
    rf"(?:is |was |so |really |actually |to |being |the |always |get |a |that |such a )*(?:slow|expensive|hot|"
    rf"called|invoked|executed|run|running|take|takes|taking|"
    rf"call|bottleneck|cause|culprit|problem|allocate|cost|costly|recurs\w*|use|spend|block\w*|leak\w*|wait\w*)\b",
    re.IGNORECASE,
)
_AND_NAME = re.compile(
    rf"\b(?:compare|between|is)\s+`?([\w.$:<>~]+)`?\s+(?:and|with|to|or|vs\.?|versus|than)\s+`?{_NAME}`?", re.IGNORECASE
)
_OTHER = re.compile(rf"\b(?:vs\.?|versus|compared (?:to|with)|than|or|and)\s+`?{_NAME}`?", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:top|first|worst|slowest|hottest|biggest|heaviest)\s+(\d{1,2})\b|"
    r"\b(\d{1,2})\s+(?:slowest|hottest|heaviest|biggest|top|most|worst|functions)",
    re.IGNORECASE,
)
_THREAD_NAMED = re.compile(
    r"\b(?:thread|process|track|worker|profile)\s+(?:named\s+|called\s+)?[`\"'“]?([\w.:/#@-]*[\w)])(?![\w-])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?<![\w.:/-])(?!utf-|sha-|iso-|x86-|base-|md-|h-|n-|top-|cuda-|http-1|http-2)([A-Za-z][\w.]*(?:-\w+)*-\d+)(?![\w-])",
    re.IGNORECASE,
)
_NAMED_THREAD = re.compile(r"[`\"'“]?([\w.:/#@-]*\w)[`\"'”]?\s+(?:thread|process|track|worker)(?![\w-])", re.IGNORECASE)
NO_THREAD_WORDS = """
main ui renderer render which what busiest each every other one this that the a an per worker background of in
is are do does did by any all single same another busy idle evenly threads has have was were multi gpu-less
for and or with on at to name names pool time spend blocked slow doing
"""
_NO_THREAD = frozenset(NO_THREAD_WORDS.split())
NO_NAME_WORDS = """
the this that these those trace time function functions method it you me my our your code program app
application thread threads slow slower slowest hot path there here what where which why how much many most all
everything anything something flame chart flamegraph graph picture left heavy order sandwich view gc garbage
collection collector memory cpu calls called callers callees work bottleneck biggest heaviest hottest top
first timeline is are does do and or of in for an to a be so recursion recursive libraries library own main
page load loading browser server database db query queries sql network disk file files io lock locks waiting
wait startup start long longest task tasks jank profile process request wrong happening problem problems issue
issues cause reason culprit else more less than dominate dominates trace's last half second third seconds
milliseconds ms bytes samples window range going on spent spend taking take takes took run runs running not no
yes call get gets lag lags freeze freezes now next should can could would will optimise optimize improve fix
speed faster with without before after between during while when who whom whose whole entire under over if
then also us we i from into out up down about again so still just only really please any some other others why
"""
_NO_NAMES = frozenset(NO_NAME_WORDS.split())
"""Words that stand in a function's place without being one."""

_ASKS_SPEED = re.compile(r"\b(?:cpu|processor|slow\w*|fast\w*)\b", re.IGNORECASE)
_ASKS_TIME = re.compile(
    r"\b(?:milliseconds?|seconds?|ms|how long|how much time|duration|latency|minutes?|time)\b", re.IGNORECASE
)
_TWO = re.compile(r"\b(?:and|or|than|vs\.?|versus|with)\b", re.IGNORECASE)
_OVERVIEW = re.compile(
    r"\b(?:slow\w*|bottleneck|performance|fast\w*|dominat\w+|hot ?spots?|analy[sz]e|culprit|takes? (?:so |the |that )?"
    r"(?:long|much|most|time)|take so long|time go|expensive|cpu|lag\w*|langsam)\b",
    re.IGNORECASE,
)
_THIS_ONE = re.compile(
    r"\b(?:this|selected|that) (?:function|frame|one|call|box|selection|method|block)\b|\bthe selection\b",
    re.IGNORECASE,
)


_REFERS = re.compile(r"\b(?:it|its|that|them|they|those|same)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? |then )*(?:why|why so|why that|how|how come|how so|where|from where|where from|"
    r"who|who else|by whom|what else|more|go on|details?|tell me more|elaborate)\W*$",
    re.IGNORECASE,
)
"""Prompts that are nothing without what was said before."""


def understood(
    prompt: str,
    viewer: dict[str, Any],
    windows: list[dict[str, Any]] | None = None,
    spoken_of: SpokenOf | None = None,
) -> Question:
    """The question behind a prompt. `viewer` is what the person looks at: its selection is what `this function` means;
    `windows` are the time ranges that have a name; `spoken_of` is what a prompt without a name may go on about.
    """
    read = in_english(prompt)
    question = replace(_alone(read.text, viewer, windows), note=read.note)
    if spoken_of is None or question.names or question.maybe or question.handle or question.thread:
        return question
    goes_on = _GOES_ON.match(question.text) is not None
    refers = _REFERS.search(question.text) is not None
    topic = question.topic
    if goes_on and topic is Topic.OVERVIEW:
        topic = Topic.FUNCTION
    elif refers and question.understood and topic in (Topic.OVERVIEW, Topic.RECURSION):
        before = _alone(in_english(spoken_of.prompt).text, {}, None)
        topic = Topic.FUNCTION if before.topic in ABOUT_ONE_FUNCTION or before.names else topic
    elif topic is Topic.SHOW and not refers:
        return question
    if topic not in ABOUT_ONE_FUNCTION or question.time_ranges:
        return question
    return replace(
        question,
        topic=topic,
        handle=spoken_of.handle,
        carried=spoken_of.cited,
        profile=spoken_of.profile,
        understood=True,
    )


def _alone(prompt: str, viewer: dict[str, Any], windows: list[dict[str, Any]] | None) -> Question:
    """What a prompt asks by itself."""
    text = " ".join(prompt.split())
    thread = _thread(text)
    names, maybe = _names(text, thread)
    handle = found[1] if (found := _HANDLE.search(text)) else None
    selection = viewer.get("selection") or ""
    if handle is None and not names and _THIS_ONE.search(text) and selection[:1] in ("f", "n", "s"):
        handle = selection
    spans = time_ranges(CODE.sub(" ", text), windows or [])
    if names and maybe and _TWO.search(text):
        names = (*names, *(one for one in maybe if one not in names))[:3]
    both = len(names) > 1 and (" and " in text or " or " in text)
    if len(_PROFILE.findall(text)) > 1:
        thread = None
    topic = topic_of(CODE.sub(" X ", text), has_names=bool(names or handle), has_time_range=bool(spans), thread=thread)
    limit = next((int(group) for group in found.groups() if group), 10) if (found := _LIMIT.search(text)) else 10
    return Question(
        topic=_meant_topic(topic, text, both=both),
        text=text,
        names=names,
        maybe=() if names or handle else maybe,
        handle=handle,
        thread=thread if topic is Topic.THREAD else None,
        sort_by="total" if re.search(r"\b(?:total|inclusive|cumulative)\b", text, re.IGNORECASE) else "self",
        limit=max(1, min(limit, 50)),
        time_ranges=spans,
        view=_view(text),
        asks_time=bool(_ASKS_TIME.search(text)),
        asks_speed=bool(_ASKS_SPEED.search(text)),
        understood=topic is not None or bool(_OVERVIEW.search(text)),
    )


def _meant_topic(topic: Topic | None, text: str, *, both: bool) -> Topic:
    if len(_PROFILE.findall(text)) > 1:
        return Topic.COMPARE
    return Topic.TWO_FUNCTIONS if topic is Topic.FUNCTION and both else topic or Topic.OVERVIEW


def _thread(text: str) -> str | None:
    """Part of the name of a thread: a handle, what stands next to the word, or what is numbered like one."""
    if found := _PROFILE.search(text):
        return found[1]
    for pattern in (_THREAD_NAMED, _NAMED_THREAD, _NUMBERED):
        for match in pattern.finditer(text):
            name = match[1].strip("-.:'\"")
            looks = pattern is not _THREAD_NAMED or not name.isalpha() or not name.islower() or "named" in match[0]
            if len(name) > 1 and looks and name.casefold() not in _NO_THREAD:
                return name
    return None


def _names(text: str, thread: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that are surely meant: quoted text first, then what is spelled like an identifier. And words in a
    function's place, which may be one."""
    sure = [next(group for group in match.groups() if group) for match in CODE.finditer(text)]
    rest = CODE.sub(" X ", text)
    sure += [match[0] for match in _IDENTIFIER.finditer(rest)]
    places = (_ABOUT, _TOOK, _AND_NAME, _OTHER)
    maybe = [group for place in places for match in place.finditer(rest) for group in match.groups() if group]
    maybe += [text] if _ONE_WORD.fullmatch(text) else []
    words = [word for one in maybe if (word := one.strip(".,?!:()")) != "X" and word.casefold() not in _NO_NAMES]
    return _kept(sure, thread), _kept(words, thread)


def _kept(found: list[str], thread: str | None) -> tuple[str, ...]:
    unique = dict.fromkeys(name.removesuffix("()").strip() for name in found)
    return tuple(
        name
        for name in unique
        if len(name) > 1
        and name != thread
        and not _HANDLE.fullmatch(name)
        and not _PROFILE.fullmatch(name)
        and not re.fullmatch(r"[\d.,]+(?:ms|s|%)?", name)
    )[:3]


def _view(text: str) -> str | None:
    lower = text.casefold()
    if "time order" in lower or "timeline" in lower or "flame chart" in lower or "over time" in lower:
        return "time_order"
    return "sandwich" if "sandwich" in lower else "left_heavy" if "left heavy" in lower else None


__all__ = ["ABOUT_ONE_FUNCTION", "Question", "Topic", "understood"]
