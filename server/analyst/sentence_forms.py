"""How a prompt is put: as a question for yes or no, for whether there is something, with a pronoun."""

import re

from traces.lazy_regex import lazy_regex

_REFERS = lazy_regex(
    r"\b(?:it|its|that|them|they|those|same|davon|dessen|darin|dazu|daran|ihn|cela|ça|eso|esto|ello|disso|isso|questo|"
    r"quello|ervan|его|её|него|ней)\b|它|这个|那个|それ|これ|그것",
    re.IGNORECASE,
)
_WHETHER = lazy_regex(
    r"^(?:(?:and|so|but|ok(?:ay)?|then|hm+|or)\b[ ,]*)*(?:is|are|was|were|does|do|did|has|have|could|can|would|any)\b|"
    r"^(?:ist|sind|hat|gibt es|est-ce|y a-t-il|es|hay|está|é|há|c'è|есть ли|is er|zijn)\b|[吗か까]\s*[?？]*$|"
    r"^(?:有没有|是不是|是否|会不会)|"
    r"\b(?:right|correct|true|isn't it|no|yes|oder|nicht wahr|non|verdad|né)\s*\?$",
    re.IGNORECASE,
)
_WITHOUT_A_VERB = lazy_regex(
    r"^(?!.*\b(?:what|which|who|where|when|why|how|quant\w*|cuánt\w*|combien|wie\w*|wer|wem|wen|was|wo|welche\w*|qui|que|quel\w*|"
    r"où|come|chi|waar|most|longest|slowest|worst|biggest|hottest|heaviest|largest|shortest|fastest|"
    r"p50|p9[059]|median|average|max|min|plus)\b)[\x00-\x7f]{2,40}(?:\bhere|\bthen|\bthough)?\?$",
    re.IGNORECASE,
)
ASKS_WHAT = lazy_regex(
    r"^(?:(?:and|so|but|ok(?:ay)?|then)[ ,]+)*"
    r"(?:what|which|who|where|when|how|combien|wie|wer|wo|wann|welche\w*|quel\w*|"
    r"cuánt\w*|quant\w*|qui[eé]n)\b|\b(?:combien|how many|how much|how often|how deep)\b",
    re.IGNORECASE,
)
"""Words that ask for a thing, a place or a number: no yes or no answers them."""
_ANY = lazy_regex(
    r"^(?:and |so |but )?(?:is|are|was|were) there\b|^(?:and )?any\b|^gibt es\b|^y a-t-il\b|^hay\b|^c'è\b|^zijn er\b",
    re.IGNORECASE,
)


