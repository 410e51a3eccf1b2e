"""What every adapter of the repositories' port holds: GitHub, GitLab, and the twin in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.adapters.repositories.open_repositories import OpenRepositories
from server.adapters.repositories.repository_file import read_repositories
from server.ports.repositories import CallerRepository, Repositories, RepositoryFailed
from server.testing.repositories import MemoryRepositories
from tests.foreign_servers import ANNA, BEN
from tests.repository_hosts import NEWEST, PROJECT, THEN, TOKEN, RepositoryHosts, content_id, repository_hosts

COMMITS = {
    THEN: {"src/cart.py": "def total():\n    return 1\n", "README.md": "shop\n"},
    NEWEST: {f"data/{n}.csv": "1\n" for n in range(240)} | {"src/cart.py": "import tax\n", "README.md": "shop\n"},
}


def opened(hosts: RepositoryHosts, folder: Path, host: str, **more: float) -> OpenRepositories:
    file = folder / "repositories.toml"
    api = hosts.github if host == "github" else hosts.gitlab
    file.write_text(
        f'[repositories.shop]\nhost = "{host}"\nproject = "{PROJECT}"\napi = "{api}"\n'
        'token = "${READING}"\naccounts = ["a1"]\n'
    )
    found = read_repositories(file, {"READING": TOKEN})
    return OpenRepositories(found, people_sign_in=True, monotonic=lambda: 0.0, **more)


@pytest.fixture(params=["github", "gitlab", "memory"])
async def repositories(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Repositories]:
    if request.param == "memory":
        yield MemoryRepositories(PROJECT, COMMITS, accounts=frozenset({"a1"}))
        return
    async with repository_hosts(COMMITS) as hosts:
        yield opened(hosts, tmp_path, request.param)


async def test_a_file_is_read_at_a_commit_and_as_it_is_today(repositories: Repositories) -> None:
    for commit in (THEN, THEN[:10]):
        then = await repositories.version(ANNA, commit)
        assert (then.commit, dict(then.files), then.is_cut) == (
            THEN,
            {path: content_id(text) for path, text in COMMITS[THEN].items()},
            False,
        )
        assert await repositories.content(ANNA, then, "src/cart.py") == COMMITS[THEN]["src/cart.py"]
    newest = await repositories.version(ANNA, None)
    assert (newest.commit, len(newest.files)) == (NEWEST, 242)
    assert newest.files["README.md"] == then.files["README.md"]
    assert await repositories.content(ANNA, newest, "src/cart.py") == "import tax\n"


async def test_a_commit_that_is_not_there_is_said_to_be_unknown(repositories: Repositories) -> None:
    with pytest.raises(RepositoryFailed) as failed:
        await repositories.version(ANNA, "deadbeef")
    assert failed.value.code == "unknown"


async def test_another_account_has_no_repository(repositories: Repositories) -> None:
    assert CallerRepository.of(repositories, BEN) is None
    mine = CallerRepository.of(repositories, ANNA)
    assert mine is not None
    assert mine.name == PROJECT
    with pytest.raises(RepositoryFailed, match="no repository"):
        await repositories.version(BEN, None)
