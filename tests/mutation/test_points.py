"""The mutations: one small step each, in code that still compiles, and tests found by a module's path."""

from pathlib import Path

import pytest

from tests.mutation.__main__ import drawn
from tests.mutation.points import points_of
from tests.mutation.selection import Selection

HERE = Path("a.py")


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("x = a < b", {"x = (a <= b)"}),
        ("x = a + b", {"x = (a - b)"}),
        ("x = 'a' + b", set()),
        ("x = a and b", {"x = (a or b)"}),
        ("x = min(a, b)", {"x = (max(a, b))"}),
        ("x = 3", {"x = (3 + 1)"}),
        ("x = True", {"x = False"}),
        ("x = 'text'", set()),
        ("x: Literal[3] = y", set()),
        ("@dataclass(frozen=True)\nclass A: ...", set()),
        ("a.b = c", {"pass"}),
        ("call()", {"pass"}),
        ("x = [a, b]", {"x = ([a])", "x = ([b])"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if (not (a))]"}),
        ("x = not a", {"x = (a)"}),
        ("def f():\n    return a", {"def f():\n    return None"}),
        ("if a: b()", {"if (not (a)): b()", "if a: pass"}),
    ],
)
def test_a_mutation_is_one_small_step(source: str, mutants: set[str]) -> None:
    assert {point.applied(source.encode()).decode() for point in points_of(HERE, source.encode())} == mutants


def test_a_mutation_after_letters_of_several_bytes_is_at_its_place() -> None:
    source = "x = 'é'\ny = 'ü', a < b"
    (point,) = points_of(HERE, source.encode())
    assert point.applied(source.encode()).decode() == "x = 'é'\ny = 'ü', (a <= b)"
    assert point.line == 2


def test_a_draw_keeps_its_points_when_other_lines_come_and_go() -> None:
    source = "".join(f"x{number} = a < {number}\n" for number in range(60))
    longer = f"import b\nif b: c()\n{source}z = b\n"
    before, after = (drawn(points_of(HERE, text.encode()), 1, 20) for text in (source, longer))
    changes = {(point.code, point.kind, point.new) for point in before}
    assert len(changes) == 20
    assert len(changes - {(point.code, point.kind, point.new) for point in after}) <= 2, (
        "two lines more, two that leave"
    )
    assert changes != {(point.code, point.kind, point.new) for point in drawn(points_of(HERE, source.encode()), 2, 20)}


@pytest.mark.long
def test_every_mutation_of_the_product_compiles() -> None:
    selection = Selection(Path(__file__).parents[2])
    for path in list(selection.modules.values())[::20]:
        source = (Path(__file__).parents[2] / path).read_bytes()
        for point in points_of(path, source):
            compile(point.applied(source), str(path), "exec")


def test_a_modules_own_tests_are_those_of_its_path_and_those_that_import_it_elsewhere_are_not(tmp_path: Path) -> None:
    for path, text in {
        "traces/analysis/functions.py": "",
        "tests/traces/analysis/test_functions.py": "",
        "tests/traces/analysis/test_functions_merged.py": "",
        "tests/traces/analysis/test_window.py": "",
        "tests/rendering/test_rows.py": "from traces.analysis import functions",
        "tests/e2e/test_page.py": "import traces.analysis.functions",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    selection, module = Selection(tmp_path), Path("traces/analysis/functions.py")
    assert [path.name for path in selection.own(module)] == ["test_functions.py", "test_functions_merged.py"]
    assert [path.name for path in selection.importing(module)] == ["test_rows.py"]


def test_a_module_without_a_test_of_its_name_has_all_of_the_nearest_mirror(tmp_path: Path) -> None:
    paths = [f"tests/traces/analysis/test_{letter}.py" for letter in "abcdefghij"]
    for path in (*paths, "traces/analysis/window.py", "traces/analysis/inner/part.py", "tests/traces/test_model.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    selection = Selection(tmp_path)
    for module in ("traces/analysis/window.py", "traces/analysis/inner/part.py"):
        assert sorted(map(str, selection.own(Path(module)))) == paths


def test_an_adapter_without_a_mirror_has_the_tests_apart_with_the_name_of_its_folder(tmp_path: Path) -> None:
    for path in (
        "server/adapters/fleet/sources.py",
        "tests/cloud/test_fleet.py",
        "tests/cloud/test_fleet_queries.py",
        "tests/cloud/test_storage.py",
        "tests/server/adapters/test_places.py",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    own = Selection(tmp_path).own(Path("server/adapters/fleet/sources.py"))
    assert sorted(test.name for test in own) == ["test_fleet.py", "test_fleet_queries.py"]


def test_the_contract_of_a_port_is_the_own_test_of_each_adapter_and_twin_and_of_nothing_else(tmp_path: Path) -> None:
    for path in (
        "server/adapters/postgres/notes.py",
        "server/testing/notes.py",
        "server/turns/notes.py",
        "tests/contracts/test_notes_contract.py",
        "tests/contracts/test_plans_contract.py",
        "tests/server/adapters/postgres/test_notes_in_crowds.py",
        "server/adapters/telemetry/spans.py",
        "tests/cloud/test_spans.py",
        "tests/cloud/test_cloud_spans.py",
        "server/adapters/web/pages.py",
        "tests/server/adapters/web/test_pages.py",
        "tests/web/test_pages.py",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    by_path = Selection(tmp_path).by_path
    assert [test.name for test in by_path(Path("server/adapters/postgres/notes.py"))] == [
        "test_notes_in_crowds.py",
        "test_notes_contract.py",
    ]
    assert [test.name for test in by_path(Path("server/testing/notes.py"))] == ["test_notes_contract.py"]
    of_spans = by_path(Path("server/adapters/telemetry/spans.py"))
    assert [test.name for test in of_spans] == ["test_cloud_spans.py", "test_spans.py"]
    assert by_path(Path("server/adapters/web/pages.py")) == [Path("tests/server/adapters/web/test_pages.py")]
    assert by_path(Path("server/turns/notes.py")) == []


def test_tests_that_speak_of_the_same_rare_things_come_first(tmp_path: Path) -> None:
    for path, text in {
        "server/turns/notes.py": "def keep_note(): return forgotten",
        "tests/server/turns/test_access.py": "assert asked",
        "tests/server/turns/test_listening.py": "assert keep",
        "tests/server/turns/test_papers.py": "assert forgotten",
        "tests/server/turns/test_runner.py": "assert keep",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    own = Selection(tmp_path).own(Path("server/turns/notes.py"))
    assert [test.name for test in own] == ["test_papers.py", "test_listening.py", "test_runner.py", "test_access.py"]
