"""Causes: each with the fault and without it, as programs have them; whom a finding names, and what it stays silent
about."""

import pytest

from tests.traces.insights.cause_cases import (
    CAUSES,
    awaited,
    compiled,
    lengthening,
    one_long,
    repeated,
    there_and_back,
    waited,
)
from tests.traces.insights.recorded import one_after_another, sampled, share, threads, timeline, values
from traces.insights.insight import State
from traces.insights.registry import insight
from traces.values import Unit


@pytest.mark.parametrize("row", CAUSES, ids=lambda row: row[0])
def test_only_the_trace_that_has_it_names_the_cause(row: tuple) -> None:  # type: ignore[type-arg]
    name, has, nearly, _ = row
    assert insight(has(), name).cause is not None
    assert insight(nearly(), name).cause is None


@pytest.mark.parametrize("through", [(), ("lines_of",), ("receipt_of", "lines_of"), ("a", "b", "c", "lines_of")])
def test_repeated_queries_are_found_through_any_number_of_helpers(through: tuple[str, ...]) -> None:
    found = insight(repeated("SELECT * FROM line WHERE id = 7", through, 40), "repeated-queries")
    assert found.cause == "n_plus_one"
    assert found.evidence[0].name == (through[-1] if through else "main")
    assert "40 calls in 1 run of" in found.detail


def test_queries_that_differ_in_values_only_are_one_and_different_ones_are_not() -> None:
    alike = [(f"SELECT * FROM line WHERE id = {k}", k * 2.0, k * 2.0 + 1) for k in range(20)]
    assert insight(timeline([("page", 0, 50), *alike]), "repeated-queries").cause == "n_plus_one"
    others = [(f"SELECT * FROM {'abcdefghijklmnopqrst'[k]}", k * 2.0, k * 2.0 + 1) for k in range(20)]
    assert insight(timeline([("page", 0, 50), *others]), "repeated-queries").state is State.PASS


def test_repeated_queries_are_found_through_recursion() -> None:
    depth = 30
    calls = [("show", 0.0, 100.0)]
    calls += [("walk", k * 1.0, 100.0 - k) for k in range(depth)]
    calls += [("execute", k + 0.1, k + 0.9) for k in range(depth)]
    found = insight(timeline(calls), "repeated-queries")
    assert (found.cause, found.evidence[0].name) == ("n_plus_one", "walk")
    assert "30 calls in 1 run of" in found.detail


def test_a_helper_that_only_asks_is_not_who_to_blame() -> None:
    found = insight(repeated("execute", ("children_of", "run_query"), 40), "repeated-queries")
    assert found.evidence[0].name == "children_of"


def test_one_query_in_each_of_many_runs_is_no_query_per_row() -> None:
    calls = [(name, k * 3.0, k * 3.0 + 2) for k in range(40) for name in ("handle", "execute")]
    assert insight(timeline(calls), "repeated-queries").state is State.PASS


def test_samples_do_not_know_how_often_a_query_ran() -> None:
    assert insight(share("execute", 90), "repeated-queries").state is State.NOT_APPLICABLE
    assert insight(share("load_rates", 90), "repeated-work").state is State.NOT_APPLICABLE


def test_parsing_each_line_once_is_no_repeated_work() -> None:
    assert insight(repeated("parse_line", ("invoice",), 40), "repeated-work").state is State.PASS


def test_an_outlier_names_what_differs_and_a_pause_is_none() -> None:
    found = insight(one_long(12, inside=9), "outlier-call")
    assert found.cause == "outlier_call"
    assert [one.name for one in found.evidence] == ["send", "send", "line"]
    assert insight(one_long(12), "outlier-call").state is State.PASS


def test_growth_is_steady_and_one_long_call_is_none() -> None:
    assert insight(lengthening(0.2), "growing-calls").evidence[0].name == "add"
    assert insight(one_long(30), "growing-calls").state is State.PASS


def test_a_set_or_a_map_is_no_list() -> None:
    assert insight(share("already_seen;runtime.mapaccess1", 60), "list-search").state is State.PASS
    assert insight(share("main.alreadySeen;memeqbody", 60), "list-search").evidence[0].name == "main.alreadySeen"


