"""An answer held against what the turn's tools returned: each number, percentage and function name is verified or not
found.

A number is verified when a tool returned it, or a value of which it is the rounding; a percentage also when it is a
returned value's part of a returned whole (`derived`). A bare number of at most 12 ("the three heaviest") is a claim
only when it is found.
"""

import re
from collections.abc import Sequence

from server.agent.citations import CITATION, Resolved
from server.agent.facts import Dimension, Facts, Mention, mentions
from server.agent.quoting import plain
from server.protocol.values import Check

SMALL_COUNT = 12
HEDGED = re.compile(r"(?:about|around|roughly|nearly|almost|over|approximately|~|≈)\s*$", re.IGNORECASE)
HEDGED_TOLERANCE = 0.05
"""How far `about 40%` may lie from the value it stands for, as a part of it."""

_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_ORDINAL = re.compile(r"^[ \t>*-]*\d+[.)](?=\s)", re.MULTILINE)
_NAME_LIKE = re.compile(r"[A-Za-z_$<(~@\[][^\s]*(?:\([^)]*\))?")
_SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--[\w-]+")
_HANDLE = re.compile(r"#?[fpns]\d+")
_PLACE = re.compile(r"(?P<file>[^:\s]+\.\w+)(?::(?P<line>\d+))?")


def checks(
    answer: str, facts: Facts, resolved: Sequence[Resolved], question: str, tool_names: Sequence[str]
) -> list[Check]:
    """Every claim in order of place. Numbers and names that the question itself brought are claims only when they are
    found.
    """
    found: list[Check] = []
    masked = _CODE_BLOCK.sub(_blank, answer)
    by_start = {one.start: one for one in resolved}
    for citation in CITATION.finditer(masked):
        if citation["label"]:
            found += _citation_check(citation, by_start.get(citation.start()), facts)
    masked = CITATION.sub(_blank, masked)
    for span in _CODE_SPAN.finditer(masked):
        found += _name_check(span[1], span.start(1), span.end(1), facts, question, tool_names)
    masked = _ORDINAL.sub(_blank, _CODE_SPAN.sub(_blank, masked))
    asked = {(mention.value, mention.dimension) for mention in mentions(question)}
    for mention in mentions(masked):
        hedged = mention.hedged or bool(HEDGED.search(masked[max(0, mention.start - 16) : mention.start]))
        status, call = _held(mention, facts, hedged=hedged)
        repeated = (mention.value, mention.dimension) in asked
        small = not mention.has_unit and mention.value <= SMALL_COUNT
        if status == "not_found" and (repeated or small):
            continue
        kind = "percentage" if mention.dimension is Dimension.SHARE else "number"
        found.append(
            Check.model_validate(
                {
                    "claim": masked[mention.start : mention.end],
                    "kind": kind,
                    "status": status,
                    "tool_call_id": call,
                    "start": mention.start,
                    "end": mention.end,
                }
            )
        )
    return sorted(found, key=lambda check: check.start)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _held(mention: Mention, facts: Facts, *, hedged: bool) -> tuple[str, str | None]:
    known = facts.numbers[mention.dimension]
    for value, half_digit, call in known:
        if abs(value - mention.value) <= max(mention.half_digit, half_digit) * (1 + 1e-9) + abs(value) * 1e-9:
            return "verified", call
    if hedged:
        for value, _, call in known:
            if value and abs(value - mention.value) <= abs(value) * HEDGED_TOLERANCE:
                return "derived", call
    if mention.dimension is Dimension.SHARE:
        for whole, dimension in facts.wholes:
            for value, _, call in facts.numbers[dimension] if whole else ():
                if abs(100 * value / whole - mention.value) <= mention.half_digit * (1 + 1e-9):
                    return "derived", call
    return "not_found", None


def _citation_check(citation: re.Match[str], resolved: Resolved | None, facts: Facts) -> list[Check]:
    label = citation["label"].strip("`")
    start = citation.start("label") + (len(citation["label"]) - len(citation["label"].lstrip("`")))
    if resolved is None:
        return [Check(claim=label, kind="name", status="not_found", start=start, end=start + len(label))]
    if label == citation["handle"]:
        return []
    call = known_name(label, facts)
    if same_name(label, resolved.citation.name):
        return [_name(label, "verified", call[1] if call else None, start)]
    return [_name(label, "not_found", None, start)] if call or citation["label"].startswith("`") else []


def _name_check(text: str, start: int, end: int, facts: Facts, question: str, tool_names: Sequence[str]) -> list[Check]:
    if _HANDLE.fullmatch(text) or text in tool_names:
        return []
    if found := known_name(text, facts):
        return [_name(text, "verified", found[1], start)]
    if place := _PLACE.fullmatch(text):
        line = int(place["line"]) if place["line"] else None
        for (file, known_line), call in facts.places.items():
            if file.endswith(place["file"].lstrip("…")) and line in (None, known_line):
                return [_name(text, "verified", call, start)]
    if text in question or _SETTING.fullmatch(text) or not _NAME_LIKE.fullmatch(text):
        return []
    return [_name(text, "not_found", None, start)]


def _name(text: str, status: str, call: str | None, start: int) -> Check:
    return Check.model_validate(
        {
            "claim": text,
            "kind": "name",
            "status": status,
            "tool_call_id": call,
            "start": start,
            "end": start + len(text),
        }
    )


def known_name(text: str, facts: Facts) -> tuple[str, str | None] | None:
    """The returned name that `text` stands for, and the call that returned it."""
    if text in facts.names:
        return text, facts.names[text]
    for name, call in facts.names.items():
        if same_name(text, name):
            return name, call
    return None


def same_name(said: str, name: str) -> bool:
    """Whether `said` is a way to write `name`: whole, without its call brackets, clamped with an ellipsis, or its last
    part.
    """
    said, name = said.removesuffix("()"), plain(name, 1000).replace("`", "'").removesuffix("()")
    if said == name:
        return True
    if "…" in said:
        head, _, tail = said.partition("…")
        return bool(head) and name.startswith(head) and name.endswith(tail)
    last = re.split(r"::|[.#/]", name)[-1]
    return len(said) >= 3 and said == last
