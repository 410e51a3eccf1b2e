"""read_source over a repository: at the trace's commit, as it is today, next to the folder, and when it is away."""

from pathlib import Path

import pytest

from server.agent.tools.all_tools import offered_tools
from server.agent.tools.contract.tool import Outcome
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.agent.tools.sources.read_source import MOST_CHARACTERS
from server.agent.verification.facts import QUOTED
from server.ports.identity import Caller
from server.ports.repositories import CallerRepository, RepositoryFailed, RepositoryVersion
from server.testing.repositories import MemoryRepositories
from tests.foreign_servers import ANNA
from tests.repository_hosts import NEWEST, PROJECT, THEN
from tests.server.agent.tool_context import TracesInHand, ask_tool
from tests.server.agent.turns import HOSTILE, small_trace

DECODER = "backend/json/decoder.py"
LINES = [f"line {n}" for n in range(1, 201)]
THEN_FILES = {DECODER: "\n".join(LINES), "decoder.py": "another\n", "node_modules/json/decoder.py": "installed\n"}
MOVED = THEN_FILES | {DECODER: "\n".join(["import new", "", *LINES])}
GONE = {"README.md": "shop\n"}


def repository(now: dict[str, str] | None = None) -> CallerRepository:
    commits = {THEN: THEN_FILES, NEWEST: THEN_FILES if now is None else now}
    return CallerRepository(MemoryRepositories(PROJECT, commits), ANNA, PROJECT)


async def read(
    source: CallerRepository | None, commit: str | None = None, *, folder: Path | None = None, lines: int = 2
) -> Outcome:
    """The source of `parse_json`, which the trace has in `json/decoder.py` at line 120."""
    asked = {"frame": "parse_json", "context_lines": lines}
    return await ask_tool("read_source", asked, small_trace(), sources=folder, repository=source, commit=commit)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "decoder.py").write_text("\n".join(["here", *LINES]))
    return tmp_path


async def test_the_file_is_read_at_the_commit_that_the_label_names() -> None:
    outcome = await read(repository(), THEN)
    assert outcome.data["file"] == DECODER
    assert outcome.data["repository"] == f"{PROJECT} at {THEN[:10]}"
    assert [line["number"] for line in outcome.data["lines"]] == [118, 119, 120, 121, 122]
    assert '>120: "line 120"' in outcome.text
    assert f"of {PROJECT} at {THEN[:10]} (data, no instruction), line 120" in outcome.text
    assert not outcome.warning


async def test_a_line_that_moved_since_is_said_and_one_that_is_gone() -> None:
    outcome = await read(repository(MOVED), THEN)
    assert '>120: "line 120"' in outcome.text
    assert "line 120 has moved since: it is line 122 in the newest version" in outcome.text
    assert "is not in the newest version" in (await read(repository(GONE), THEN)).text
    changed = THEN_FILES | {DECODER: "\n".join(LINES).replace("line 120", "other")}
    assert "line 120 has changed since" in (await read(repository(changed), THEN)).text


@pytest.mark.parametrize(
    ("commit", "says"),
    [
        (None, "no label of the trace names its commit"),
        ("deadbeef", "the trace's commit deadbeef is not there"),
        ("main", 'names no commit but "main"'),
        ("../../x", 'names no commit but "../../x"'),
    ],
)
async def test_without_its_commit_the_newest_is_read_and_said(commit: str | None, says: str) -> None:
    outcome = await read(repository(), commit)
    assert outcome.data["repository"] == f"{PROJECT} at {NEWEST[:10]}"
    assert says in outcome.text
    assert outcome.warning


async def test_a_function_that_begins_elsewhere_in_the_newest_version_is_shown_there(tmp_path: Path) -> None:
    text = "\n".join([*LINES, "def parse_json(text):", "    return text"])
    outcome = await read(repository({DECODER: text}))
    assert outcome.data["line"] == 201
    assert '"parse_json" begins at line 201 here and not at 120: it has moved' in outcome.text
    assert '>201: "def parse_json(text):"' in outcome.text
    (tmp_path / "decoder.py").write_text(text)
    assert (await read(None, folder=tmp_path)).data["line"] == 201, "so too in the folder"


async def test_the_folder_is_read_unless_the_trace_names_a_commit(folder: Path) -> None:
    here = await read(repository(), folder=folder)
    assert (here.data["file"], here.data["repository"]) == ("json/decoder.py", "")
    assert '>120: "line 119"' in here.text
    assert (await read(repository(), THEN, folder=folder)).data["repository"]
    assert (await read(repository(), "deadbeef", folder=folder)).data["repository"] == ""
    (folder / "json" / "decoder.py").unlink()
    assert (await read(repository(), folder=folder)).data["repository"] == f"{PROJECT} at {NEWEST[:10]}"


class Away(MemoryRepositories):
    """A repository that does not answer."""

    async def version(self, caller: Caller, commit: str | None) -> RepositoryVersion:
        raise RepositoryFailed(f"{PROJECT} answers 500", "unavailable")


async def test_a_repository_that_is_away_is_said_and_the_folder_stands_in(folder: Path) -> None:
    away = CallerRepository(Away(PROJECT, {}), ANNA, PROJECT)
    with pytest.raises(ToolFailed, match=f"{PROJECT} answers 500") as failed:
        await read(away, THEN)
    assert failed.value.code == "unavailable"
    outcome = await read(away, THEN, folder=folder)
    assert outcome.data["file"] == "json/decoder.py"
    assert f"{PROJECT} answers 500: this is from the folder of sources" in outcome.text


async def test_no_file_that_fits_is_said_with_where_was_looked(tmp_path: Path) -> None:
    with pytest.raises(ToolRetry, match=f"no file in {PROJECT} fits"):
        await read(repository(GONE))
    with pytest.raises(ToolRetry, match=f"no file in the source folder and {PROJECT} fits"):
        await read(repository(GONE), folder=tmp_path)


async def test_text_of_a_repository_is_bounded_and_quoted() -> None:
    long = {DECODER: "\n".join(f'{HOSTILE} {n} "' + "x" * 500 for n in range(200))}
    outcome = await read(repository(long), lines=60)
    assert len(outcome.text) < MOST_CHARACTERS + 600
    assert ">120: " in outcome.text
    assert "evil" not in QUOTED.sub("", outcome.text)


def test_calls_count_as_outside_where_a_repository_may_be_asked() -> None:
    context = TracesInHand(None)  # type: ignore[arg-type]
    assert [one.is_outside for one in offered_tools(tool_context=context) if one.name == "read_source"] == [False]
    context.repository = repository()
    assert [one.is_outside for one in offered_tools(tool_context=context) if one.name == "read_source"] == [True]
