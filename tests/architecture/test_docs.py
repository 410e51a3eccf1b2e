"""The pages of docs/: their links lead somewhere, the paths they name exist, and the decisions have no holes."""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from server.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
PAGES = (*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
TOP = (
    "traces",
    "rendering",
    "limits",
    "server",
    "web",
    "supabase",
    "tests",
    "docs",
    "fixtures",
    "evals",
    "bench",
    "fuzz",
)
MADE = ("server/page", "web/node_modules")
"""Not in the repository: what building makes."""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def file_names() -> set[str]:
    """The names of all files in our folders, without what is installed there."""
    return {
        file
        for top in TOP
        for folder, _, files in os.walk(ROOT / top)
        if "node_modules" not in Path(folder).parts
        for file in files
    }


def without_diffs(text: str) -> str:
    """A diff names files that it adds."""
    return re.sub(r"^```diff\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def paths_in(text: str) -> list[str]:
    """What stands in backticks and begins with one of our folders, without placeholders and patterns."""
    quoted = (word for span in re.findall(r"`([^`\n]+)`", without_diffs(text)) for word in span.split())
    stripped = (word.rstrip(".,:;)").split(":")[0] for word in quoted)
    return [
        word for word in stripped if word.split("/")[0] in TOP and "/" in word and not re.search(r"[<>*{}$%|=]", word)
    ]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    named = paths_in(page.read_text(encoding="utf-8"))
    missing = [path for path in named if not (ROOT / path).exists() and not path.startswith(MADE)]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_source_file_that_a_page_names_without_its_folder_exists(page: Path) -> None:
    spans = re.findall(r"`([^`\n]+)`", without_diffs(page.read_text(encoding="utf-8")))
    named = {file for span in spans for file in re.findall(r"(?<![\w/.<>*-])[a-z_]+\.(?:py|sql|tsx?|c|h)\b(?!/)", span)}
    assert named <= file_names()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    prose = re.sub(r"`[^`\n]*`", "", without_diffs(page.read_text(encoding="utf-8")))  # in code nothing is a link
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, heading = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (heading and heading not in anchors(target)):
            broken.append(link)
    assert not broken


def anchors(page: Path) -> set[str]:
    """The names GitHub gives to headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_linked_from_the_readme_or_the_map() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md")
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    }
    assert not [name(page) for page in (ROOT / "docs").glob("*.md") if page.resolve() not in linked]


def test_decisions_are_numbered_without_holes_and_their_titles_agree() -> None:
    files = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [file.name[:4] for file in files] == [f"{number:04d}" for number in range(1, len(files) + 1)]
    titles = {file.name[:4]: file.read_text(encoding="utf-8").split(":")[0] for file in files}
    assert titles == {number: f"# {number}" for number in titles}


def test_every_decision_that_something_refers_to_exists() -> None:
    numbers = {file.name[:4] for file in (ROOT / "docs" / "decisions").glob("*.md")}
    sources = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "pyproject.toml"]
    sources += [file for room in ("traces", "rendering", "limits", "server") for file in (ROOT / room).rglob("*.py")]
    wrong = {
        f"{name(file)}: {number}"
        for file in sources
        for number in re.findall(r"decisions?[/ ](\d{4})", file.read_text(encoding="utf-8"))
        if number not in numbers
    }
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_variable_that_a_page_names_is_a_setting_or_read_somewhere(page: Path) -> None:
    named = set(re.findall(r"FLAMECHAT_[A-Z][A-Z_]+[A-Z]", page.read_text(encoding="utf-8")))
    named -= {PREFIX + field.upper() for field in Settings.model_fields}
    sources = [
        ROOT / "tests/conftest.py",
        *ROOT.glob("tests/plugins/*.py"),
        *ROOT.glob("tests/cloud/*.py"),
        *ROOT.glob("supabase/**/*.ts"),
    ]
    assert all(any(one in source.read_text(encoding="utf-8") for source in sources) for one in named)


def test_the_rule_of_time_is_short_enough_to_be_read() -> None:
    assert len((ROOT / "docs" / "time.md").read_text(encoding="utf-8").splitlines()) <= 80