@pytest.mark.parametrize(
    ("name", "state"),
    [
        (r"RegExp: ^(?:\w+[ ,]?)+$", State.FAIL),
        (r"RegExp: ^(a|aa)+$", State.FAIL),
        (r"RegExp: ^[a-z]+\d$", State.PASS),
        ("java.util.regex.Pattern$Loop.match", State.FAIL),
        ("regexp.(*Regexp).doExecute", State.PASS),
    ],
)
def test_a_regular_expression_that_can_go_back_dominates(name: str, state: State) -> None:
    found = insight(share(f"isNewsletter;{name}", 50), "regex-backtracking")
    assert found.state is state
    assert state is State.PASS or found.evidence[0].name == "isNewsletter"
    assert insight(share(f"isNewsletter;{name}", 29), "regex-backtracking").cause is None


def test_many_short_matches_are_no_backtracking() -> None:
    match = "<method 'match' of 're.Pattern' objects>"
    short = timeline([("scan", 0, 100), *one_after_another(match, 1600, 0.05, gap=0.001)])
    long = timeline([("scan", 0, 100), *one_after_another(match, 160, 0.5, gap=0.01)])
    assert insight(short, "regex-backtracking").state is State.PASS
    assert insight(long, "regex-backtracking").cause == "regex_backtracking"


def test_exceptions_that_weigh_name_the_function_they_come_from() -> None:
    stack = "readCell;java.lang.Long:parseLong;java.lang.NumberFormatException:forInputString"
    assert insight(share(stack, 11), "thrown-exceptions").evidence[0].name == "readCell"
    assert insight(share(stack, 9), "thrown-exceptions").state is State.PASS


def test_a_native_function_of_ruby_that_makes_exceptions_is_raising_unless_it_does_other_work() -> None:
    converts = "main@a.rb;read@a.rb;Kernel#Integer@<cfunc>"
    raising = {converts: 30, f"{converts};String#inspect@<cfunc>": 3, f"{converts};Exception#initialize@<cfunc>": 2}
    found = insight(sampled(raising | {"main@a.rb": 65}), "thrown-exceptions")
    assert (found.cause, [one.name for one in found.evidence]) == (
        "exceptions_as_control_flow",
        ["read", "Kernel#Integer"],
    )
    other = raising | {f"{converts};String#split@<cfunc>": 1}
    assert insight(sampled(other | {"main@a.rb": 64}), "thrown-exceptions").state is State.PASS


def test_two_ways_of_a_format_are_a_round_trip_below_one_function_only() -> None:
    found = insight(there_and_back(40), "round-trip")
    assert (found.cause, [one.name for one in found.evidence]) == ("serialisation", ["keep", "freezeNote", "thawNote"])
    apart = sampled({"main;save;freezeNote": 20, "main;open;thawNote": 20, "main;other": 60})
    others = sampled({"main;keep;freezeNote": 20, "main;keep;thawBoard": 20, "main;other": 60})
    walked = sampled({"main;keep;walkToEnd": 20, "main;keep;walkFromEnd": 20, "main;other": 60})
    assert [insight(one, "round-trip").state for one in (apart, others, walked)] == [State.PASS] * 3


def test_awaits_of_tasks_of_their_own_are_no_serial_waits() -> None:
    found = insight(awaited(60), "awaits-in-turn")
    assert (found.cause, [one.name for one in found.evidence]) == ("serial_waits", ["refresh", "read_one"])
    assert insight(awaited(60, "read_one@app.py"), "awaits-in-turn").state is State.PASS
    created = awaited(60, "<listcomp>@app.py")
    assert insight(created, "awaits-in-turn").state is State.PASS


def test_imports_are_a_cold_start_from_a_quarter_of_the_run_on() -> None:
    stack = "load_plugins@app.py;_find_and_load@<frozen importlib._bootstrap>"
    assert insight(share(stack, 26), "cold-start").evidence[0].name == "load_plugins"
    assert insight(share(stack, 24), "cold-start").state is State.PASS


def test_a_program_that_node_loads_is_no_cold_start() -> None:
    assert (
        insight(share("Module._load@node:internal;Module._compile@node:internal;work@a.js", 90), "cold-start").cause
        is None
    )


def test_node_blocks_its_loop_by_a_synchronous_call_after_the_start_only() -> None:
    stack = "serve@node:http;onRequest@app.js;readFileSync@node:fs"
    assert insight(share(stack, 30), "blocked-event-loop").evidence[0].name == "onRequest"
    start = "Module._compile@node:internal;onRequest@app.js;readFileSync@node:fs"
    assert insight(share(start, 30), "blocked-event-loop").state is State.PASS


