"""The kinds of question that the analyst answers, and the words that identify them."""

import re
from enum import StrEnum


class Topic(StrEnum):
    """What a question is about; `kinds/all_kinds.py` has what answers each."""

    OVERVIEW = "overview"  #: what takes the time, in general
    FIRST_FIX = "first_fix"  #: what to change first
    ANYTHING_WRONG = "anything_wrong"  #: whether something is wrong at all
    TOP = "top"  #: the heaviest functions, in order
    LIBRARIES = "libraries"  #: own code against libraries
    HOT_PATH = "hot_path"  #: the heaviest call path
    RECURSION = "recursion"  #: functions that call themselves
    FUNCTION = "function"  #: one function, by name
    CALLERS = "callers"  #: who calls a function
    CALLEES = "callees"  #: what a function calls
    HOW_OFTEN = "how_often"  #: how many calls a function gets
    TWO_FUNCTIONS = "two_functions"  #: one function against another
    SHOW = "show"  #: to be shown a function in the chart
    GARBAGE = "garbage"  #: garbage collection
    WAITING = "waiting"  #: locks, input and output, sleep
    QUERIES = "queries"  #: queries to a database
    MEMORY = "memory"  #: allocations and what is retained
    PROFILES = "profiles"  #: which threads or profiles there are
    MAIN_THREAD = "main_thread"  #: the main or UI thread
    THREAD = "thread"  #: one thread, by name
    STARTUP = "startup"  #: the start of the program
    LONG_TASKS = "long_tasks"  #: tasks that block longest
    WINDOW = "window"  #: a range of time
    BUSIEST = "busiest"  #: when the most happens
    PAGE = "page"  #: a web page's loading and its metrics
    SUSPECT = "suspect"  #: a cause that the person suspects
    COMPARE = "compare"  #: this trace against another
    ABILITIES = "abilities"  #: what can be asked
    USAGE = "usage"  #: the person's plan and what is left of it
    LANGUAGE = "language"  #: what needs a language model, such as writing code


ABOUT_ONE_FUNCTION = frozenset(
    {Topic.FUNCTION, Topic.CALLERS, Topic.CALLEES, Topic.HOW_OFTEN, Topic.SHOW, Topic.TWO_FUNCTIONS}
)

