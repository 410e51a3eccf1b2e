"""Facts that a prompt states in passing and that will hold tomorrow: a limit, what somebody owns, a version, where the
program runs, what always or never happens. By rule; most prompts hold none.
"""

import re

LONGEST = 200
"""Characters of a fact: what is longer is a story."""
FEWEST_WORDS = 3

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+|;\s+")
_CLAUSE = re.compile(
    r",\s+(?=(?:so|what|which|who|where|how|is|are|does|do|did|why|give|show|there|hot|compare|please|can|could|would)"
    r"\b)|\.\s+|\bby the way,?\s+|\bbtw,?\s+|,\s+(?=(?:was|wo|woran|warum|qu'|que|où|dónde)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？]\s*$|^(?:and |so |but |ok |please |then )*(?:what|why|how|which|who|where|when|is|are|was|were|does|do|did|"
    r"can|could|would|should|will|has|have|show|give|list|find|compare|explain|tell|draw|zoom|open|look|check|help|go|"
    r"summari[sz]e|describe|highlight|filter|focus|ignore|break|count|name|rank|sort|export|render|plot|"
    r"was|wie|warum|wer|wo|welche\w*|zeig\w*|pourquoi|quel\w*|qui|où|comment|montre\w*|qué|cuál\w*|quién|dónde|cómo|"
    r"por qué|muestra\w*|почему|что|где|как|кто|какой|какая|какие|покажи)\b|^[¿]|(?:ですか|ますか|吗|呢|什么|为什么)",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:and|so|but|also|now|note that|please note that|mind that|fyi:?|since|because|given that|as|remember,?|"
    r"by the way,?|btw,?|in case it matters,?|just so you know,?|übrigens,?|au fait,?|por cierto,?|кстати,?)\s+",
    re.IGNORECASE,
)
_TAIL = re.compile(r",?\s+(?:so|and so|also)$|[.!…。！]+$", re.IGNORECASE)

_OURS = (
    r"(?:we|we're|we've|our|ours|us|my team|i (?:work|own|maintain|only|always|never)|wir|unser\w*|nous|notre|nos|"
    r"nosotros|nuestr\w+|usamos|мы|наш\w*|у нас|私たち|我们|弊社|noi|nostr\w+|wij|ons|onze)"
)
_OF_US = re.compile(rf"(?<!\w){_OURS}(?!\w)|私たち|我们|弊社|for us\b", re.IGNORECASE)
_LASTS = re.compile(
    r"\b(?:always|never|every (?:day|night|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday|time)|"
    r"from now on|in production|in staging|in our|only care|only look|don'?t own|do not own|not ours|not mine|"
    r"owned by|own|owns|responsible for|maintain\w*|belongs? to|stuck on|we(?: are|'re) on|on (?:python|java|node|go|"
    r"ruby|php|rust|kotlin)\b|deploy|ship|release|"
    r"run (?:on|with|in)|runs (?:on|with|in)|running on|target|support|use|uses|using|record with|written in|"
    r"work on|go(?:es)? through|lives? in|(?:is|are) (?:disabled|enabled|switched off|turned off|deprecated)|"
    r"(?:is|are) mostly|never edit|have to be done|has to be done|counts? for us|"
    r"limit|limits|budget|budgets|sla|slo|deadline|target|"
    r"must (?:not|never|stay|be|finish|answer|return|respond|complete|fit|take)|"
    r"may (?:not|never|take)|"
    r"at most|no more than|only called once|baseline is|messages are|"
    r"immer|nie|niemals|grenze|limit|höchstens|in produktion|benutzen|verwenden|gehört|toujours|jamais|limite|"
    r"en production|utilisons|siempre|nunca|límite|en producción|usamos|предел|лимит|всегда|никогда|используем)\b|"
    r"上限|限制|总是|从不|生产环境|必ず|常に|本番",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d")
_RULE = re.compile(
    r"\b(?:limit|budget|sla|slo|deadline|target|must|at most|no more than|has to be done|have to be done|grenze|limite|"
    r"límite|предел|лимит)\b|上限|限制",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"\bselect\b.+\bfrom\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:in (?:production|staging|our (?:setup|environment|tests|ci))|in produktion|en production|"
    r"en producción|"
    r"owned by|written in|from now on|(?:is|are) (?:disabled|enabled|switched off|deprecated)|belongs? to|"
    r"responsible for)\b",
    re.IGNORECASE,
)
_ABOUT_HERE = re.compile(
    r"\b(?:this (?:trace|recording|profile|run|time|picture|function|call|one|answer)|here|above|below|"
    r"that (?:function|"
    r"call|answer)|you (?:said|told|wrote|mean)|your (?:answer|last)|today|yesterday|just now|right now|currently "
    r"looking|i (?:see|think|guess|wonder|want|need|would|expected|thought|"
    r"don'?t (?:see|understand|think|know|get)))\b",
    re.IGNORECASE,
)


def lasting_facts(prompt: str) -> tuple[str, ...]:
    """The facts that a prompt states, in its own words, each once and in order."""
    found: dict[str, None] = {}
    for sentence in _SENTENCE.split(prompt):
        for clause in _clauses(sentence):
            if (fact := _fact(clause)) is not None:
                found[fact] = None
    return tuple(found)


def _clauses(sentence: str) -> list[str]:
    """A sentence in parts, of which one may ask and another state."""
    return [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]


def _fact(clause: str) -> str | None:
    """The clause without what leads to it, if it states something lasting; None for a question or a remark."""
    text = _TAIL.sub("", _LEADS.sub("", clause.strip())).strip()
    words = text.split()
    if len(text) > LONGEST or (len(words) < FEWEST_WORDS and text.isascii()):
        return None
    if _ASKS.search(clause.strip()) or _ASKS.search(text) or _ABOUT_HERE.search(text):
        return None
    if not _LASTS.search(text) or _STATEMENT.search(text):
        return None
    if _OF_US.search(text) or _PLACE.search(text) or (_RULE.search(text) and _FIGURE.search(text)):
        return text
    return None
