"""One suite for every place a system prompt comes from."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.prompts import LangfusePrompts
from server.adapters.prompt_file import PromptFile
from server.errors import PromptUnavailable
from server.ports.prompts import Prompts
from server.testing.manual_clock import ManualClock
from tests.cloud.langfuse_server import langfuse_server

NAME = "analysis-system-prompt"
TEXT = "You read traces.\n\n{{trace_summary}}\n{{ findings }} {{unknown}} {{{braces}}} — ünï\n"


@dataclass(frozen=True, slots=True)
class Shelf:
    """Prompts, and the hands of whoever keeps them: `put` a text there, or take it away with None."""

    prompts: Prompts
    put: Callable[[str | None], object]


@pytest.fixture(params=["file", "langfuse"])
async def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shelf]:
    async with _in_a_file(tmp_path) if request.param == "file" else _in_langfuse() as made:
        yield made


@asynccontextmanager
async def _in_a_file(folder: Path) -> AsyncIterator[Shelf]:
    path = folder / f"{NAME}.md"

    def put(text: str | None) -> None:
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")

    yield Shelf(PromptFile(path), put)


@asynccontextmanager
async def _in_langfuse() -> AsyncIterator[Shelf]:
    async with langfuse_server() as project:
        versions = iter(range(1, 100))

        def put(text: str | None) -> None:
            project.prompts.pop(NAME, None)
            if text is not None:
                project.prompts[NAME] = (next(versions), "production", text)

        connection = LangfuseConnection(host=project.url, public_key=project.public_key, secret_key=project.secret_key)
        async with connection:
            yield Shelf(LangfusePrompts(connection, ManualClock(), timeout_s=30), put)


async def test_a_prompt_comes_as_it_was_written_with_its_places_left_open(shelf: Shelf) -> None:
    shelf.put(TEXT)
    assert (await shelf.prompts.system_prompt()).template == TEXT


async def test_its_version_names_it_and_stays_while_the_text_does(shelf: Shelf) -> None:
    shelf.put(TEXT)
    first = await shelf.prompts.system_prompt()
    assert first.version.startswith(f"{NAME}@")
    assert (await shelf.prompts.system_prompt()).version == first.version


async def test_another_text_counts_from_the_next_turn_on_and_has_another_version(shelf: Shelf) -> None:
    shelf.put(TEXT)
    first = await shelf.prompts.system_prompt()
    shelf.put(f"Be brief. {TEXT}")
    second = await shelf.prompts.system_prompt()
    assert second.template == f"Be brief. {TEXT}"
    assert second.version != first.version


async def test_a_prompt_that_is_not_there_is_named_and_nothing_takes_its_place(shelf: Shelf) -> None:
    with pytest.raises(PromptUnavailable, match=NAME):
        await shelf.prompts.system_prompt()


async def test_one_that_was_taken_away_is_not_remembered_and_one_that_is_back_counts(shelf: Shelf) -> None:
    shelf.put(TEXT)
    await shelf.prompts.system_prompt()
    shelf.put(None)
    with pytest.raises(PromptUnavailable, match=NAME):
        await shelf.prompts.system_prompt()
    shelf.put(TEXT)
    assert (await shelf.prompts.system_prompt()).template == TEXT
