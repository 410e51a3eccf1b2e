"""The kinds of question that the analyst answers; `intents.toml` has how people ask each."""

from enum import StrEnum


class Intent(StrEnum):
    """What a prompt asks; `kinds/all_kinds.py` has what answers each."""

    OVERVIEW = "overview"  #: what takes the time, in general
    FIRST_FIX = "first_fix"  #: what to change first
    ANYTHING_WRONG = "anything_wrong"  #: whether something is wrong at all
    TOP = "top"  #: the heaviest functions, in order
    LIBRARIES = "libraries"  #: own code against libraries
    HOT_PATH = "hot_path"  #: the heaviest call path
    RECURSION = "recursion"  #: functions that call themselves
    FUNCTION = "function"  #: one function, by name
    WHY = "why"  #: the cause of what was just said
    CALLERS = "callers"  #: who calls a function
    CALLEES = "callees"  #: what a function calls
    HOW_OFTEN = "how_often"  #: how many calls a function gets
    CALLS_OF = "calls_of"  #: a function's single calls: the slowest, their distribution
    ARGUMENTS = "arguments"  #: with which arguments calls were slow
    TWO_FUNCTIONS = "two_functions"  #: one function against another
    GROUP = "group"  #: all of a file, package, class or phase
    SHOW = "show"  #: to be shown a function in the chart
    DRAW = "draw"  #: a chart of figures
    GARBAGE = "garbage"  #: garbage collection
    WAITING = "waiting"  #: locks, input and output, sleep
    QUERIES = "queries"  #: queries to a database
    REPEATED = "repeated"  #: the same work again and again
    GROWTH = "growth"  #: what gets slower with time or size
    MEMORY = "memory"  #: allocations and what is retained
    EXCEPTIONS = "exceptions"  #: exceptions as a cost
    LOGGING = "logging"  #: writing logs
    SERIALISATION = "serialisation"  #: encoding and decoding data
    REGEX = "regex"  #: regular expressions
    SUSPECT = "suspect"  #: a cause that the person suspects
    PROFILES = "profiles"  #: which threads or profiles there are
    PARALLEL = "parallel"  #: how much runs at the same time
    MAIN_THREAD = "main_thread"  #: the main or UI thread
    THREAD = "thread"  #: one thread, by name
    EVENT_LOOP = "event_loop"  #: what holds an event loop
    SEQUENTIAL = "sequential"  #: waits one after the other that could overlap
    CPU_CACHES = "cpu_caches"  #: misses of the processor's caches and branches
    STARTUP = "startup"  #: the start of the program
    LONG_TASKS = "long_tasks"  #: tasks that block longest
    WINDOW = "window"  #: a range of time
    BUSIEST = "busiest"  #: when the most happens
    TIMELINE = "timeline"  #: what happens before and after what
    PAGE = "page"  #: a web page's loading and its metrics
    REQUESTS = "requests"  #: requests by route or address
    RECORDING = "recording"  #: the recording itself
    COMPARE = "compare"  #: this trace against another
    SQL = "sql"  #: a typed query
    CODE = "code"  #: writing or reading code
    SUMMARISE = "summarise"  #: a summary of the conversation
    CORRECTION = "correction"  #: that the answer before was about something else
    ABILITIES = "abilities"  #: what can be asked
    USAGE = "usage"  #: the person's plan and what is left of it
    SMALLTALK = "smalltalk"  #: nothing about a trace


def intents(names: str) -> frozenset[Intent]:
    """Several, by their names."""
    return frozenset(map(Intent, names.split()))


ABOUT_ONE_FUNCTION = intents("function callers callees how_often calls_of arguments show two_functions")
"""Intents that need a function, named or carried over."""
