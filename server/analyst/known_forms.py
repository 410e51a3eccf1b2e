"""Questions that are known by how they are put, whatever their other words are near to."""

import re
from collections.abc import Callable

from server.analyst.asked_things import asks_if_done_again, asks_of_jank, asks_of_own_code
from server.analyst.intent import Intent
from server.analyst.sentence_forms import CLOCK, WHO_WORKS, asks_for_the_longest_wait
from traces.lazy_regex import lazy_regex

_WHO_WAITS = lazy_regex(
    r"^(?:(?:and|so|but)[ ,]+)*(?:which|what|who)\b.{0,20}\b(?:threads?|workers?|process(?:es)?)\b.{0,20}"
    r"\b(?:waits?|waiting|blocked|sleeps?|stuck|idles?)\b",
    re.IGNORECASE,
)
_HANGS = lazy_regex(
    r"\b(?:threads?|workers?|process(?:es)?|pool) (?:\w+ )?(?:hangs?|get stuck|gets stuck|(?:is|are) stuck)\b|"
    r"\b(?:zeit|lange|meisten) beim warten\b",
    re.IGNORECASE,
)
_WHICH_LOCK = lazy_regex(
    r"^(?:(?:and|so|but)[ ,]+)*which (?:class|object|lock|mutex|monitor)\b.*\b(?:locked|lock|mutex|monitor)\b",
    re.IGNORECASE,
)
_FIRST_TO_DO = lazy_regex(r"\bzuerst (?:anfassen|angehen|anpacken|beheben|optimieren|verbessern)\b", re.IGNORECASE)
_WHO_WAITS_MOST = lazy_regex(
    r"^(?:(?:and|so|but)[ ,]+)*who\b.{0,8}\b(?:waits?|waited|waiting|is blocked)\b.{0,12}\b(?:longest|most)\b",
    re.IGNORECASE,
)
_HOTTEST_KERNEL = lazy_regex(
    r"\b(?:which|what|worst|slowest|heaviest|top|hottest|biggest|largest|longest|costliest) "
    r"(?:\w+ ){0,2}kernels?\b(?! (?:function|call|module|version))",
    re.IGNORECASE,
)
_WITHOUT_COLLECTOR = lazy_regex(r"\b(?:without|if) (?:the |any )?(?:gc|garbage collect\w*)\b", re.IGNORECASE)
_CPU_BUSY = lazy_regex(r"^(?:is|was) (?:the |my |our )?(?:cpu|processor) (?:\w+ )?(?:busy|idle)\b", re.IGNORECASE)
_HOW_MANY_COLLECTIONS = lazy_regex(
    r"\bhow many (?:full |minor |major )?(?:gcs?|(?:garbage )?collections)\b", re.IGNORECASE
)
_HOT_ON_CPU = lazy_regex(
    r"^(?:(?:and|so|but|the|main|top|biggest|what(?:'s| is)|where(?:'s| is)) )*(?:cpu|processor)[ -]"
    r"(?:hot ?spots?|hogs?|bottlenecks?|consumers?)\b|\bhot(?:test|spots?) (?:on|by) (?:the )?(?:cpu|processor)\b",
    re.IGNORECASE,
)
_OF_ALL_THREADS = lazy_regex(
    r"\b(?:hottest|heaviest|top|slowest) (?:\w+ )?(?:fn|func|function|method|frame)s?\b.{0,20}\b(?:overall|altogether|"
    r"(?:of|over|in|across) (?:all|every)|whole)\b",
    re.IGNORECASE,
)
_BY_PROGRAM = lazy_regex(
    r"\b(?:by|per|each|split by|for each|between) (?:the )?(?:program|process|processes|programs|binary|binaries|"
    r"command|executable)\b",
    re.IGNORECASE,
)
_ALL_OF_IT = lazy_regex(
    r"^(?:(?:and|so) )*how long (?:does|did|is|was|do) (?:the |it )?(?:whole|entire|complete|full)\b"
    r"(?!.*\b(?:spen[dt]|in)\b)",
    re.IGNORECASE,
)
_IN_ALL = lazy_regex(
    r"^(?:(?:and|so) )*(?:how many |cuántas |combien d[e'’] ?|wie viele )?(?:(?:functions|methods|samples|events|"
    r"objets|objetos|objekte|"
    r"contentions|muestras|"
    r"échantillons|instructions|instrucciones|proben)(?: (?:are there|were taken))?|calls(?= \w))"
    r"(?: (?:en total|in total|au total|en tout|insgesamt|in all|overall|total|altogether|taken|recorded))?\W*$",
    re.IGNORECASE,
)


