"""Two recordings that are not of one program are not compared function by function."""

from pathlib import Path

from tests.traces.insights.recorded import sampled, timeline
from traces.analysis.compare import compare_traces
from traces.model import Trace
from traces.reader import read_trace


def program(*names: str, file: str = "/opt/app/app.js") -> Trace:
    return sampled({f"main@{file};{name}@{file}": 10.0 for name in names})


ONE = tuple(f"one{number}" for number in range(30))
OTHER = tuple(f"other{number}" for number in range(30))


def test_two_programs_have_no_function_to_compare() -> None:
    found = compare_traces(program(*ONE), program(*OTHER))
    assert not found.is_related
    assert found.rows == ()
    assert found.notes == (
        "not of one program: only 1.6% of their functions are in both, so no function can be compared",
    )


def test_a_program_on_another_machine_is_the_same_program() -> None:
    found = compare_traces(program(*ONE), program(*ONE, file="/srv/build/app.js"), limit=99)
    assert found.is_related
    assert found.overlap == 1
    assert {row.status for row in found.rows} == {"same"}


def test_a_file_is_the_same_with_and_without_its_scheme() -> None:
    found = compare_traces(program(*ONE, file="file:///srv/app.js"), program(*ONE, file="/srv/app.js"))
    assert {row.status for row in found.rows} == {"same"}


def test_of_a_handful_of_names_nothing_follows() -> None:
    assert compare_traces(program("a", "b"), program("c", "d")).is_related


def test_few_names_on_one_side_are_too_few() -> None:
    assert compare_traces(program("a", "b"), program(*OTHER)).is_related
    assert compare_traces(program(*ONE[:8]), program(*OTHER)).is_related
    assert not compare_traces(program(*ONE[:9]), program(*OTHER)).is_related


def test_two_tools_recordings_of_one_program_match_its_functions(fixtures: Path) -> None:
    before, after = (
        read_trace((fixtures / file).read_bytes(), name=file)
        for file in ("search-index.cpuprofile.gz", "search-index.node-wall.pb.gz")
    )
    found = compare_traces(before, after, limit=100)
    matched = {row.name for row in found.rows if row.before is not None and row.after is not None}
    assert {"addArticle", "buildIndex", "addTerm", "rank"} <= matched
    once = [row.name for row in found.rows if row.name in ("addArticle", "buildIndex", "addTerm", "rank")]
    assert len(once) == 4


def test_two_unrelated_fixtures_are_not_of_one_program(fixtures: Path) -> None:
    before, after = (
        read_trace((fixtures / file).read_bytes(), name=file)
        for file in ("search-index.cpuprofile.gz", "settlement.go-cpu.pb.gz")
    )
    found = compare_traces(before, after)
    assert not found.is_related
    assert found.notes[0].startswith("not of one program")


def test_samples_against_single_calls_are_compared_with_a_warning() -> None:
    calls = timeline([("main", 0, 10), ("read", 1, 5)], name="thread")
    of_two_kinds = compare_traces(sampled({"main;read": 10.0}), calls).notes
    assert "one is sampled, the other evented: small functions are counted differently" in of_two_kinds
    assert not [note for note in compare_traces(calls, calls).notes if "counted differently" in note]
    assert [note for note in of_two_kinds if note.startswith("the traces are of two formats (example, trace-event)")]


def test_much_longer_recordings_are_compared_by_shares_as_a_note_says() -> None:
    short, long = sampled({"main;read": 10.0}), sampled({"main;read": 1000.0})
    much_more = "one recorded much more than the other"

    def notes(old: Trace, new: Trace, *, normalise: bool) -> list[str]:
        found = compare_traces(old, new, normalise=normalise).notes
        return [note for note in found if note.startswith(much_more)]

    assert len(notes(short, long, normalise=False)) == len(notes(long, short, normalise=False)) == 1
    assert notes(short, long, normalise=True) == notes(short, short, normalise=False) == []