_WORDS: tuple[tuple[Topic, str], ...] = (
    (
        Topic.LANGUAGE,
        (
            r"\b(?:re-?write|refactor|port|translate|convert|implement|generate|draft|write)\b.*\b(?:for me|"
            r"in (?:rust|c\+\+|c|go|"
            r"python|java|typescript|javascript|zig|assembly|haiku)|code|test|patch|function|version|fix|it|email|"
            r"report|poem|ticket|"
            r"issue|pull request|commit)\b|\b(?:show|give|send) me (?:a |the )?(?:patch|diff|code|fix)\b|"
            r"\bpull request\b|"
            r"\bwhat does the (?:source|code) (?:look|say)|\breview (?:the|my) code\b|\bfix (?:it|this|"
            r"the code) for me\b"
        ),
    ),
    (
        Topic.USAGE,
        (
            r"\b(?:my|which|what|current) plan\b|\bmessages? (?:left|remain\w*|used)\b|\bhow many (?:messages|"
            r"questions|sessions|chats)\b|"
            r"\bmy (?:usage|limits?|quota)\b|\bupgrade\b"
        ),
    ),
    (
        Topic.COMPARE,
        (
            r"\b(?:than|with|to|since|against) (?:yesterday|before|last (?:week|time|run|release|version|month)|"
            r"the (?:previous|other|old|"
            r"earlier|baseline|last)\b|another|an earlier)|\bregress\w*|\bbaseline\b|\bbefore and after\b|\b(?:two|"
            r"both|other) (?:traces|"
            r"recordings|profiles|runs)\b|\bcompare (?:this|the|my|these) (?:two )?(?:traces?|recordings?|runs?)|"
            r"\bgot (?:slower|faster|worse)|"
            r"\bwhat (?:has )?changed\b|\b(?:previous|other|old|earlier) (?:trace|recording|run|release|version|"
            r"commit)\b"
        ),
    ),
    (
        Topic.PAGE,
        (
            r"\b(?:lcp|inp|cls|fcp|ttfb|tbt|fid|web ?vitals|core vitals|lighthouse|layout shifts?)\b|\b(?:contentful|"
            r"first|largest) "
            r"(?:contentful )?paint\b|\binteraction to next paint\b|\btotal blocking time\b|"
            r"\brender(?:ing)?[- ]block\w*"
        ),
    ),
    (
        Topic.MAIN_THREAD,
        r"\b(?:main|ui|render(?:er)?) ?-?thread\b|\bmainthread\b|\bevent loop\b",
    ),
    (Topic.GARBAGE, r"\bgc\b|\bgarbage\b|\bcollector\b"),
    (
        Topic.QUERIES,
        r"\bsql\b|\b(?:slow(?:est)?|n ?\+ ?1|database|db) quer(?:y|ies)\b|\bn ?\+ ?1\b|\bquer(?:y|ies)\b",
    ),
    (
        Topic.MEMORY,
        r"\bmemory\b|\bleak\w*|\ballocat\w+|\bheap\b|\bram\b|\bbytes\b|\bretain\w*|\boom\b|\bobjects\b",
    ),
    (
        Topic.WAITING,
        (
            r"\bi/?o\b|\bwait\w*|\bblock(?:ed|ing|s)?\b|\block(?:s|ed|ing)?\b|\bmutex\w*|"
            r"\bcontend\w*|\bcontention\b|"
            r"\bdisk\b|\bnetwork\b|\bsockets?\b|\bdatabase\b|\bdb\b|\bsleep\w*|\bdeadlock\w*|\bidle\b|\boff-?cpu\b|"
            r"\bsyscalls?\b|"
            r"\b(?:cpu|io|i/o)[ -]bound\b|\bfile (?:access|system|i/?o)\b|\blatency\b"
        ),
    ),
    (
        Topic.SUSPECT,
        (
            r"\b(?:is|are|was|could) (?:it|this|that|there)\b.*\b(?:serial\w+|json|logging|logs|regex\w*|"
            r"regular expressions?|"
            r"compress\w*|gzip|encrypt\w*|crypto\w*|sorting|copying|copies|clon\w+|exceptions?|reflection|"
            r"data ?load\w*|"
            r"jit|compil\w+|reflow\w*|rendering|painting|trackers?|strftime|date handling|linear search)\b|"
            r"\bhow much (?:time )?(?:is|goes (?:to|into|on)|does|spent (?:in|on)|in)?\s?(?:\w+ )?(?:serial\w+|"
            r"json|logging|"
            r"regex\w*|regular expressions?|compress\w*|encryption|sorting|copying|exceptions?|reflection|"
            r"data loading|jit|"
            r"compil\w+)\b"
        ),
    ),
    (Topic.RECURSION, r"\brecurs\w+|\bcall(?:s|ing)? itself\b|\bstack (?:depth|overflow)\b|\bhow deep\b"),
    (
        Topic.LIBRARIES,
        (
            r"\blibrar(?:y|ies)\b|\bmy (?:own )?code\b|\bour (?:own )?code\b|\bown code\b|\bthird[- ]part(?:y|ies)\b|"
            r"\bframework\b|"
            r"\bdependenc(?:y|ies)\b|\bstandard library\b|\bstdlib\b|\bnode_modules\b|\bsite-packages\b"
        ),
    ),
    (
        Topic.STARTUP,
        (
            r"\bstart-?\s?up\b|\bstart(?:s|ing)? (?:up|slow\w*|so slow\w*)|\b(?:to|does it|app|browser|"
            r"server) start\b|\bboot\w*|"
            r"\bcold start\b|\blaunch(?:ing)? (?:the|time|slow)|\bimport(?:s|ing)? (?:time|slow)|\binitiali[sz]\w+|"
            r"\bfirst request\b|\bwarm-?up\b"
        ),
    ),
    (
        Topic.LONG_TASKS,
        (
            r"\blong(?:est)? (?:tasks?|calls?|frames?|pauses?|single)\b|\bjank\w*|\bdropped frames?\b|"
            r"\bframe (?:rate|drops?)\b|\bfps\b|"
            r"\bstutter\w*|\bhitch\w*|\bfreez\w+|\bslow(?:est)? (?:single )?(?:calls?|tasks?|requests?|frames?)\b|"
            r"\bunresponsive\b|\bhangs?\b"
        ),
    ),
    (
        Topic.ABILITIES,
        (
            r"can(?:not|'t|’t)? (?:this trace|you|it|i|we)\b.*\b(?:answer|tell|do|ask|see|learn)|what can(?:not|'t|"
            r"’t)?\b|"
            r"what (?:kind|type|sort) of (?:trace|profile|file|recording)|what(?:'s| is) (?:in )?(?:this|"
            r"the) (?:trace|file|profile|recording)\b|"
            r"not answer|\bhelp\b|who are you|are you an? |what (?:am i|are we) looking at|\bhow (?:long|big|"
            r"large) is (?:this|the) "
            r"(?:trace|recording|profile|file)|describe (?:this|the) (?:trace|recording|profile)|what (?:format|"
            r"was recorded)|"
            r"how (?:was it|was this|many samples)|which profiler|summar(?:y|i[sz]e)"
        ),
    ),
    (
        Topic.PROFILES,
        (
            r"\bthreads\b|\bprofiles\b|\btracks?\b|\bprocess(?:es)?\b|\bcores?\b|\bbusiest thread\b|\b(?:which|what|"
            r"each|per|every|how many) "
            r"thread\b|\bbalanced?\b|\bevenly\b|\bparallel\w*|\bworkers\b|\bconcurren\w+"
        ),
    ),
    (
        Topic.HOT_PATH,
        (
            r"\b(?:hot(?:test)?|heaviest|critical|slowest|main) (?:call )?(?:path|stack|branch|chain)\b|"
            r"\bcall (?:path|stack|tree)\b|"
            r"\bpath to\b|\bhow (?:do|does|did) (?:we|it|the program) get to\b"
        ),
    ),
    (
        Topic.FIRST_FIX,
        (
            r"\b(?:fix|optimi[sz]e|improve|tackle|look at|change|speed up|start with|do)\b.*\bfirst\b|"
            r"\bwhere (?:should|do|to) (?:i|we)? ?(?:start|"
            r"begin)|\bwhat (?:should|can|could|would) (?:i|we) (?:fix|change|do|optimi[sz]e|improve|try)\b|"
            r"\bhow (?:can|do|could|to) (?:i|we)? ?(?:make|"
            r"speed|fix|improve|optimi[sz]e)|\bquick wins?\b|\blow[- ]hanging\b|\brecommend\w*|\bsuggest\w*|"
            r"\bhow much (?:can|could) (?:i|we) (?:save|gain)"
        ),
    ),
    (
        Topic.ANYTHING_WRONG,
        (
            r"\b(?:any(?:thing|one)?|something|what(?:'s| is)?) (?:is )?(?:wrong|odd|strange|suspicious|unusual|bad|"
            r"weird|off|broken|stand\w* out|"
            r"notable|interesting)\b|\b(?:any|the|biggest|worst|main) (?:\w+ )?(?:problems?|issues?|anomal\w+|"
            r"red flags?|findings?)\b|\bis (?:it|"
            r"this|everything|that) "
            r"(?:ok|okay|fine|good|normal|healthy|all right)\b|\blooks? (?:ok|okay|fine|good|normal|healthy)\b|"
            r"\bstands? out\b|\bfindings\b"
        ),
    ),
    (
        Topic.SHOW,
        (
            r"\b(?:show|zoom|go to|jump|highlight|draw|picture|screenshot|open|visuali[sz]e|plot)\b|flame\s?(?:graph|"
            r"chart)"
        ),
    ),
    (
        Topic.TOP,
        (
            r"\b(?:top|slowest|hottest|heaviest|biggest|ranking|rank|which functions|most (?:time|expensive|cpu|"
            r"instructions|samples))\b"
        ),
    ),
)
BUSIEST = re.compile(
    r"\b(?:hottest|busiest|worst|heaviest|slowest)\s+(?:(\d+(?:\.\d+)?)\s*(us|µs|ms|milliseconds?|s|secs?|seconds?)\b|"
    r"(?:window|moment|phase|period|second)s?\b)|"
    r"\bwhen (?:is|was) (?:it|this|the \w+) (?:the )?(?:busiest|hottest|slowest)|"
    r"\bwhen does (?:it|this) (?:spike|peak)|\bspikes?\b",
    re.IGNORECASE,
)
"""When the most happens, and how long the time is that is looked for."""
_TOPICS = tuple((topic, re.compile(pattern, re.IGNORECASE)) for topic, pattern in _WORDS)