def counts_all(text: str) -> bool:
    """Whether it asks for the number of all that was recorded: of samples, of instructions."""
    return _IN_ALL.search(text) is not None


BY_CALLS = lazy_regex(
    r"\b(?:most|top|hottest|heaviest|ranked|sorted)\b.*\bby (?:the )?(?:number of |count of )?calls\b|"
    r"\bwhich (?:function|method|one) (?:has|holds) (?:the )?most (?:objects|allocations|instances|blocks)\b",
    re.IGNORECASE,
)
_LEAKS = lazy_regex(
    r"\b(?:is|are|does|do|did|any|have|has|was|there)\b.*\bleak\w*\b|^(?:(?:and|any|so) )*(?:memory )?leaks?\W*$|"
    r"\bspeicherlecks?\b|\bfuites? (?:de )?mémoire\b|\bfugas? de memoria\b|内存泄[漏露]",
    re.IGNORECASE,
)
_LONGEST_TASK = lazy_regex(
    r"\b(?:longest|slowest|biggest|worst) (?:single )?tasks?\b|\btasks? (?:over|above|longer than|>) ?\d", re.IGNORECASE
)
_HOTTEST_LEAF = lazy_regex(r"\b(?:hottest|heaviest|top|biggest) lea(?:f|ves)\b", re.IGNORECASE)
_SLOWEST_IMPORT = lazy_regex(
    r"\b(?:which|what) (?:import|module|package)s?\b.*\b(?:import|load|slow|worst|most|longest|heav)\w*|"
    r"\b(?:slowest|worst|heaviest) import\b",
    re.IGNORECASE,
)
_OVER_TIME = lazy_regex(
    r"\b(?:slow|fast|long|short|grow)\w*\b.*\b(?:over time|with time|during the run|towards? the end|"
    r"as it (?:runs|goes)|gradually|mit der zeit|avec le temps|con el tiempo)\b",
    re.IGNORECASE,
)
BY_FORM: tuple[tuple[Callable[[str], object], Intent], ...] = (
    (asks_if_done_again, Intent.REPEATED),
    (_HOT_ON_CPU.search, Intent.TOP),
    (_OF_ALL_THREADS.search, Intent.TOP),
    (CLOCK.search, Intent.RECORDING),
    (_SLOWEST_IMPORT.search, Intent.GROUP),
    (_OVER_TIME.search, Intent.GROWTH),
    (_BY_PROGRAM.search, Intent.PROFILES),
    (counts_all, Intent.HOW_OFTEN),
    (BY_CALLS.search, Intent.HOW_OFTEN),
    (_HOTTEST_LEAF.search, Intent.TOP),
    (_ALL_OF_IT.search, Intent.RECORDING),
    (_HOW_MANY_COLLECTIONS.search, Intent.GARBAGE),
    (_CPU_BUSY.search, Intent.WAITING),
    (_WITHOUT_COLLECTOR.search, Intent.GARBAGE),
    (_WHO_WAITS.search, Intent.PROFILES),
    (_HANGS.search, Intent.WAITING),
    (_WHICH_LOCK.search, Intent.WAITING),
    (_FIRST_TO_DO.search, Intent.FIRST_FIX),
    (asks_for_the_longest_wait, Intent.WAITING),
    (_WHO_WAITS_MOST.search, Intent.PROFILES),
    (_HOTTEST_KERNEL.search, Intent.GROUP),
    (asks_of_jank, Intent.LONG_TASKS),
    (_LEAKS.search, Intent.MEMORY),
    (_LONGEST_TASK.search, Intent.LONG_TASKS),
    (WHO_WORKS.search, Intent.PROFILES),
    (asks_of_own_code, Intent.LIBRARIES),
)
"""Questions that are known by how they are put, the first that fits."""
