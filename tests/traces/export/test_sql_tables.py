"""The tables of SQL and their columns, which queries of users name."""

from traces.export.sql_tables import TABLES

COLUMNS = {
    "frames": "frame name file line col category",
    "profiles": "profile name pid tid kind unit start_ms dur_ms busy_ms "
    "waiting_ms idle_ms unknown_ms has_times counted role samples spans nodes",
    "spans": "span profile frame name node parent depth start_ns start_ms dur_ns dur_ms self_ns self_ms"
    " unfinished running_ns running_ms runnable_ns sleeping_ns blocked_ns args",
    "samples": "profile time_ns time_ms node frame name weight weight_ms",
    "nodes": "node profile frame name parent depth count self_value total_value self_ms total_ms outermost",
    "counters": "name profile time_ns time_ms value",
    "instants": "name profile time_ns time_ms",
    "async_spans": "name id profile start_ns start_ms dur_ns dur_ms",
    "flows": "name from_profile from_ns from_ms to_profile to_ns to_ms",
    "edges": "profile caller caller_name callee callee_name calls self_value total_value total_ms",
    "thread_states": "profile start_ns start_ms dur_ns dur_ms state",
    "requests": "url kind priority blocking found_in profile start_ns start_ms dur_ns dur_ms server_ms size_bytes",
}


def test_no_table_and_no_column_goes_or_changes_its_place() -> None:
    assert {name: " ".join(column.name for column in table.columns) for name, table in TABLES.items()} == COLUMNS
