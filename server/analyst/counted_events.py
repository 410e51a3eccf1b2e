"""What a recording has besides its profiles: events that the reader counted, and drew nothing of. Before a cause is
denied, they are looked at.
"""

import re

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms, table
from server.analyst.question import Question

_FORMS = forms("counted_events")
_NAME = re.compile(r"`[^`]+`")


def counted_events(question: Question, evidence: Evidence) -> str:
    """How many events of the kind that is asked for there are; empty where none was counted."""
    for warning in (evidence.summary or {}).get("warnings", ()):
        if warning["code"] in table()["counted_events"] and getattr(_FORMS, warning["code"]).search(question.text):
            count, (text, _, those) = warning["count"], warning["text"].removesuffix(".").partition(": ")
            yes = "Yes: " if question.is_yes_or_no else ""
            first = _NAME.search(those)
            such = f" One of them is {first[0]}." if first else ""
            said = text.removeprefix(f"{int(count):,} ").removeprefix(f"{int(count)} ")
            return f"**{yes}{linked(f'{int(count):,}', count)} {said}.**{such}"
    return ""
