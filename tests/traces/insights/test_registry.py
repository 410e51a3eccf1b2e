"""The registry as a whole: its order, its documents, what opens a conversation, and traces that hold nothing."""

import tomllib
from pathlib import Path

import pytest

from tests.traces.insights.recorded import sampled, share, timeline, values
from traces.errors import InvalidQuestion, UnknownHandle
from traces.handles import resolve
from traces.insights.catalogue import MEASURED, catalogue
from traces.insights.insight import CAUSES, Severity, State
from traces.insights.patterns import PATTERNS
from traces.insights.registry import DETECTORS, distinct, first_findings, insight, insights, ranked
from traces.insights.thresholds import THRESHOLDS
from traces.reader import read_trace
from traces.values import Unit

ROOT = Path(__file__).parents[3]
TRACES = [
    "board.chrome-object.json.gz",
    "redact-documents.viztracer.json.gz",
    "search-index.cpuprofile.gz",
    "settlement.go-cpu.pb.gz",
    "settlement.go-heap.pb.gz",
    "thumbnails.linux-perf.txt.gz",
    "error-groups.pyspy.collapsed.txt",
]


def test_there_are_at_least_forty_detectors_and_no_two_share_an_id() -> None:
    assert len({one.id for one in DETECTORS}) == len(DETECTORS) >= 40


def test_the_document_is_what_the_registry_says() -> None:
    written, _, _ = (ROOT / "docs" / "insights.md").read_text(encoding="utf-8").partition(MEASURED)
    assert written == catalogue(), "docs/insights.md says how it is written"


def test_every_threshold_is_used_and_has_a_source() -> None:
    assert {key for one in DETECTORS for key in one.thresholds} == set(THRESHOLDS)
    assert all(limit.source and limit.meaning for limit in THRESHOLDS.values())


def test_the_classes_of_cause_are_those_that_answers_are_graded_by() -> None:
    assert set(tomllib.loads((ROOT / "evals" / "cause_classes.toml").read_text())) == CAUSES


def test_a_finding_that_weighs_names_its_cause_and_one_that_only_informs_does_not() -> None:
    assert insight(share("json.loads", 60), "serialisation").cause == "serialisation"
    passes_on = share("json.loads;work", 60)
    assert insight(passes_on, "serialisation").severity is Severity.INFO
    assert insight(passes_on, "serialisation").cause is None
    assert insight(share("work", 60), "serialisation").cause is None
    assert insight(share("json.loads", 60), "hot-function").cause is None


def test_the_patterns_fit_into_the_bits_of_a_column() -> None:
    assert len(PATTERNS) <= 63


@pytest.mark.parametrize("name", TRACES)
def test_recorded_traces_get_findings_whose_handles_exist(name: str, fixtures: Path) -> None:
    trace = read_trace((fixtures / name).read_bytes(), name=name)
    found = insights(trace)
    assert [one.id for one in found] == [one.id for one in DETECTORS]
    for one in found:
        assert one.detail
        assert one.said(lambda evidence: evidence.handle)
        assert one.share is None or 0 <= one.share <= 1 + 1e-9
        for evidence in one.evidence:
            if evidence.handle or evidence is one.evidence[0]:
                resolve(trace, evidence.handle)
        if one.window is not None:
            assert any(p.axis_start <= one.window.start <= p.axis_end for p in trace.profiles)
    assert any(one.state is State.FAIL for one in found)


def test_the_worst_come_first() -> None:
    order = [one.severity for one in ranked(insights(share("json.loads", 60)))]
    assert order == sorted(order, key=list(Severity).index)
    assert order[0] is Severity.HIGH


def test_the_opening_always_names_the_hottest_function() -> None:
    tasks = [("RunTask", 0, 900), ("EventDispatch", 1, 890), ("Layout", 300, 400), ("ParseHTML", 410, 500)]
    page = timeline([*tasks, ("RunTask", 1000, 1100), ("RunTask", 1200, 2000)])
    assert "hot-function" in [one.id for one in first_findings(page, limit=3)]
    assert len(first_findings(page, limit=3)) == 3


def test_of_one_story_the_finding_nearest_to_the_cause_is_reported() -> None:
    ids = ["blocking-time", "hot-function", "rendering", "long-tasks", "forced-reflow"]
    assert distinct(ids) == ["long-tasks", "hot-function", "forced-reflow"]


@pytest.mark.parametrize("weight", [0, 1])
def test_a_trace_without_weight_breaks_no_detector(weight: int) -> None:
    assert len(insights(sampled([("", weight), ("main", 0)]))) == len(DETECTORS)


def test_a_span_without_length_breaks_no_detector() -> None:
    assert len(insights(timeline([("RunTask", 0, 0), ("Layout", 0, 0), ("SELECT 1", 0, 0)]))) == len(DETECTORS)


def test_names_that_look_like_places_in_a_sentence_stay_names() -> None:
    found = insight(share("{0}{1}{9} %s", 60), "hot-function")
    assert found.said(lambda evidence: f"<{evidence.name}>").startswith("<{0}{1}{9} %s> itself accounts for")


def test_work_below_a_collectors_name_is_collection_whoever_does_it() -> None:
    found = insight(share("(garbage collection);(marking)", 12), "garbage-collection")
    assert found.severity is Severity.MEDIUM
    assert found.share == pytest.approx(0.12)


def test_allocations_are_not_counted_as_samples_and_samples_are_where_the_file_counts_them() -> None:
    heap = values({"main": [5.0]}, [("allocated", Unit.BYTES)])
    assert insight(heap, "few-samples").state is State.NOT_APPLICABLE
    columns = [("cpu", Unit.NANOSECONDS), ("samples", Unit.COUNT)]
    assert insight(values({"main": [5e9, 500]}, columns), "few-samples").state is State.PASS
    assert insight(values({"main": [5e9, 50]}, columns), "few-samples").state is State.FAIL


def test_a_program_installed_as_a_package_is_not_blamed_for_having_no_code_of_its_own() -> None:
    package = "/x/site-packages/tool.py"
    trace = sampled({"main@app.py": 0.5, f"main@app.py;run@{package}": 99.5})
    assert insight(trace, "own-code").state is State.NOT_APPLICABLE


def test_an_unknown_finding_or_profile_is_refused() -> None:
    with pytest.raises(InvalidQuestion, match="few-samples"):
        insight(share("a", 5), "nothing")
    with pytest.raises(UnknownHandle):
        insights(share("a", 5), profile=3)


def test_without_an_earlier_trace_nothing_is_compared() -> None:
    assert insight(share("a", 5), "regressions").state is State.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("before", "after", "name", "state"),
    [
        (10, 12.5, "regressions", State.FAIL),
        (10, 10.5, "regressions", State.PASS),
        (40, 40, "unlike-recordings", State.PASS),
    ],
)
def test_a_later_trace_is_compared_with_an_earlier_one(before: float, after: float, name: str, state: State) -> None:
    found = insight(share("work", after), name, before=share("work", before))
    assert found.state is state


def test_a_function_that_was_not_there_is_new_from_a_share_on() -> None:
    assert insight(share("cache", 6), "new-functions", before=share("work", 6)).evidence[0].name == "cache"
    assert insight(share("cache", 4), "new-functions", before=share("work", 4)).state is State.PASS


def test_recordings_of_different_length_are_distinguished() -> None:
    long, short = sampled({"main": 160}), sampled({"main": 100})
    assert insight(long, "unlike-recordings", before=short).state is State.FAIL
    assert insight(sampled({"main": 5}), "unlike-recordings", before=timeline([("main", 0, 6)])).state is State.PASS
