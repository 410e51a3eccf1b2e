"""What a run leaves behind for questions over many."""

import json

import pytest

from tests.conftest import FIXTURES
from traces.analysis.functions import top_functions
from traces.gate.run_history import KEPT_FUNCTIONS, run_history
from traces.insights.registry import insights, ranked
from traces.reader import read_trace


@pytest.mark.parametrize(
    "name", ["search-index.cpuprofile.gz", "redact-documents.cprofile.prof", "session-cache.heapprofile.gz"]
)
def test_the_figures_are_those_of_the_table_of_functions(name: str) -> None:
    trace = read_trace((FIXTURES / name).read_bytes(), name=name)
    kept = run_history(trace)
    table = top_functions(trace, limit=1)
    heaviest = max(kept.functions, key=lambda one: one.self_value)
    row = table.rows[0]
    assert (heaviest.name, heaviest.self_value) == (row.name, row.self_value)
    assert heaviest.self_share == pytest.approx(row.self_share)
    assert heaviest.file is None or "/" not in heaviest.file
    figures = {one.measure: (one.value, one.unit) for one in kept.figures}
    value, unit = figures["total"]
    assert (value, unit) == (float(table.scope_total), str(table.unit))
    assert len({(one.name, one.file) for one in kept.functions}) == len(kept.functions) <= KEPT_FUNCTIONS
    assert [one.finding for one in kept.findings] == [one.id for one in ranked(insights(trace))]


def test_of_many_functions_the_heaviest_of_both_orders_are_kept_and_ones_own_first() -> None:
    frames = [{"name": f"outer{one}", "file": "src/app.py"} for one in range(700)]
    frames += [{"name": f"inner{one}", "file": "/usr/lib/python3/site-packages/lib.py"} for one in range(700)]
    profile = {
        "type": "sampled",
        "name": "main",
        "unit": "milliseconds",
        "startValue": 0,
        "endValue": 1_000_000,
        "samples": [[one, 700 + one] for one in range(700)],
        "weights": [1_000 - one for one in range(700)],
    }
    schema = "https://www.speedscope.app/file-format-schema.json"
    content = json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [profile]})
    kept = run_history(read_trace(content.encode(), name="many.speedscope.json"))
    assert len(kept.functions) == KEPT_FUNCTIONS
    expected = {f"{which}{one}" for which in ("outer", "inner") for one in range(250)}
    assert {one.name for one in kept.functions} == expected
