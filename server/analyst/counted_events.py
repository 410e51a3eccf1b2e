"""What a recording has besides its profiles: events that the reader counted, and drew nothing of. Before a cause is
denied, they are looked at.
"""

import re

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.question import Question
from traces.lazy_regex import lazy_regex

_EVENTS = {
    "recorded_collections": lazy_regex(r"\bgcs?\b|garbage|\bcollections?\b|\bcollector", re.IGNORECASE),
    "recorded_lock_waits": lazy_regex(r"\block|\bcontention|\bcontended|\bmutex|\bmonitor", re.IGNORECASE),
    "recorded_allocations": lazy_regex(r"\balloc", re.IGNORECASE),
    "recorded_exceptions": lazy_regex(r"\bexceptions?\b|\bthrow", re.IGNORECASE),
    "unclosed": lazy_regex(
        r"\bunclosed\b|\bunfinished\b|\b(?:never|not|n't|without) (?:an )?(?:end|finish|clos|return|complet)\w*|"
        r"\bstill (?:open|running)\b|\bopen (?:slices|spans)\b",
        re.IGNORECASE,
    ),
    "recorded_pool_changes": lazy_regex(r"\bthread ?pools?\b|\bstarv", re.IGNORECASE),
}
_NAME = re.compile(r"`[^`]+`")
"""Words that ask for each, by the code of the reader's warning."""


def counted_events(question: Question, evidence: Evidence) -> str:
    """How many events of the kind that is asked for there are; empty where none was counted."""
    for warning in (evidence.summary or {}).get("warnings", ()):
        asked = _EVENTS.get(warning["code"])
        if asked and asked.search(question.text):
            count, (text, _, those) = warning["count"], warning["text"].removesuffix(".").partition(": ")
            yes = "Yes: " if question.is_yes_or_no else ""
            first = _NAME.search(those)
            such = f" One of them is {first[0]}." if first else ""
            said = text.removeprefix(f"{int(count):,} ").removeprefix(f"{int(count)} ")
            return f"**{yes}{linked(f'{int(count):,}', count)} {said}.**{such}"
    return ""
