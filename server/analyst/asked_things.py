"""What a prompt asks the share of, by the place of words in it: `the binder` of `how much does the binder take`, each
word of `is it parsing, binding or emitting?`; and plainer ways to put a prompt for the classifier.
"""

import re

from server.agent.memory.word_stem import SHORTEST, stem
from server.analyst.going_on import PER_CALL
from server.analyst.sentence_forms import asks_whether
from server.analyst.subjects import NO_NAMES
from traces.lazy_regex import lazy_regex

_OF_A_KIND_WORDS = """
allocate allocated allocates allocating allocation allocations alloc allocs blocked
cache caches caching compute computing cpu db disk gpu idle idling io kernel
less lock locked locking locks logging memory more network nothing query querying self server sleeping slower faster
something sql swapping threads throughput total user userland userspace waiting
"""
_OF_A_KIND = NO_NAMES | frozenset(_OF_A_KIND_WORDS.split())
"""Words of which other kinds of question know more than what is named like them."""
_BEFORE_ALTERNATIVES = lazy_regex(
    r"(?:(?:and|so|but|ok(?:ay)?|hm+)[ ,]+)*(?:(?:is|are|was|were|does|do|did) (?:it|this|that|we|(?:the|our|most|all|"
    r"more|most of the|most of) ?(?:of it|of that|time|bottleneck|cost|problem|work|weight|cpu|memory)?)"
    r"(?: (?:go|goes|more|mostly|mainly|rather|all|spent|in|to|into|on|the|because|of))*|"
    r"(?:what|which)(?: \w+)? (?:takes?|is|costs?|dominates|eats?|wins?)(?: \w+){0,3}[:,]?)? ?(?:the )?",
    re.IGNORECASE,
)
PAIR = 2
"""Of more than two that are set against each other, each may be an ordinary word."""
_WHICH_OF_THEM = lazy_regex(
    r",? (?:which|who|what)(?: one)?(?:['’]?s| is| takes| costs| was| needs| has| hurts| dominates| wins| leads).*$",
    re.IGNORECASE,
)
"""The end of `forward or backward, which is longer`."""
_SHARE_OF = lazy_regex(
    r"\bhow (?:much|many \w+|long|expensive|costly|heavy|big)\b(?: (?:time|cpu|of it|of that|of this|of the time|"
    r"memory|work|share))?(?: (?:is|are|was|were|does|do|did|go|goes|went|gets?))?"
    r"(?: (?:we|spent|spend|in|into|on|to|for|by|inside|actually|really|due|because|of|all))*"
    r" (?:the |our |this )(?P<word>[a-z]{4,})(?: (?:step|phase|part|pass|stage|code|logic|stuff|work|layer))?"
    r"(?: (?:itself|really|actually))?"
    r"(?: (?:takes?|costs?|needs?|uses?|eats?|spends?|burns?|run|runs|account)\b.*)?\W*$",
    re.IGNORECASE,
)
_TIME_IN = lazy_regex(
    r"^(?:(?:and|so|the|total|cpu|share|percent|percentage|part|%) )*(?:time |of time )?(?:spent )?(?:in|inside) "
    r"(?:the |our )?(?P<word>[a-z]{4,})\W*$",
    re.IGNORECASE,
)
"""`time in runtime`."""
_PROBLEM = lazy_regex(
    r"^(?P<before>(?:(?:and|so|but|ok(?:ay)?)[ ,]+)*(?:is|are|was|were)) (?P<what>.+?) (?:really |actually )?"
    r"(?:(?:a|an|the|our|any|part of the) (?:\w+ )?(?:problem|issue|bottleneck|culprit|cause|concern|reason)|to blame)"
    r"(?: (?:here|there|then|in this|at all))*\W*$",
    re.IGNORECASE,
)
_JANK = lazy_regex(
    r"\b(?:jank\w*|stutter\w*|lagg?y|choppy|unresponsive|not responsive|dropp?(?:s|ed|ing)? frames)\b", re.IGNORECASE
)
_BY_CALLER = lazy_regex(r"\b(?:per|by|for each|from each|of each|each) (?:parent|caller)s?\b", re.IGNORECASE)
_BY_FILE = lazy_regex(
    r"\b(?:which|what) (?:\w+ ){0,1}(?:scripts?|files?|modules?|source files?|bundles?|"
    r"librar(?:y|ies)|packages?|dependenc(?:y|ies))\b(?!.* (?:define|line))|"
    r"\b(?:per|by|group(?:ed)? by) (?:file|module|script)\b",
    re.IGNORECASE,
)
_IT_IS_ASKED_OF = lazy_regex(
    r"\b(?:how|when|why|where|who|what|if)\b.*\b(?:is|was|does|did|has|would) (?:it|that|this)\b|"
    r"\b(?:i|we|you) \w+ (?:it|that|this|them)\b",
    re.IGNORECASE,
)
_ENDING = lazy_regex(r"(?:ing|ers?|ors?|ed|ions?|s)$")