_NUMBER_OF = lazy_regex(
    r"^(?:and |so |but |ok(?:ay)?,? )*how many (?:times )?(?!gc)([a-z]{3,}?)s"
    r"(?: (?:are|were|is|do|did|and|in|per|happen\w*)\b.*)?\W*$",
    re.IGNORECASE,
)
_NUMBER_ELSEWHERE = lazy_regex(
    r"^(?:(?:und|et|y|e) )?¿?(?:wie viele|combien de |combien d['’]|cuánt[ao]s|quant[ei]) ?([a-z]{4,}?)(?:s|en|e)?"
    r"(?: (?:gab|gibt|sind|waren|wurden|y a-t-il|sont|ont|hay|hubo|fueron|ci sono)\b.*)?\W*$",
    re.IGNORECASE,
)
_NUMBER_OF_TWO = lazy_regex(
    r"^(?:and |so |but |ok(?:ay)?,? )*how many ((?!gc|long|slow|more|other)[a-z]{3,}) ([a-z]{4,}?)(?:es|s)?"
    r"(?: (?:are|were|is|do|did|and|in|per|happen\w*)\b.*)?\W*$",
    re.IGNORECASE,
)
_COUNTED_WORDS = """
time collection process thread frame request querie call sample object byte event span task core worker error function
second
milli millisecond mb kb gb file row trace profile allocation step iteration
"""
_COUNTED_OTHERWISE = frozenset(_COUNTED_WORDS.split())
"""What `how many` is asked of that is no function's name."""
WHO_AND_HOW_OFTEN = lazy_regex(
    r"\bwho calls\b.*\bhow (?:often|many)\b|\bhow (?:often|many)\b.*\b(?:who|from where)\b", re.IGNORECASE
)
_FEW_CALLS_WHY = lazy_regex(r"\b\d+ calls?\b.*\b(?:why|how come)\b|\b(?:why|how come)\b.*\b\d+ calls?\b", re.IGNORECASE)
_WHY_SLOW = lazy_regex(
    r"\b(?:why|how come|warum|wieso|pourquoi)\b.*?\b(network|netzwerk|réseau|disks?|festplatte|i/?o|database|db|sql|"
    r"locks?|gpu)\b.*\b(?:slow\w*|bad|busy|long|langsam|lent)\b",
    re.IGNORECASE,
)
_CLAIMS_FIRST = lazy_regex(
    r"\b(?:since|as|given that|because|wenn|da)\b.{0,80}\b(?:is|are|was) (?:the |our )?(?:top|biggest|main|hottest|"
    r"slowest|heaviest|worst|number one|#1)\b",
    re.IGNORECASE,
)
_WITHOUT_SYMBOLS = lazy_regex(
    r"\[?\(?\bunknown\b\]?|\?\?\?|\bunsymboli[sz]ed\b|\b(?:no|without|missing) (?:debug )?symbols\b|"
    r"\bhex (?:address|number)\w*",
    re.IGNORECASE,
)
WHO_WORKS = lazy_regex(
    r"^(?:and |so )*(?:who|which (?:process|program|binary)\w*)\b.{0,30}\b(?:burns?|eats?|uses?|hogs?|takes?|has)\b"
    r".{0,20}\b(?:cpu|processor|cores?|machine)\b|"
    r"^(?:and |so )*which (?:process|program|binary)\w* \w+ (?:the )?most\W*$",
    re.IGNORECASE,
)


_WHICH_IS_SLOWEST = lazy_regex(
    r"\bwhich (?:\w+ )?(step|epoch|iteration|batch|phase|stage)s?\b.*\b(?:slowest|longest|worst)\b|"
    r"\b(?:slowest|longest|worst) (?:\w+ )?(step|epoch|iteration|batch|phase|stage)\b",
    re.IGNORECASE,
)


_WHICH_OF_A_KIND = lazy_regex(
    r"^(?:(?:and|so|but)[ ,]+)*which (?:of the )?([a-z]{3,}?)s? (?:is|are|was|takes?|took|costs?) "
    r"(?:the |most |up |so |that |too )*"
    r"(?:slowest|longest|worst|heaviest|most|time|expensive|costly|slow)\b",
    re.IGNORECASE,
)
_OF_OTHER_KINDS_WORDS = """
call class classe code component core dependenc file frame function kernel librarie library line method module one
package part process querie query request routine script task thread thing worker two three them these those
"""
_OF_OTHER_KINDS = frozenset(_OF_OTHER_KINDS_WORDS.split())


def ranked_thing(text: str) -> str:
    """`step` of `which training step is slowest`, `sort` of `which sort takes the longest`; empty where it is not
    asked so."""
    found = _WHICH_IS_SLOWEST.search(text)
    if found:
        return (found[1] or found[2]).casefold()
    of_kind = _WHICH_OF_A_KIND.match(text)
    word = of_kind[1].casefold() if of_kind else ""
    return "" if word in _OF_OTHER_KINDS else word


def number_asked_of(text: str) -> str:
    """`fork` of `how many forks?`; empty where it is not asked so, or of what is never a function."""
    found = _NUMBER_OF.match(text) or _NUMBER_ELSEWHERE.match(text)
    word = found[1].casefold() if found else ""
    return "" if word in _COUNTED_OTHERWISE else word


def pair_asked_of(text: str) -> str:
    """`kernel launch` of `how many kernel launches?`; empty where it is not asked so."""
    found = _NUMBER_OF_TWO.match(text)
    words = (found[1].casefold().removesuffix("s"), found[2].casefold()) if found else ("", "")
    return "" if not all(words) or {*words, f"{words[1]}e"} & _COUNTED_OTHERWISE else " ".join(words)


def asks_why_so_few(text: str) -> bool:
    """Whether it wonders that few calls take long."""
    return _FEW_CALLS_WHY.search(text) is not None


