"""Which kind answers which topic."""

from server.analyst.intent import Intent
from server.analyst.kinds import allocations as memory
from server.analyst.kinds import (
    by_query,
    call_counts,
    calls_of,
    collecting,
    database_queries,
    gaps,
    groups,
    knowing,
    measures_of,
    other_values,
    overview,
    rankings,
    savings,
    suspects,
    talk,
    tasks_of_threads,
    threads,
    two_functions,
    waiting,
    who_calls,
)
from server.analyst.kinds import comparisons as comparing
from server.analyst.kinds import moments_and_calls as times
from server.analyst.kinds import one_function as functions
from server.analyst.kinds.kind import BY_SELF, FINDINGS, OWN_CODE, SUMMARY, Call, Kind, always, because
from server.analyst.kinds.recorded_numbers import numbers_asked
from server.analyst.question import Question

OF_MEASURES = Kind(measures_of.calls, measures_of.write)
"""Answers questions of nothing but measures and names, whatever they are near to."""

OF_VALUES = Kind(other_values.calls, other_values.write, other_values.calls)
"""Answers what is asked of another quantity than the first."""
OF_MISSES = because(OF_VALUES, "cache_misses")
"""Answers what is asked of misses that were counted, with what was found of them."""


def kind_of(question: Question) -> Kind:
    """What answers a question whose words were looked up."""
    if question.measured:
        return OF_MEASURES
    if question.value and question.intent is Intent.CPU_CACHES:
        return OF_MISSES
    return OF_VALUES if question.value else KINDS[question.intent]


