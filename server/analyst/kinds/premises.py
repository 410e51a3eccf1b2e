"""What a question takes for granted of a function: a share, a bound of it, that it is the bottleneck."""

from typing import Any

from server.agent.verification.written_numbers import Dimension, mentions
from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.question import Question
from server.analyst.wording import amount, cited, own
from traces.lazy_regex import lazy_regex

_FORMS = forms("premises")
_SENTENCE_FORMS = forms("sentence_forms")

FALSE_SHARE = 5.0
"""Percentage points from which a share that a question takes for granted is corrected."""

_PARTS = {"half": 50.0, "hälfte": 50.0, "third": 100 / 3, "quarter": 25.0}


def false_premise(question: Question, evidence: Evidence, row: dict[str, Any], unit: str) -> str:
    """A word when the question takes for granted what is not so."""
    shares = 100 * row["self_share"], 100 * row["total_share"]
    if bound := _FORMS.bound.search(question.text):
        limit = _PARTS.get(bound[3].casefold()) or float(bound[3])
        is_more = shares["self" not in question.text.casefold()] > limit
        holds = is_more == (bound[2] is not None)
        return f"**{'Yes' if holds else 'No'}, {'more' if is_more else 'less'} than that.** "
    asked = [one.value for one in mentions(question.text) if one.dimension is Dimension.SHARE]
    if asked and all(abs(one - known) > FALSE_SHARE for one in asked for known in shares):
        return f"**No, {cited(row)} does not take that much.** "
    lead = evidence.lead
    if _SENTENCE_FORMS.claims_first.search(question.text) and lead is not None and row["handle"] != lead.row["handle"]:
        return f"**No, {cited(row)} is not the first: {cited(lead.row)} is, with {own(lead.row, lead.unit)}.** "
    claims = "bottleneck" in question.text.casefold() or "culprit" in question.text.casefold()
    if not claims or lead is None or row["total_share"] >= 0.5 or row["self_share"] * 2 > lead.row["self_share"]:
        return ""
    return f"**No, {cited(row)} is not the bottleneck: {cited(lead.row)} is hotter.** "


_NUMBER = lazy_regex(r"(?<![\w.])\d[\d.,]*")
FAR_OFF = 0.25
"""Part by which an amount that is taken for granted of all of it must differ to be corrected."""


def false_total(question: Question, evidence: Evidence) -> str:
    """A word when the question takes for granted how much the recording holds, and it holds another amount."""
    main = evidence.main
    if main is None or question.names or question.handle or not _FORMS.of_all.search(question.text):
        return ""
    dimension = {"bytes": Dimension.BYTES, "nanoseconds": Dimension.TIME}.get(evidence.unit)
    asked = [one for one in mentions(question.text) if one.dimension is dimension]
    known = [main["total"], main["duration"]] if evidence.unit == "nanoseconds" else [main["total"]]
    if (
        not asked
        or len(_NUMBER.findall(question.text)) > 1
        or any(abs(one.value - amount_) <= FAR_OFF * one.value for one in asked for amount_ in known if amount_)
    ):
        return ""
    said = question.text[asked[0].start : asked[0].end].strip()
    return f"**No: this recording holds {amount(main['total'], evidence.unit)}, and not {said}.**"
