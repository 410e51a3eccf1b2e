"""How prompts are put that go on: corrections, comparisons, what would be saved, the same of something else."""

import re

from traces.lazy_regex import lazy_regex

LETTERS = 4
"""Of the longest word that is none of a name."""
CORRECTS = lazy_regex(
    r"^(?:no(?:pe)?|nah|sorry|wait|actually|hm+)?[ ,.]*(?:i (?:don'?t|do not|didn'?t) mean (?:that|this|it)[ ,.]*)?"
    r"i (?:mean|meant)\s+(?:the\s+|of\s+)?(?P<after>.+?)(?:\s+(?:again|sorry|please|pls))*[.!]*$|"
    r"^(?:the\s+)?(?P<before>.+?)\s+i (?:mean|meant)[.!]*$",
    re.IGNORECASE,
)
TOO = lazy_regex(r"^(?:and\s+)?`?([\w.$:]+)`?\s+(?:too|as well|also)\W*$", re.IGNORECASE)
"""A prompt that asks the same of a function that it names by a word of the language, perhaps."""
COMPARES = lazy_regex(
    r"\b(?:slower|faster|speed-?up|quicker|regress\w*|than before|langsamer|schneller|plus (?:lent|rapide)|fixed|"
    r"improved|vanished|disappeared|gone|missing|changed)\b",
    re.IGNORECASE,
)


AND_ONE = lazy_regex(
    r"^(?:and|what about|how about|und|et|y|e|и)\s+(?:(?:to|in|for|of|the)\s+)*`?([\w.$:]{3,})`?\s*\??$", re.IGNORECASE
)
"""A prompt that asks the same of one word more."""
WITHIN = lazy_regex(
    r"\b(?:it|they) (?:directly |mostly )?calls?\b|\b(?:in|inside|within|during) (?:it|there|(?:that|this)(?: one)?)\b",
    re.IGNORECASE,
)
"""Words that ask what the function that was spoken of calls."""


def corrected(prompt: str) -> str:
    """What a person says that they meant; the prompt where it is no correction."""
    found = CORRECTS.match(" ".join(prompt.split()))
    return (found["after"] or found["before"]) if found else prompt


def long_words(text: str) -> tuple[str, ...]:
    """Words that may be part of the name of a thread or of another recording."""
    return tuple(word for word in re.findall(r"[\w.-]+", text) if len(word) > LETTERS)


PER_CALL = lazy_regex(
    r"\bper (?:single )?(?:call|invocation|entry|contention|execution|run|time)\b|\b(?:avg|average|mean)\b|"
    r"\beach (?:call|time)\b|"
    r"\bpro aufruf\b|\bpar appel\b|\bpor (?:llamada|chamada)\b|на вызов|每次调用",
    re.IGNORECASE,
)
"""Words that ask what one call takes on average."""
SAVES = lazy_regex(
    r"\bwithout (?:that|it|this|them)\b|"
    r"\bwhat (?:do|would|could|can|will) (?:i|we) (?:win|gain|get|save)\b|"
    r"\b(?:how (?:much )?(?:fast\w*|quick\w*|short\w*|long)|how much)\b.{0,24}\bwithout (?:the )?[\w.:$`]+\W*$|"
    r"\bwhat if \w+ (?:ran|runs|was|were) (?:\w+ )?(?:concurrent\w*|parallel|async\w*|free|gone|faster)\b|"
    r"\bif (?:\w+ ){1,5}(?:was|were|is) (?:free|gone|for free)\b|"
    r"\bif (?:\w+ ){1,4}(?:took|takes|cost|costs|needed|was|were) (?:only )?(?:half|twice as fast|halved)\b|"
    r"\bif (?:i|we|you) halved? (?:it|that|this)\b|"
    r"\b(?:saved?|gain(?:ed)?|would (?:be|remain|stay)|be left|what(?:'s| is) left|remains?|were free|cost nothing|"
    r"if (?:i|we) (?:delete|remove|drop|fix|cut|skip|kill|do)|"
    r"ahorr\w+|(?:er|ein)?spar(?:e|en|t)|économiser\w*|gagn(?:er|erai\w*)|risparmi\w+|gratis|gratuit\w*|kostenlos|umsonst)\b|"
    r"省(?:下|多少)|节省",
    re.IGNORECASE,
)
"""Words for what would be if a cost were none."""

DOUBTS = lazy_regex(
    r"^(?:(?:hm+|wait|what|no|nah|ok|but)[ ,.]*)*(?:rly|really|srsly|seriously|for real|"
    r"(?:are )?(?:you|u) sure(?: about (?:that|it|this))?|sure|"
    r"is (?:that|this|it) (?:really )?(?:true|right|correct|so)|"
    r"echt|wirklich|sicher|bist du (?:dir )?sicher|vraiment|sérieux|(?:tu )?es sûr|en serio|seguro|davvero|sicuro|"
    r"mesmo|sério|правда|точно|真的吗?|确定吗?|本当(?:に|ですか)?|정말)\s*[?!.？]*$",
    re.IGNORECASE,
)
"""A prompt that doubts the answer before, and asks nothing else."""
_OF_RECORDINGS = lazy_regex(
    r"\b(?:recordings?|traces?|profiles?|runs?|uploads?|files?|before|after|yesterday|last|previous|earlier|older|newer|"
    r"baseline|version|release|commit|branch|aufnahme|vorher|gestern)\b",
    re.IGNORECASE,
)


def speaks_of_recordings(text: str) -> bool:
    """Whether a comparison is with another recording, by its words."""
    return _OF_RECORDINGS.search(text) is not None


GOES_ON = lazy_regex(
    r"^(?:and |but |so |ok(?:ay)?,? |then )*(?:why|why so|why that|how|how come|how so|who|who else|more|go on|"
    r"how long|how much|how slow|"
    r"details?|tell me more|elaborate|wh?ich one|quanto|cuánto|combien|wie ?viel|wie lange|hoeveel|"
    r"сколько|多少|얼마나?|どのくらい)\W*$",
    re.IGNORECASE,
)
"""Prompts that are nothing without what was said before."""
CAN_BE_FIXED = lazy_regex(
    r"^(?:(?:and|so|ok(?:ay)?|but)[ ,]+)*(?:how (?:do|can|could|would|should) (?:i|we|you|one)|"
    r"(?:can|could|will|would) (?:you|u|i|we|that|it|this)(?: be)?|what (?:can|could|should) (?:i|we) do|what to do) ?"
    r"(?:please |just )?(?:fix(?:ed)?|mend(?:ed)?|solved?|optimi[sz]ed?|speed up|reduced?|avoid(?:ed)?|cut|shrink|"
    r"help|about)? ?(?:it|this|that|them)?(?: for (?:me|us)| down)?\W*$|"
    r"^(?:und )?(?:wie|was) (?:kann|könnte|soll) (?:ich|man|wir)\b.{0,20}(?:beheben|tun|machen|vermeiden)\W*$",
    re.IGNORECASE,
)
"""A prompt that asks what to do about what was spoken of."""
AND_A_THING = lazy_regex(
    r"^(?:and|what about|how about|und(?: was ist mit)?|et|y|e)\s+(?!(?:why|how|what|who|where|when|which)\b)"
    r"[a-z]+(?: [a-z]+){0,3}\W*$",
    re.IGNORECASE,
)
"""`and printing the report?`: nothing but a thing."""