_TREE: Call = ("get_call_tree", {"max_nodes": 60})
_PICTURE: Call = ("generate_flamegraph_screenshot", {"mode": "left_heavy"})
_THREADS: Call = ("list_profiles", {})
_ALL_THREADS: Call = ("list_profiles", {"limit": threads.ALL_PROFILES})
_RANKED, _WITH_FINDINGS = always(SUMMARY, BY_SELF), always(SUMMARY, BY_SELF, FINDINGS)
_OVERVIEW = Kind(_RANKED, overview.overview, overview.then)
_SUSPECT = Kind(suspects.first, suspects.suspect, suspects.then)
_CALLS = Kind(calls_of.first, calls_of.calls_of, calls_of.then)
_RECORDING = Kind(always(SUMMARY, _THREADS, BY_SELF, FINDINGS), knowing.abilities, numbers_asked)
_MAIN_THREAD = Kind(always(SUMMARY, _ALL_THREADS, BY_SELF), threads.main_thread, threads.then_one)
_PLAIN = {
    Intent.OVERVIEW: _OVERVIEW,
    Intent.FIRST_FIX: Kind(savings.first_to_fix, savings.first_fix, savings.then_to_fix),
    Intent.ANYTHING_WRONG: Kind(_WITH_FINDINGS, knowing.anything_wrong, overview.then),
    Intent.TOP: Kind(rankings.first_top, rankings.top, rankings.then_top),
    Intent.LIBRARIES: Kind(rankings.first_libraries, rankings.libraries),
    Intent.HOT_PATH: Kind(always(SUMMARY, BY_SELF, _TREE, _PICTURE), rankings.hot_path),
    Intent.RECURSION: Kind(rankings.first_recursion, rankings.recursion, rankings.then_recursion),
    Intent.FUNCTION: Kind(functions.first, functions.about, functions.then),
    Intent.CALLERS: Kind(functions.first, who_calls.callers, who_calls.then),
    Intent.CALLEES: Kind(functions.first, functions.callees, functions.then),
    Intent.HOW_OFTEN: Kind(functions.first, call_counts.how_often, call_counts.then),
    Intent.TWO_FUNCTIONS: Kind(functions.first, two_functions.two, two_functions.then_two),
    Intent.SHOW: Kind(functions.first, functions.shown, functions.then),
    Intent.GARBAGE: Kind(collecting.first_garbage, collecting.garbage, collecting.then_garbage),
    Intent.WAITING: Kind(waiting.first_waiting, waiting.waiting, waiting.then_waiting),
    Intent.QUERIES: Kind(database_queries.first_queries, database_queries.queries, database_queries.then_queries),
    Intent.MEMORY: Kind(_WITH_FINDINGS, memory.memory, memory.then),
    Intent.PROFILES: Kind(always(SUMMARY, _THREADS, BY_SELF, FINDINGS), threads.profiles, threads.then_profiles),
    Intent.MAIN_THREAD: _MAIN_THREAD,
    Intent.THREAD: Kind(always(SUMMARY, _ALL_THREADS, BY_SELF), threads.events, threads.then_events),
    Intent.STARTUP: Kind(_WITH_FINDINGS, times.startup, times.then_startup),
    Intent.LONG_TASKS: Kind(
        always(SUMMARY, FINDINGS, BY_SELF), tasks_of_threads.long_tasks, tasks_of_threads.then_long
    ),
    Intent.WINDOW: Kind(always(SUMMARY, FINDINGS), times.there, times.then_there),
    Intent.BUSIEST: Kind(times.first_busiest, times.busiest, gaps.then),
    Intent.SUSPECT: _SUSPECT,
    Intent.PAGE: Kind(knowing.first_page, knowing.page),
    Intent.COMPARE: Kind(comparing.first, comparing.compare, comparing.then),
    Intent.ABILITIES: _RECORDING,
    Intent.USAGE: Kind(always(("get_usage", {})), knowing.usage),
    Intent.WHY: _OVERVIEW,
    Intent.CALLS_OF: _CALLS,
    Intent.ARGUMENTS: _CALLS,
    Intent.GROUP: Kind(groups.first, groups.group, groups.then),
    Intent.DRAW: Kind(by_query.first_draw, by_query.draw, by_query.then_draw),
    Intent.REPEATED: Kind(_WITH_FINDINGS, suspects.repeated),
    Intent.GROWTH: Kind(_WITH_FINDINGS, by_query.growth, by_query.then_growth),
    Intent.EXCEPTIONS: _SUSPECT,
    Intent.LOGGING: _SUSPECT,
    Intent.SERIALISATION: _SUSPECT,
    Intent.REGEX: _SUSPECT,
    Intent.PARALLEL: Kind(always(SUMMARY, _THREADS, BY_SELF, FINDINGS), threads.parallel, threads.then_profiles),
    Intent.EVENT_LOOP: _MAIN_THREAD,
    Intent.SEQUENTIAL: _OVERVIEW,
    Intent.CPU_CACHES: Kind(_RANKED, suspects.caches),
    Intent.TIMELINE: Kind(by_query.first_timeline, by_query.timeline, by_query.then_timeline),
    Intent.REQUESTS: Kind(by_query.first_requests, by_query.requests, by_query.then_requests),
    Intent.RECORDING: _RECORDING,
    Intent.SQL: Kind(by_query.first_sql, by_query.sql),
    Intent.SUMMARISE: Kind(_RANKED, talk.summary),
    Intent.CORRECTION: Kind(_RANKED, talk.correction),
    Intent.SMALLTALK: Kind(_RANKED, talk.smalltalk),
    Intent.CODE: Kind(always(SUMMARY, BY_SELF, OWN_CODE), knowing.language),
}
_CAUSES = {
    Intent.GARBAGE: "gc_pressure",
    Intent.WAITING: "lock_contention serial_waits n_plus_one blocked_event_loop main_thread_io",
    Intent.QUERIES: "n_plus_one serial_waits",
    Intent.MEMORY: "leak gc_pressure",
    Intent.MAIN_THREAD: "blocked_event_loop main_thread_io layout_thrashing",
    Intent.STARTUP: "cold_start",
    Intent.LONG_TASKS: "layout_thrashing blocked_event_loop",
    Intent.CALLS_OF: "outlier_call",
    Intent.REPEATED: "repeated_work n_plus_one",
    Intent.GROWTH: "superlinear_growth leak",
    Intent.EXCEPTIONS: "exceptions_as_control_flow",
    Intent.LOGGING: "logging",
    Intent.SERIALISATION: "serialisation repeated_work",
    Intent.REGEX: "regex_backtracking",
    Intent.PARALLEL: "oversubscription lock_contention",
    Intent.EVENT_LOOP: "blocked_event_loop serial_waits",
    Intent.SEQUENTIAL: "serial_waits n_plus_one",
    Intent.CPU_CACHES: "cache_misses",
    Intent.REQUESTS: "n_plus_one serial_waits",
}
"""The classes of cause that a kind is about, the one that is asked for first."""
_OF_ALL = (Intent.MEMORY, Intent.MAIN_THREAD, Intent.STARTUP, Intent.LONG_TASKS)
"""Kinds that are for what takes long, whatever it is."""
KINDS: dict[Intent, Kind] = _PLAIN | {
    one: because(_PLAIN[one], *causes.split(), of_all=one in _OF_ALL) for one, causes in _CAUSES.items()
}