def test_waiting_for_what_others_hand_over_is_no_contention() -> None:
    rows = {"main;take;runtime.chanrecv1": [3.0, 5e9], "main;post;sync.(*Mutex).Lock": [3.0, 1e7]}
    channel = values(rows, [("contentions", Unit.COUNT), ("delay", Unit.NANOSECONDS)])
    assert insight(channel, "lock-contention").state is not State.FAIL
    assert insight(waited(500), "lock-contention").evidence[0].name == "post"


def test_a_scripts_main_thread_has_no_long_tasks_and_a_worker_blocks_no_input() -> None:
    tasks = [("RunTask", 0, 300), ("RunTask", 400, 420), ("EventDispatch", 500, 501)]
    assert insight(timeline(tasks), "long-tasks").cause == "long_task"
    assert insight(timeline(tasks, name="DedicatedWorker thread"), "long-tasks").state is State.NOT_APPLICABLE
    script = [("work", 0, 300), ("work", 400, 420)]
    assert insight(timeline(script, name="MainThread (tid 7)"), "long-tasks").state is State.NOT_APPLICABLE


def test_memory_by_a_function_that_does_not_keep_it_is_no_leak() -> None:
    big = values({"serve;parse": [9e6]}, [("Memory", Unit.BYTES)])
    assert insight(big, "kept-memory").state is State.PASS


def test_a_name_behind_which_little_is_spent_claims_nothing() -> None:
    assert insight(sampled({"main;Logger.info": 10, "main;work": 90}), "logging").cause is None
    assert insight(sampled({"main;Logger.info": 20, "main;work": 80}), "logging").cause == "logging"


def test_samples_show_what_is_compiled_among_other_work_and_not_what_is_compiled_at_the_start() -> None:
    found = insight(compiled(26), "repeated-work")
    assert (found.cause, [one.name for one in found.evidence]) == ("repeated_work", ["compile_rule", "check"])
    assert insight(compiled(24), "repeated-work").cause is None
    once = sampled({"main;compile_rule": 60, "main;check;match": 40})
    assert insight(once, "repeated-work").state is State.PASS


def test_who_waits_for_a_lock_is_named_with_what_runs_inside_and_work_of_many_is_none() -> None:
    inside, stands = "run@a.py;add@a.py;fetch@a.py", "run@a.py;add@a.py"
    taken = threads(*[[inside if k % 4 == one else stands for k in range(40)] for one in range(4)])
    found = insight(taken, "one-at-a-time")
    assert (found.cause, [one.name for one in found.evidence]) == ("lock_contention", ["add", "fetch"])
    both = threads(*[[inside if k % 2 == one % 2 else stands for k in range(40)] for one in range(4)])
    assert insight(both, "one-at-a-time").state is State.PASS


def test_threads_that_wait_or_run_no_python_are_not_too_many() -> None:
    waiting = threads(*[["run@app.py;wait@app.py"] * 10] * 20)
    assert insight(waiting, "thread-turns").state is State.PASS
    native = threads(*[["run@app.go;work@app.go"] * 10] * 20)
    assert insight(native, "thread-turns").state is State.NOT_APPLICABLE


def test_a_list_that_a_library_walks_names_its_caller() -> None:
    found = insight(share("collect;java.util.ArrayList:contains;java.lang.String:equals", 50), "list-search")
    assert (found.cause, found.evidence[0].name) == ("superlinear_growth", "collect")


def test_a_collection_that_the_program_asks_for_names_who_asks() -> None:
    found = insight(sampled({"main;tidy;sweep_up;collect@<built-in>": 60, "main;work": 40}), "collection-pressure")
    assert (found.cause, found.evidence[0].name) == ("gc_pressure", "sweep_up")
    assert insight(share("tidy;collect", 60), "collection-pressure").state is State.PASS


def test_one_that_loads_a_row_by_a_query_asks_for_rows_and_one_that_loads_settings_repeats_itself() -> None:
    row = repeated("execute", ("load_customer",), 40)
    assert (insight(row, "repeated-queries").cause, insight(row, "repeated-work").cause) == ("n_plus_one", None)
    settings = repeated("execute", ("load_rates",), 40)
    assert insight(settings, "repeated-work").cause == "repeated_work"
    assert insight(settings, "repeated-queries").cause is None


def test_very_many_objects_from_one_function_are_a_pile_and_one_large_text_is_not() -> None:
    columns = [("inuse_space", Unit.BYTES), ("inuse_objects", Unit.COUNT)]
    assert insight(values({"main;make": [9e6, 6000]}, columns), "kept-memory").cause == "leak"
    assert insight(values({"main;make": [9e6, 4000]}, columns), "kept-memory").cause is None
