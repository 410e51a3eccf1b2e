"""What the person looks at, where their page says it: the view in a sentence and its widest boxes, before what takes
the time there."""

import re
from dataclasses import replace
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.wording import amount, cited, share
from traces.lazy_regex import lazy_regex

READ_VIEW = "read_view"
MOST_BOXES = 5

_WHAT = (
    r"what (?:am i|are we) (?:looking at|seeing)",
    r"what (?:do|can) i see",
    r"what(?: is|'s) (?:shown|(?:up )?on (?:my|the) screen)",
    r"(?:explain|describe) (?:to me )?what i (?:see|am looking at)",
    r"read (?:my|the) (?:view|screen)",
    r"was (?:sehe ich|ist zu sehen)",
)
_ASKED = lazy_regex(
    rf"\s*(?:(?:so|ok(?:ay)?|hey|well),? )?(?:{'|'.join(_WHAT)})"
    r"(?: (?:here|now|right now|at the moment|gerade|hier))*\s*[?.!]*\s*",
    re.IGNORECASE,
)
IN_VIEW = "What takes the time in this window?"
OF_ALL = "Why is this slow?"
VIEWS = {"time_order": "time order", "left_heavy": "left heavy", "sandwich": "a sandwich", "diff": "a comparison"}


def asks_what_is_on_screen(prompt: str) -> bool:
    """Whether that is all it asks."""
    return _ASKED.fullmatch(prompt) is not None


def about_the_view(evidence: Evidence) -> Evidence:
    """The evidence with the question that is left once the view is described: of the window, where there is one."""
    return replace(evidence, prompt=IN_VIEW if evidence.viewer.get("window") else OF_ALL)


def described(data: dict[str, Any]) -> str:
    """The view and its widest boxes, each as long as it is within the window."""
    filters = " under transforms" if data["filters"] else ""
    searched = " with a search" if data["search"] else ""
    where = f"{VIEWS[data['view']]} of [`{data['profile']}`](#{data['profile']}){filters}{searched}"
    lead = f"**Your chart shows {where}: {amount(data['end'] - data['start'], data['unit'])} of it.**"
    selection = f" Selected is [`{data['selection']}`](#{data['selection']})." if data["selection"] else ""
    rows = [f"- {cited(box)}: {_width(box, data['unit'])}" for box in data["boxes"][:MOST_BOXES]]
    parts = (lead + selection, "The widest boxes there:" if rows else "", "\n".join(rows))
    return "\n\n".join(part for part in parts if part)


def _width(box: dict[str, Any], unit: str) -> str:
    return f"{amount(box['value'], unit)} wide, {share(box['share'])} of what is shown"
