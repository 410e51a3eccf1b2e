"""Prompts that ask for something that people said, in this conversation or to be remembered; and those that ask
whether a limit of theirs is kept.
"""

import re
from dataclasses import dataclass
from typing import Literal

from traces.lazy_regex import lazy_regex

_SAID = lazy_regex(
    r"\b(?:did|have|had) (?:i|we) (?:\w+ )?(?:say|said|tell|told|mention\w*|nam(?:e|ed)|gave|give[n]?|set|state[d]?|"
    r"write|"
    r"written|note[d]?|specif\w+|agree[d]?)\b|\b(?:i|we) (?:just |first |once )?(?:said|told you|mentioned|named|"
    r"gave|stated|"
    r"wrote|specified|agreed on)\b|\bremind (?:me|us)\b|\bdo you (?:still )?(?:know|recall|remember) (?:what|which|who|"
    r"where|when|how|our|my|the)\b|\b(?:habe ich|hatte ich|ich) (?:\w+ )*(?:gesagt|genannt|erwähnt)\b|"
    r"\bai-je (?:dit|donné|"
    r"mentionné)\b|\b(?:dije|he dicho|mencioné)\b|我(?:之前|刚才)?(?:说|提)",
    re.IGNORECASE,
)
_OURS = lazy_regex(
    r"^(?:(?:and|so|but|hey|ok),? )*(?:"
    r"(?:what|which|who|where|when)(?:'s| is| are| was| were)? (?:again )?(?:our|my|the team'?s|ours)\b.*|"
    r"who (?:owns?|maintains?|looks after|is responsible for|is in charge of|do(?:es)? .* belong to)\b.*|"
    r"which (?:team|person|group|version|release|machines?|servers?|branch)\b.*|"
    r"(?:what|which \w+|where|when)\b(?: \w+){0,4} (?:do|did|should) we (?:ignore|leave out|care about|run|use|ship|"
    r"deploy|"
    r"target|support|promise|own|release|work on)\b.*|"
    r"how (?:much|long|fast|slow|many|big)\b(?: \w+)* (?:may|can|should|must) (?:we|our|my|a|an|the|it)\b.*|"
    r"(?:what|which)(?: \w+){1,3} (?:are|were|is) (?:we|our team|the team)\b.*|"
    r"(?:what|which|when|where|why)(?: \w+){0,3} did (?:we|our team|the team) (?:decide|agree|choose|settle|pick)\b.*|"
    r"what (?:does|do) \S+ (?:mean|stand for)\W*|what do we (?:call|mean by)\b.*|"
    r"wie (?:hoch|groß|lang\w*|viel\w*|schnell) (?:ist|sind|darf|dürfen) unsere?r?\b.*|"
    r"wer (?:ist|gehört|besitzt|pflegt)\b.*|(?:was|welche[rs]?|wie) (?:ist|lautet|sind) unsere?r?\b.*|"
    r"quel(?:le)? est (?:notre|nos)\b.*|cuál es nuestr[oa]\b.*|我们的.*(?:是什么|是多少|多少).*)$",
    re.IGNORECASE,
)
_KEPT = lazy_regex(
    r"\b(?:within|inside|over|above|under|below|meets?|met|exceed\w*|keep\w*|kept|breaks?|violat\w*|respects?|past|"
    r"in|fits?)\b"
    r"(?: \w+){0,3} (?:our|my|the agreed|the) (?:\w+ ){0,2}(?:limits?|budgets?|targets?|slas?|slos?|thresholds?|goals?|"
    r"ceilings?|deadlines?)\b|\btoo slow for (?:us|our)\b|\b(?:fast|quick) enough for (?:us|our)\b",
    re.IGNORECASE,
)
_ASKS = lazy_regex(
    r"^(?:(?:and|so|but|ok|please),? )*(?:what|which|who|where|when|how|remind|was|welche)\b", re.IGNORECASE
)
_OF_TIME = lazy_regex(
    r"^(?:what|which|where)\b.*\b(?:takes?|spends?|slow\w*|hot\w*|heav\w+|calls?|cpu|time)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """`said` asks for what the person said themselves, `ours` for what holds for them, `kept` whether a limit is."""

    kind: Literal["said", "ours", "kept"]


def memory_question(prompt: str) -> MemoryQuestion | None:
    """What a prompt asks of what people said; None for one about the trace alone."""
    text = " ".join(prompt.split())
    if len(text) > 400:
        return None
    if _SAID.search(text) and (_ASKS.match(text) or text.endswith(("?", "？"))):
        return MemoryQuestion("said")
    if _KEPT.search(text):
        return MemoryQuestion("kept")
    if _OURS.match(text) and not _OF_TIME.match(text):
        return MemoryQuestion("ours")
    return None