def is_of_another_kind(word: str) -> bool:
    """Whether another kind of question knows more of a word than what is named like it."""
    return word.casefold() in _OF_A_KIND or bool(_OF_WORK.fullmatch(word))


_OF_WORK = lazy_regex(
    r"quer(?:y|ies)|requests?|collections?|gcs?|objects?|pauses?|exceptions?|errors?|samples?|events?|leaks?|regex\w*|json|"
    r"log(?:s|ging)|layouts? thrashing|bytes|heap|ram|disks?|sockets?|packages?|modules?|librar(?:y|ies)|files?|lines?|"
    r"kernels?|imports?|startup|idle|cores?|processors?|hardware|symbols?|optimi[sz]\w+|improv\w+|bottlenecks?",
    re.IGNORECASE,
)


_MAIN_THREAD = lazy_regex(r"^(?:and )?(?:on |in )?(?:the )?main thread ?[:,] (?=\w+ \w+)", re.IGNORECASE)
"""A place before a question for something else: it is where questions are asked of anyway."""


def plainer(text: str) -> str:
    """`is it file io?` of `is file io a problem?`: what it is asked of decides, and not that a problem is meant."""
    text = _MAIN_THREAD.sub("", text) or text
    found = _PROBLEM.match(text)
    if found is None or found["what"].casefold() in ("there", "this", "that", "it", "they", "these"):
        return text
    return f"{found['before']} it {found['what']}?"


def alternatives(text: str) -> tuple[str, ...]:
    """The words of which one is asked for, in small letters; empty where it is not put so, or where another kind of
    question knows them."""
    asked = _WHICH_OF_THEM.sub("", text.strip().rstrip("?!. "))
    if len(several := re.split(r" (?:vs\.?|versus) ", asked)) > PAIR and all(map(str.isalpha, several)):
        return tuple(dict.fromkeys(word.casefold() for word in several))
    *parts, last = re.split(r",? or |, ?", asked)
    if not parts or f" or {last}" not in asked:
        return ()
    lead = _BEFORE_ALTERNATIVES.match(parts[0])
    words = [parts[0][lead.end() if lead else 0 :], *parts[1:], last]
    plain = [re.sub(r"^(?:in |on )?(?:the |our )?", "", word.strip().casefold()) for word in words]
    if not all(re.fullmatch(r"[a-z]{3,}", word) for word in plain) or any(word in _OF_A_KIND for word in plain):
        return ()
    return tuple(dict.fromkeys(plain))


def share_asked_of(text: str) -> str:
    """`binder` of `how much does the binder take?`; empty where it is not put so."""
    found = _SHARE_OF.search(text) or _TIME_IN.match(text)
    word = found["word"].casefold() if found else ""
    return "" if word in _OF_A_KIND else word


def asks_of_jank(text: str) -> bool:
    """Whether it is about a page that does not answer at once."""
    return _JANK.search(text) is not None


_WOULD_HELP = lazy_regex(
    r"\b(?:would|will|does|do|could|can) (?:an? |the |some |using |adding |having |it help to )?(.{2,40}?) "
    r"(?:help|make it (?:any )?faster|speed (?:it|this) up|save|gain|bring|buy us|pay off)\b",
    re.IGNORECASE,
)
OF_WORKERS = lazy_regex(
    r"\b(?:threads?|workers?|cores?|cpus?|processes|parallel\w*|machines?|goroutines?)\b", re.IGNORECASE
)
CACHES = lazy_regex(r"\b(?:cach\w*|memo\w*|reus\w*|dedup\w*|precomput\w*)\b", re.IGNORECASE)
REMEDIES = (
    lazy_regex(r"\b(?:\w*sets?|\w*maps?|dict\w*|hash\w*|ind(?:ex|ices)\w*|sorted \w+|bisect\w*)\b", re.IGNORECASE),
    lazy_regex(r"\b(?:batch\w*|bulk|joins?|prefetch\w*|eager \w+|one query|in\(\))\b", re.IGNORECASE),
    lazy_regex(r"\b(?:gather\w*|await\w*|async\w*|concurren\w*|overlap\w*|together)\b", re.IGNORECASE),
)
"""Words for what is done about a cause, each with those by which an advice speaks of it."""
_AGAIN = lazy_regex(
    r"\b(?:twice|two times|again and again|over and over|more than once|multiple times|repeatedly|doppelt|zweimal|"
    r"deux fois|dos veces)\b",
    re.IGNORECASE,
)


