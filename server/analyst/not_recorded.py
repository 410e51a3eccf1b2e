"""What no recording of a program holds: versions, commits, money, energy, people. Asked for one of these, the answer
says that it is not there, and is not about something else.
"""

import re

from server.analyst.intent import Intent
from server.analyst.question import Question
from traces.lazy_regex import lazy_regex

_NEVER = lazy_regex(
    r"\b(?:(?:python|node|java|jdk|jvm|go|golang|rust|ruby|php|dotnet|compiler|library|browser|chrome|package|driver) "
    r"versions?|(?:which|what) (?:\w+ )?version|(?:which|what) commits?|git blame|pull request|energy|battery|watts?|"
    r"power (?:use|usage|draw|consumption)|carbon|money|dollars?|euros?|(?:which|what) (?:developer|engineer|colleague|"
    r"author|team)|who wrote|who (?:committed|broke)|host ?names?|temperature|clock (?:speed|rate)|how many cores|"
    r"(?:profiler|profiling|recorder|recording)(?:['’]s)? overhead|training loss|(?:the|our|my) (?:loss|accuracy)|"
    r"learning rate|batch size|screen size|which (?:machine|server|host|customer|user))\b",
    re.IGNORECASE,
)
_OF_TALK = frozenset({Intent.CODE, Intent.SQL, Intent.SMALLTALK, Intent.SUMMARISE, Intent.DRAW})


def not_recorded(question: Question, opening: str) -> str:
    """What is asked for and never recorded; empty where the answer names it, or a function is named so."""
    found = _NEVER.search(question.text)
    if found is None or question.intent in _OF_TALK:
        return ""
    word = found[0].split()[-1].casefold().rstrip("s")
    named = " ".join(question.names).casefold()
    return "" if word in named or word in opening.casefold() else found[0]
