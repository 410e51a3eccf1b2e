"""GitHub and GitLab: what leaves, what is not read, and what they may do wrong."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from server.adapters.repositories.open_repositories import OpenRepositories
from server.adapters.repositories.repository_file import read_repositories
from server.ports.repositories import RepositoryFailed
from tests.contracts.test_repositories_contract import COMMITS, opened
from tests.foreign_servers import ANNA, BEN, hostile_server, http
from tests.repository_hosts import PROJECT, THEN, TOKEN, repository_hosts

HOSTS = pytest.mark.parametrize("host", ["github", "gitlab"])


@HOSTS
async def test_what_leaves_is_a_commit_and_names_of_contents(host: str, tmp_path: Path) -> None:
    async with repository_hosts(COMMITS) as hosts:
        repositories = opened(hosts, tmp_path, host)
        for _ in range(3):
            version = await repositories.version(ANNA, THEN)
            await repositories.content(ANNA, version, "src/cart.py")
    assert len(hosts.asked) == 3, "the same question of the same account is asked once"
    assert set(hosts.tokens) == {TOKEN}
    assert TOKEN not in "".join(hosts.asked)
    assert "cart" not in "".join(hosts.asked)


@HOSTS
async def test_links_are_no_files_and_a_list_that_is_cut_says_so(host: str, tmp_path: Path) -> None:
    many = {f"f{n}.py": f"{n}\n" for n in range(4_200)} if host == "gitlab" else {"a.py": "1\n"}
    async with repository_hosts(
        {THEN: {"0link.py": "/etc/passwd"} | many}, links=frozenset({"0link.py"}), is_cut=True
    ) as hosts:
        version = await opened(hosts, tmp_path, host, seconds=60).version(ANNA, THEN)
    assert version.is_cut
    assert "0link.py" not in version.files
    assert len(version.files) == (3_999 if host == "gitlab" else 1)


async def never(_: Any) -> Any:
    await asyncio.Event().wait()


def at(url: str, host: str, folder: Path, seconds: float = 8.0) -> OpenRepositories:
    file = folder / "r.toml"
    file.write_text(f'[repositories.shop]\nhost = "{host}"\nproject = "{PROJECT}"\napi = "{url}"\ntoken = "${{R}}"\n')
    return OpenRepositories(
        read_repositories(file, {"R": TOKEN}), people_sign_in=False, monotonic=lambda: 0.0, seconds=seconds
    )


@HOSTS
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (http("no", status="500 Internal Server Error"), "answers 500"),
        (http("{}", status="401 Unauthorized"), "does not take the token"),
        (http("{}", status="403 Forbidden"), "may not read it, or has asked too often"),
        (http("", status="302 Found", Location="http://127.0.0.1:9/"), "answers 302"),
        (http("{"), "does not answer as it should"),
        (http('{"sha": "../../secrets", "id": 7}'), "does not answer as it should"),
        (http('["' + "x" * 100 + '"]'), "does not answer as it should"),
        (http("[" * 200_000), "does not answer as it should"),
        (http(b" " * (33 << 20)), "more than is read"),
        (b"", "not reachable"),
        (never, "within 0.3 s"),
    ],
)
async def test_a_wrong_answer_is_none_and_names_no_secret(host: str, answer: Any, says: str, tmp_path: Path) -> None:
    replies: dict[str, Any] = {"GET": answer if callable(answer) else lambda _: answer}
    async with hostile_server(replies) as server:
        repositories = at(server.url.removesuffix("/mcp"), host, tmp_path, 0.3 if callable(answer) else 60.0)
        with pytest.raises(RepositoryFailed) as failed:
            await repositories.version(ANNA, THEN)
    assert says in failed.value.text
    assert TOKEN not in failed.value.text


async def test_a_repository_without_its_token_is_off_and_people_who_sign_in_are_named(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(f'[repositories.shop]\nhost = "github"\nproject = "{PROJECT}"\ntoken = "${{R}}"\n')

    def names(environment: dict[str, str], *, people_sign_in: bool) -> list[str | None]:
        found = OpenRepositories(
            read_repositories(file, environment), people_sign_in=people_sign_in, monotonic=lambda: 0.0
        )
        return [found.name_for(one) for one in (ANNA, BEN)]

    assert names({}, people_sign_in=False) == [None, None]
    assert names({"R": TOKEN}, people_sign_in=False) == [PROJECT, PROJECT]
    assert names({"R": TOKEN}, people_sign_in=True) == [None, None]
    file.write_text(file.read_text() + 'accounts = ["a2"]\n')
    assert names({"R": TOKEN}, people_sign_in=True) == [None, PROJECT]
    assert TOKEN not in repr(read_repositories(file, {"R": TOKEN}))