_OF_A_FUNCTION = (
    (
        Topic.HOW_OFTEN,
        re.compile(
            r"\bhow (?:often|many times|many calls|frequently)\b|\b(?:number|count) of (?:calls|times|"
            r"invocations)|\bcall (?:count|times)\b|"
            r"\bhow long (?:is|does|are|do) (?:a |one |each |single |every )?(?:call|invocation)s?\b|"
            r"\bper call\b|\baverage (?:call|duration|time)",
            re.IGNORECASE,
        ),
    ),
    (
        Topic.CALLEES,
        re.compile(
            r"\bwhat (?:does|do|is|are)\b[^?]*\b(?:call|calling|do|doing|spend\w*|invoke)\b|\bcallees?\b|"
            r"\bcalls? out\b|\bbreak ?down\b|"
            r"\binside\b|\bbelow\b|\bwhere does\b[^?]*\bspend\b",
            re.IGNORECASE,
        ),
    ),
    (
        Topic.CALLERS,
        re.compile(
            r"\b(?:who|what|which functions?|where)\b[^?]*\b(?:calls?|invokes?|uses?)\b(?! (?:itself|does))|"
            r"\bcallers?\b|\bcalled (?:from|by)\b|"
            r"\bwhere is\b[^?]*\bcalled\b|\bcomes? from\b|\bfrom where\b|\bwhere from\b|\bwho is responsible\b",
            re.IGNORECASE,
        ),
    ),
)
_TWO = re.compile(
    r"\bcompare\b|\bvs\.?(?=\s)|\bversus\b|\bslower than\b|\bfaster than\b|\bmore than\b|\bdifference between\b|"
    r"\bor\b",
    re.IGNORECASE,
)
_WITH_NAMES = frozenset(
    {
        None,
        Topic.PROFILES,
        Topic.TOP,
        Topic.FIRST_FIX,
        Topic.ANYTHING_WRONG,
        Topic.HOT_PATH,
        Topic.ABILITIES,
        Topic.LONG_TASKS,
        Topic.STARTUP,
        Topic.MEMORY,
        Topic.WAITING,
        Topic.LIBRARIES,
        Topic.QUERIES,
    }
)
_WITH_TIME_RANGE = frozenset(
    {
        None,
        Topic.SHOW,
        Topic.TOP,
        Topic.FIRST_FIX,
        Topic.LONG_TASKS,
        Topic.ANYTHING_WRONG,
        Topic.PROFILES,
        Topic.HOT_PATH,
        Topic.COMPARE,
        Topic.STARTUP,
    }
)
_CAUSAL_THREAD = frozenset(
    {None, Topic.PROFILES, Topic.TOP, Topic.ABILITIES, Topic.WAITING, Topic.ANYTHING_WRONG, Topic.FIRST_FIX, Topic.SHOW}
)


