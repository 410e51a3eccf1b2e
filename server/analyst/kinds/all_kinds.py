"""Which kind answers which topic."""

from server.analyst.kinds import allocations as memory
from server.analyst.kinds import comparisons as comparing
from server.analyst.kinds import knowing, overview, rankings, suspects, threads, waiting
from server.analyst.kinds import moments_and_calls as times
from server.analyst.kinds import one_function as functions
from server.analyst.kinds.kind import Kind
from server.analyst.question import Topic

KINDS: dict[Topic, Kind] = {
    Topic.OVERVIEW: Kind(overview.first, overview.overview, overview.then),
    Topic.FIRST_FIX: Kind(overview.first, knowing.first_fix, overview.then),
    Topic.ANYTHING_WRONG: Kind(knowing.first_wrong, knowing.anything_wrong, knowing.then_wrong),
    Topic.TOP: Kind(rankings.first_top, rankings.top),
    Topic.LIBRARIES: Kind(rankings.first_libraries, rankings.libraries),
    Topic.HOT_PATH: Kind(rankings.first_path, rankings.hot_path),
    Topic.RECURSION: Kind(rankings.first_recursion, rankings.recursion),
    Topic.FUNCTION: Kind(functions.first, functions.about, functions.then),
    Topic.CALLERS: Kind(functions.first, functions.callers, functions.then),
    Topic.CALLEES: Kind(functions.first, functions.callees, functions.then),
    Topic.HOW_OFTEN: Kind(functions.first, functions.how_often, functions.then),
    Topic.TWO_FUNCTIONS: Kind(functions.first, functions.two, functions.then),
    Topic.SHOW: Kind(functions.first, functions.shown, functions.then),
    Topic.GARBAGE: Kind(waiting.first_garbage, waiting.garbage, waiting.then_garbage),
    Topic.WAITING: Kind(waiting.first_waiting, waiting.waiting, waiting.then_waiting),
    Topic.QUERIES: Kind(waiting.first_queries, waiting.queries, waiting.then_queries),
    Topic.MEMORY: Kind(memory.first, memory.memory, memory.then),
    Topic.PROFILES: Kind(threads.first_profiles, threads.profiles),
    Topic.MAIN_THREAD: Kind(threads.first_one, threads.main_thread, threads.then_one),
    Topic.THREAD: Kind(threads.first_one, threads.one, threads.then_one),
    Topic.STARTUP: Kind(times.first_startup, times.startup, times.then_startup),
    Topic.LONG_TASKS: Kind(times.first_long, times.long_tasks, times.then_long),
    Topic.WINDOW: Kind(times.first_window, times.window, times.then_window),
    Topic.BUSIEST: Kind(times.first_busiest, times.busiest),
    Topic.SUSPECT: Kind(suspects.first, suspects.suspect),
    Topic.PAGE: Kind(knowing.first_page, knowing.page),
    Topic.COMPARE: Kind(comparing.first, comparing.compare, comparing.then),
    Topic.ABILITIES: Kind(knowing.first_abilities, knowing.abilities),
    Topic.USAGE: Kind(knowing.first_usage, knowing.usage),
    Topic.LANGUAGE: Kind(knowing.first_language, knowing.language),
}
