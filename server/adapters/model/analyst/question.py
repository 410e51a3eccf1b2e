"""What a prompt asks, by rule: a topic and the names, numbers and windows in it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Topic(StrEnum):
    OVERVIEW = "overview"
    TOP = "top"
    FUNCTION = "function"
    SHOW = "show"
    GARBAGE = "garbage"
    PROFILES = "profiles"
    ABILITIES = "abilities"
    WINDOW = "window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`names` are functions that may be meant, the surest first; `handle` is one of a frame, node or span; `window` in
    milliseconds.
    """

    topic: Topic
    text: str
    names: tuple[str, ...] = ()
    handle: str | None = None
    sort_by: str = "self"
    limit: int = 10
    window: tuple[float, float] | None = None
    view: str | None = None


_CODE = re.compile(r"`([^`\n]{1,300})`|[\"“”]([^\"“”\n]{1,300})[\"“”]|'([^'\n]{2,300})'(?!\w)")
_HANDLE = re.compile(r"(?<![\w])#?([fns]\d+)\b")
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[\w$~]+)+|[A-Za-z_$]\w*\(\)|[a-z]+[A-Z]\w*|\w*_\w+|[A-Z][a-z]+[A-Z]\w*)"
)
_ABOUT = re.compile(
    r"\b(?:what about|how about|tell me about|explain|who calls|what calls|callers? of|callees? of|called by|what does|"
    r"how (?:slow|long|expensive|much time) (?:is|does|goes to|in)|time (?:in|spent in)|function|method|show me|"
    r"zoom (?:in )?(?:to|on)|go to|jump to|highlight|find|where is|focus on)"
    r"\s+(?:the\s+|function\s+|method\s+|frame\s+)*([\w.$:<>~/-]{3,})",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:top|first|worst|slowest|hottest|biggest|heaviest)\s+(\d{1,2})\b|"
    r"\b(\d{1,2})\s+(?:slowest|hottest|heaviest|biggest|top|most)"
)
_WINDOW = re.compile(
    r"(?:between|from)\s+([\d.]+)\s*(ms|s|sec|seconds)?\s*(?:and|to|until|-|–)\s*([\d.]+)\s*(ms|s|sec|seconds)?",
    re.IGNORECASE,
)
_ABILITIES = (
    r"can(?:not|'t)? (?:this trace|you|it|i)\b.*\b(?:answer|tell|do|ask)|what can(?:not|'t)?\b|"
    r"what (?:kind|type|sort) of|what is (?:in )?(?:this|the) (?:trace|file|profile)|not answer|\bhelp\b|"
    r"who are you|are you an? "
)
_SHOW = r"\b(?:show|zoom|go to|jump|highlight|draw|picture|screenshot|open)\b|flame\s?(?:graph|chart)"
_TOP = r"\b(?:top|slowest|hottest|heaviest|biggest|ranking|which functions|most (?:time|expensive|cpu|memory))\b"
_PROFILES = r"\bthreads?\b|\bprofiles\b|\btracks?\b|\bprocess(?:es)?\b|\bcores?\b"
_TOPICS = tuple(
    (topic, re.compile(pattern, re.IGNORECASE))
    for topic, pattern in (
        (Topic.GARBAGE, r"\bgc\b|garbage|\bcollector\b"),
        (Topic.ABILITIES, _ABILITIES),
        (Topic.PROFILES, _PROFILES),
        (Topic.SHOW, _SHOW),
        (Topic.TOP, _TOP),
    )
)
_NO_NAMES = """
the this that these those trace time function functions method it you me my our your code program app application thread
slow slower slowest hot path there here what where which why how much many most all everything anything something flame
chart flamegraph graph picture left heavy order sandwich view gc garbage collection memory cpu calls called callers
callees work bottleneck biggest heaviest hottest top first timeline is are does do and or of in for an to
"""
"""Words that stand in a function's place without being one."""


def understood(prompt: str, viewer: dict[str, Any]) -> Question:
    """The question behind a prompt. `viewer` is what the person looks at: its selection is what `this
    function` means.
    """
    text = " ".join(prompt.split())
    names = _names(text)
    handle = found[1] if (found := _HANDLE.search(text)) else None
    if (
        handle is None
        and not names
        and re.search(r"\b(?:this|selected|that) (?:function|frame|one|call|box|selection)\b", text, re.IGNORECASE)
    ):
        handle = viewer.get("selection") or None
    topic = next((topic for topic, pattern in _TOPICS if pattern.search(_CODE.sub(" ", text))), None)
    window = _window(text)
    if topic is not Topic.SHOW and (handle or (names and topic in (None, Topic.PROFILES, Topic.TOP))):
        topic = Topic.FUNCTION
    elif window and topic in (None, Topic.SHOW, Topic.TOP):
        topic = Topic.WINDOW
    limit = next((int(group) for group in found.groups() if group), 10) if (found := _LIMIT.search(text)) else 10
    return Question(
        topic=topic or Topic.OVERVIEW,
        text=text,
        names=names,
        handle=handle,
        sort_by="total" if re.search(r"\b(?:total|inclusive|cumulative)\b", text, re.IGNORECASE) else "self",
        limit=max(1, min(limit, 50)),
        window=window,
        view=_view(text),
    )


def _names(text: str) -> tuple[str, ...]:
    """Quoted text first, then what is spelled like an identifier, then a word in a function's place."""
    found = [next(group for group in match.groups() if group) for match in _CODE.finditer(text)]
    rest = _CODE.sub(" ", text)
    found += [match[0] for match in _IDENTIFIER.finditer(rest)]
    found += [match[1].rstrip(".,?!:") for match in _ABOUT.finditer(rest)]
    unique = dict.fromkeys(name.removesuffix("()").strip() for name in found)
    return tuple(
        name
        for name in unique
        if len(name) > 1 and name.casefold() not in _NO_NAMES.split() and not _HANDLE.fullmatch(name)
    )[:3]


def _window(text: str) -> tuple[float, float] | None:
    match = _WINDOW.search(text)
    if match is None or not (match[2] or match[4]):
        return None
    try:
        start, end = float(match[1]), float(match[3])
    except ValueError:
        return None
    first, last = match[2] or match[4], match[4] or match[2]
    start, end = (value * (1 if unit.lower() == "ms" else 1000) for value, unit in ((start, first), (end, last)))
    return (start, end) if start < end else None


def _view(text: str) -> str | None:
    lower = text.casefold()
    if "time order" in lower or "timeline" in lower or "flame chart" in lower or "over time" in lower:
        return "time_order"
    return "sandwich" if "sandwich" in lower else "left_heavy" if "left heavy" in lower else None