def topic_of(text: str, *, has_names: bool, has_time_range: bool, thread: str | None) -> Topic | None:
    """The topic of a question whose quoted words are left out; None when no word of it is known."""
    topic = next((topic for topic, pattern in _TOPICS if pattern.search(text)), None)
    if BUSIEST.search(text) and topic in (None, Topic.TOP, Topic.LONG_TASKS) and not has_names:
        return Topic.BUSIEST
    if has_names and topic in _WITH_NAMES | {Topic.SHOW, Topic.RECURSION}:
        return _of_function(text, topic)
    if thread is not None and topic in _CAUSAL_THREAD:
        return Topic.THREAD
    if has_time_range and topic in _WITH_TIME_RANGE:
        return Topic.WINDOW
    if topic is None:
        return next((one for one, pattern in _OF_A_FUNCTION if pattern.search(text)), None)
    return topic


def of_function(text: str) -> Topic:
    """Which question about one function it is."""
    return _of_function(text, None)


def _of_function(text: str, topic: Topic | None) -> Topic:
    if topic is Topic.SHOW:
        return Topic.SHOW
    if _TWO.search(text) and not re.search(r"\bcalls? or\b", text):
        return Topic.TWO_FUNCTIONS
    return next((one for one, pattern in _OF_A_FUNCTION if pattern.search(text)), Topic.FUNCTION)
