"""Which kind answers which topic."""

from server.analyst.intent import Intent
from server.analyst.kinds import allocations as memory
from server.analyst.kinds import (
    by_query,
    call_counts,
    calls_of,
    collecting,
    database_queries,
    events_of_threads,
    groups,
    in_windows,
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
from server.analyst.kinds.kind import Kind, because
from server.analyst.question import Question

OF_MEASURES = Kind(measures_of.calls, measures_of.write)
"""Answers questions of nothing but measures and names, whatever they are near to."""

OF_VALUES = Kind(other_values.calls, other_values.write, other_values.calls)
"""Answers what is asked of another quantity than the first."""


def kind_of(question: Question) -> Kind:
    """What answers a question whose words were looked up."""
    if question.measured:
        return OF_MEASURES
    return OF_VALUES if question.value else KINDS[question.intent]


KINDS: dict[Intent, Kind] = {
    Intent.OVERVIEW: Kind(overview.first, overview.overview, overview.then),
    Intent.FIRST_FIX: Kind(savings.first_to_fix, savings.first_fix, savings.then_to_fix),
    Intent.ANYTHING_WRONG: Kind(knowing.first_wrong, knowing.anything_wrong, knowing.then_wrong),
    Intent.TOP: Kind(rankings.first_top, rankings.top, rankings.then_top),
    Intent.LIBRARIES: Kind(rankings.first_libraries, rankings.libraries),
    Intent.HOT_PATH: Kind(rankings.first_path, rankings.hot_path),
    Intent.RECURSION: Kind(rankings.first_recursion, rankings.recursion, rankings.then_recursion),
    Intent.FUNCTION: Kind(functions.first, functions.about, functions.then),
    Intent.CALLERS: Kind(functions.first, who_calls.callers, who_calls.then),
    Intent.CALLEES: Kind(functions.first, functions.callees, functions.then),
    Intent.HOW_OFTEN: Kind(functions.first, call_counts.how_often, call_counts.then),
    Intent.TWO_FUNCTIONS: Kind(functions.first, two_functions.two, two_functions.then_two),
    Intent.SHOW: Kind(functions.first, functions.shown, functions.then),
    Intent.GARBAGE: because(Kind(collecting.first_garbage, collecting.garbage, collecting.then_garbage), "gc_pressure"),
    Intent.WAITING: because(
        Kind(waiting.first_waiting, waiting.waiting, waiting.then_waiting),
        "lock_contention",
        "serial_waits",
        "n_plus_one",
        "blocked_event_loop",
        "main_thread_io",
    ),
    Intent.QUERIES: because(
        Kind(database_queries.first_queries, database_queries.queries, database_queries.then_queries),
        "n_plus_one",
        "serial_waits",
    ),
    Intent.MEMORY: because(Kind(memory.first, memory.memory, memory.then), "leak", "gc_pressure", of_all=True),
    Intent.PROFILES: Kind(threads.first_profiles, threads.profiles, threads.then_profiles),
    Intent.MAIN_THREAD: because(
        Kind(threads.first_one, threads.main_thread, threads.then_one),
        "blocked_event_loop",
        "main_thread_io",
        "layout_thrashing",
        of_all=True,
    ),
    Intent.THREAD: Kind(threads.first_one, events_of_threads.one, events_of_threads.then_one),
    Intent.STARTUP: because(Kind(times.first_startup, times.startup, times.then_startup), "cold_start", of_all=True),
    Intent.LONG_TASKS: because(
        Kind(tasks_of_threads.first_long, tasks_of_threads.long_tasks, tasks_of_threads.then_long),
        "layout_thrashing",
        "blocked_event_loop",
        of_all=True,
    ),
    Intent.WINDOW: Kind(times.first_window, in_windows.window, in_windows.then),
    Intent.BUSIEST: Kind(times.first_busiest, times.busiest),
    Intent.SUSPECT: Kind(suspects.first, suspects.suspect, suspects.then),
    Intent.PAGE: Kind(knowing.first_page, knowing.page),
    Intent.COMPARE: Kind(comparing.first, comparing.compare, comparing.then),
    Intent.ABILITIES: Kind(knowing.first_abilities, knowing.abilities),
    Intent.USAGE: Kind(knowing.first_usage, knowing.usage),
    Intent.WHY: Kind(overview.first, overview.overview, overview.then),
    Intent.CALLS_OF: because(Kind(calls_of.first, calls_of.calls_of, calls_of.then), "outlier_call"),
    Intent.ARGUMENTS: Kind(calls_of.first, calls_of.calls_of, calls_of.then),
    Intent.GROUP: Kind(groups.first, groups.group, groups.then),
    Intent.DRAW: Kind(by_query.first_draw, by_query.draw, by_query.then_draw),
    Intent.REPEATED: because(Kind(suspects.first_repeated, suspects.repeated), "repeated_work", "n_plus_one"),
    Intent.GROWTH: because(
        Kind(by_query.first_growth, by_query.growth, by_query.then_growth), "superlinear_growth", "leak"
    ),
    Intent.EXCEPTIONS: because(Kind(suspects.first, suspects.suspect, suspects.then), "exceptions_as_control_flow"),
    Intent.LOGGING: because(Kind(suspects.first, suspects.suspect, suspects.then), "logging"),
    Intent.SERIALISATION: because(
        Kind(suspects.first, suspects.suspect, suspects.then), "serialisation", "repeated_work"
    ),
    Intent.REGEX: because(Kind(suspects.first, suspects.suspect, suspects.then), "regex_backtracking"),
    Intent.PARALLEL: because(
        Kind(threads.first_profiles, threads.parallel, threads.then_profiles), "oversubscription", "lock_contention"
    ),
    Intent.EVENT_LOOP: because(
        Kind(threads.first_one, threads.main_thread, threads.then_one), "blocked_event_loop", "serial_waits"
    ),
    Intent.SEQUENTIAL: because(Kind(overview.first, overview.overview, overview.then), "serial_waits", "n_plus_one"),
    Intent.CPU_CACHES: because(Kind(suspects.first_caches, suspects.caches), "cache_misses"),
    Intent.TIMELINE: Kind(by_query.first_timeline, by_query.timeline, by_query.then_timeline),
    Intent.REQUESTS: because(
        Kind(by_query.first_requests, by_query.requests, by_query.then_requests), "n_plus_one", "serial_waits"
    ),
    Intent.RECORDING: Kind(knowing.first_abilities, knowing.abilities),
    Intent.SQL: Kind(by_query.first_sql, by_query.sql),
    Intent.SUMMARISE: Kind(talk.first_summary, talk.summary),
    Intent.CORRECTION: Kind(talk.first_correction, talk.correction),
    Intent.SMALLTALK: Kind(talk.first_smalltalk, talk.smalltalk),
    Intent.CODE: Kind(knowing.first_language, knowing.language),
}