def slow_thing(text: str) -> str:
    """`network` of `why is the network so slow?`: it is taken for granted that it is, and was used."""
    found = _WHY_SLOW.search(text)
    return found[1].casefold() if found else ""


def claims_to_be_first(text: str) -> bool:
    """Whether it takes for granted that something leads."""
    return _CLAIMS_FIRST.search(text) is not None


def asks_of_symbols(text: str) -> bool:
    """Whether it asks about code that has no name in the recording."""
    return _WITHOUT_SYMBOLS.search(text) is not None


_OBJECT = lazy_regex(
    r"\b(?:does|do|did|is|are|if|when|would) (?:it|they|we|i) (?P<verb>[a-z]{3,}) "
    r"(?:the|a|an|our|my|its|their|every|each) "
    r"(?P<noun>[a-z]{3,})\b",
    re.IGNORECASE,
)


def done_to(text: str) -> str:
    """`parse config` of `how often does it parse the config?`: what is asked of is done, and to what; else empty."""
    found = _OBJECT.search(text)
    return f"{found['verb']} {found['noun']}" if found else ""


_NAME = r"`?(?P<{}>[\w.:$<>]{{2,}}(?:\(\))?)`?"
_CALLED_FROM = lazy_regex(
    rf"\b(?:is|are|was|were)\s+(?:the )?{_NAME.format('callee')}\s+(?:\w+ )?(?:called|invoked|reached|run|used)\s+"
    rf"(?:\w+ly )?(?:from|by|in|via|through|inside|within)\s+(?:the )?{_NAME.format('caller')}",
    re.IGNORECASE,
)
_CALLS = lazy_regex(
    rf"\b(?:does|do|did)\s+(?:the )?{_NAME.format('caller')}\s+(?:\w+ )?(?:call|invoke|reach|run|use)\s+(?:the )?"
    rf"{_NAME.format('callee')}",
    re.IGNORECASE,
)


_NO_FUNCTIONS_WORDS = """
it itself this that they them these those he she anything something nothing anyone other others another any time what
"""
_NO_FUNCTIONS = frozenset(_NO_FUNCTIONS_WORDS.split())


def relation_asked_of(text: str) -> tuple[str, ...]:
    """What is called and by what, of `is strcat called from column_sums?`; empty where it is not asked so."""
    found = _CALLED_FROM.search(text) or _CALLS.search(text)
    pair = (found["callee"].rstrip(".:"), found["caller"].rstrip(".:")) if found else ()
    return () if _NO_FUNCTIONS.intersection(one.casefold() for one in pair) else pair


_ORDER = {"second": 1, "2nd": 1, "next": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3}
_NTH = lazy_regex(
    rf"\b({'|'.join(_ORDER)})[ -]+(?:longest|slowest|worst|biggest|largest|most expensive|"
    r"(?:long |slow |big )?(?:task|call|request|query|wait|pause)s?)\b",
    re.IGNORECASE,
)
_HOW_MANY = lazy_regex(
    r"\b(?:how many|number of|count of|wie viele|combien|cuánt[ao]s|quant[ieao]s?|"
    r"hoeveel)\b|сколько|多少|几个|いくつ|몇",
    re.IGNORECASE,
)


_LONGEST_WAIT = lazy_regex(
    r"\b(?:longest|worst|slowest|biggest|max(?:imum)?)\b.{0,20}\b(?:waits?|waited|waiting|block(?:ed|ing)?|stalls?|"
    r"hold-?ups?)\b|\b(?:längste\w*|plus longue|más larga) (?:warte\w*|attente|espera)",
    re.IGNORECASE,
)


def asks_for_the_longest_wait(text: str) -> bool:
    """Whether one wait is asked for, the longest."""
    return _LONGEST_WAIT.search(text) is not None


def place_asked_for(text: str) -> int:
    """The place in an order of what is asked for, from 0: 1 for `second longest`."""
    found = _NTH.search(text)
    return _ORDER[found[1].casefold()] if found else 0


def asks_how_many(text: str) -> bool:
    """Whether it asks for a number of things."""
    return _HOW_MANY.search(text) is not None