_CONDITION = lazy_regex(
    r"\bif (?:i|we|you|they) "
    r"(?!(?:delete|remove|drop|skip|kill|inline|replace|rewrite)\w*\b)\w+\b",
    re.IGNORECASE,
)


def without_condition(text: str) -> str:
    """`how much would i save the file only once` of `... if i parsed the file ...`: what is done there is no name."""
    return _CONDITION.sub(" ", text)


_NAMED_FIRST = lazy_regex(r"^(?:(?:and|so|but|what about)\s+)*(?:the )?`?([\w.:$]{3,})`?, ", re.IGNORECASE)
_IS_WORSE = lazy_regex(
    r"^(?:(?:and|so|but)\s+)*is `?([\w.:$]{2,})`? (?:any |even )?"
    r"(?:worse|slower|hotter|heavier|bigger|costlier|more (?:expensive|costly))\W*$",
    re.IGNORECASE,
)


def named_first(text: str) -> str:
    """`memequal` of `and memequal, where does that come from`; empty where it is not put so."""
    found = _NAMED_FIRST.match(text)
    return found[1] if found and found[1].casefold() not in NO_NAMES else ""


def worse_than_that(text: str) -> str:
    """`malloc` of `is malloc worse?`, which compares it with what was spoken of; empty where it is not put so."""
    found = _IS_WORSE.match(text)
    return found[1] if found else ""


_HOW_MUCH = lazy_regex(r"\bhow (?:much|long|many (?:ms|seconds|milliseconds))\b", re.IGNORECASE)
_OF_A_PAGE = lazy_regex(r"\b(layout|style|recalc|paint|raster|composit|parsehtml|scripting)\w*\b", re.IGNORECASE)


def words_of_a_page(text: str) -> tuple[str, ...]:
    """`layout` and `style` of `how much layout and style on the main thread`: steps of a browser of which the share is
    asked; empty where it is not put so."""
    found = tuple(dict.fromkeys(word.casefold() for word in _OF_A_PAGE.findall(text)))
    return found if _HOW_MUCH.search(text) else ()


_OF_OWN_CODE = lazy_regex(
    r"\b(?:hottest|slowest|heaviest|worst|top|biggest|which|what|first)\b.{0,30}"
    r"(?:\b(?:our|my)\b (?:own )?(?:code|methods?|functions?|class(?:es)?|program|frames?|lines?|modules?)\b|"
    r"\b(?:ours|mine)\b|\b(?:methods?|functions?|code|lines?|files?) of (?:ours|mine)\b)",
    re.IGNORECASE,
)


def asks_of_own_code(text: str) -> bool:
    """Whether it asks what of the program's own code leads."""
    return _OF_OWN_CODE.search(text) is not None


def would_help(text: str) -> str:
    """`more threads` of `would more threads help?`; empty where it is not asked so."""
    found = _WOULD_HELP.search(text)
    return found[1] if found and found[1].casefold() not in ("you", "u", "it", "that", "this") else ""


def asks_if_done_again(text: str) -> bool:
    """Whether it asks if the same work is done more than once."""
    return _AGAIN.search(text) is not None and asks_whether(text)


def asks_by_caller(text: str) -> bool:
    """Whether figures are asked for of each caller."""
    return _BY_CALLER.search(text) is not None


def asks_by_file(text: str) -> bool:
    """Whether files are to be ranked."""
    return _BY_FILE.search(text) is not None


def asks_by_form(text: str) -> bool:
    """Whether the way it is put says what is asked, whatever it is near to."""
    return PER_CALL.search(text) is not None or asks_by_file(text) or asks_by_caller(text) or asks_of_jank(text)


def is_asked_of_it(text: str) -> bool:
    """Whether a pronoun is what the sentence is about: its other words are no subject."""
    return _IT_IS_ASKED_OF.search(text) is not None


def named_like(word: str) -> str:
    """A regular expression for names of which a part begins like the word without its ending: `parse_file`, `doParse`
    and `Parser::run` for `parsing`; the word itself where it has no ending to leave out."""
    root = stem(word) if word.isalpha() and word.islower() and _ENDING.search(word) else ""
    if len(root) <= SHORTEST or root == word:
        return ""
    return rf"(?-i:(?<![A-Za-z]){root}|{root.capitalize()}|(?<![A-Za-z]){root.upper()})"