_SENTENCES = lazy_regex(r"(?<=[.!?…])\s+(?=\S)")


def is_yes_or_no(text: str) -> bool:
    """Whether a prompt is put so that yes or no answers it."""
    return asks_whether(text) or _WITHOUT_A_VERB.search(text) is not None


def asks_whether(text: str) -> bool:
    """Whether it is a sentence that yes or no answers, and no mere name with a question mark; what was said before it
    asks nothing."""
    return _WHETHER.search(_SENTENCES.split(text.strip())[-1]) is not None


def asks_for_any(text: str) -> bool:
    """Whether it asks if there is something."""
    return _ANY.search(text) is not None


_RELATIVE = lazy_regex(
    r"\b(?:\w+[^\Ws]s|ones?|things?|code|function|part|call|something|anything|everything|all|work|time) that "
    r"(?=(?!is\b|was\b|one\b)\w)",
    re.IGNORECASE,
)
"""`slices that never end`: there it is no pronoun for what was spoken of."""


def refers(text: str) -> bool:
    """Whether it has a pronoun for what was spoken of."""
    return _REFERS.search(_RELATIVE.sub(" ", text)) is not None


_NS_PER = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "sec": 1e9}
_LONGER_THAN = lazy_regex(
    r"(?:\b(?:over|above|beyond|exceed\w*|(?:longer|slower|more|bigger|greater) than|über|länger als|mehr als|plus de|"
    r"más de|más largas? (?:de|que))|[>≥])\s*(?:=\s*)?(\d+(?:[.,]\d+)?)\s*(ns|us|µs|ms|s|sec)\b",
    re.IGNORECASE,
)
_OF_SINGLE_ONES = lazy_regex(
    r"\b(?:how (?:many|often)|count|number of|longest|slowest|worst|biggest|max(?:imum)?|median|typical|average|avg|"
    r"mean|when|second longest|wie (?:viele|oft)|wann|längste\w*|combien|quand|plus longue?|cuánt[ao]s|cuándo|"
    r"más larg[ao])\b|多少|几次|最长|什么时候|いつ|何回|最長",
    re.IGNORECASE,
)


def limit_asked(text: str) -> tuple[float, str] | None:
    """The length above which events are asked for: in ms, and as it is written; None without one."""
    found = _LONGER_THAN.search(text)
    if found is None:
        return None
    value, unit = float(found[1].replace(",", ".")), found[2].lower()
    return value * _NS_PER[unit] / 1e6, f"{found[1]} {unit}"


def asks_of_single_ones(text: str) -> bool:
    """Whether it asks for a number of events, for one of them, or for the middle one."""
    return _OF_SINGLE_ONES.search(text) is not None or limit_asked(text) is not None


_NORM = lazy_regex(
    r"\b(?:normal\w*|usual|expected|acceptable|reasonable|healthy|unusual|too (?:much|many|long|high|slow|big)|"
    r"a lot|üblich|viel|beaucoup|mucho)\b(?: (?:for|here|in|at)\b.{0,24})?\W*$",
    re.IGNORECASE,
)
_JUDGED = lazy_regex(
    r"^(?:(?:and|so|but|ok(?:ay)?|hm+)[ ,]+)*(?:is|are|was|were|ist|est-ce|es|sind)\b.{0,60}$", re.IGNORECASE
)


def judges(text: str) -> bool:
    """Whether it asks if a figure is a good one: `is 200 ms normal?`."""
    figure = re.search(r"\d", text) or refers(text) or "this" in text
    return bool(figure) and _JUDGED.match(text) is not None and _NORM.search(text) is not None


CLOCK = lazy_regex(
    r"\bcpu\b.{0,24}\b(?:or|oder|ou|o|vs\.?)\b.{0,16}\b(?:wall|clock|real|reloj|réel\w*|uhr\w*|wanduhr|echtzeit)|"
    r"\b(?:wall|clock|real|reloj|réel\w*)\b.{0,16}\b(?:or|oder|ou|o|vs\.?)\b.{0,16}\bcpu\b|"
    r"\b(?:wall[- ]?clock|wall time)\b",
    re.IGNORECASE,
)
"""How it is asked by which clock the recording counts."""
