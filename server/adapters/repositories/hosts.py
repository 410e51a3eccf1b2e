"""GitHub's and GitLab's REST interfaces: which files a commit has, and what one holds."""

import re
from typing import Any, Protocol
from urllib.parse import quote

from server.adapters.repositories.bounded_answers import HostAnswers
from server.adapters.repositories.repository_file import ConfiguredRepository
from server.ports.repositories import MAX_SOURCE_BYTES, RepositoryVersion

MOST_FILES = 100_000
MOST_PAGES = 40
"""Of a list at GitLab, of a hundred entries each: no more are read in the time of one reading."""

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PLAIN = frozenset({"100644", "100755"})
MAX_PATH = 400


class RepositoryHost(Protocol):
    async def version(self, commit: str | None) -> RepositoryVersion:
        """The files at a commit, or at the newest of the default branch. Raises RepositoryFailed."""
        ...

    async def content(self, content_id: str) -> bytes:
        """Raises RepositoryFailed."""
        ...


def host_of(repository: ConfiguredRepository) -> RepositoryHost:
    """Who answers for it."""
    return GitHub(repository) if repository.host == "github" else GitLab(repository)


class GitHub:
    """https://docs.github.com/rest/git/trees, and Enterprise Server's, whose address ends in `/api/v3`."""

    def __init__(self, repository: ConfiguredRepository) -> None:
        headers = {"X-GitHub-Api-Version": "2022-11-28"}
        if repository.token is not None:
            headers["Authorization"] = f"Bearer {repository.token}"
        self._answers = HostAnswers(repository, headers)
        self._at = f"/repos/{repository.project}"

    async def version(self, commit: str | None) -> RepositoryVersion:
        found = await self._answers.json(f"{self._at}/commits/{commit or 'HEAD'}", accept="application/vnd.github+json")
        sha = _id(found.get("sha") if isinstance(found, dict) else None)
        if sha is None:
            raise self._answers.wrong()
        tree = await self._answers.json(
            f"{self._at}/git/trees/{sha}", query={"recursive": "1"}, accept="application/vnd.github+json"
        )
        if not isinstance(tree, dict) or not isinstance(tree.get("tree"), list):
            raise self._answers.wrong()
        files = dict(_files(tree["tree"], "sha"))
        return RepositoryVersion(commit=sha, files=files, is_cut=bool(tree.get("truncated")))

    async def content(self, content_id: str) -> bytes:
        return await self._answers.content(
            f"{self._at}/git/blobs/{content_id}", most=MAX_SOURCE_BYTES, accept="application/vnd.github.raw+json"
        )


class GitLab:
    """https://docs.gitlab.com/api/repositories, of gitlab.com and of one's own."""

    def __init__(self, repository: ConfiguredRepository) -> None:
        headers = {} if repository.token is None else {"PRIVATE-TOKEN": repository.token}
        self._answers = HostAnswers(repository, headers)
        self._at = f"/projects/{quote(repository.project, safe='')}/repository"

    async def version(self, commit: str | None) -> RepositoryVersion:
        if commit is None:
            newest = await self._answers.json(f"{self._at}/commits", query={"per_page": "1"})
            found = newest[0] if isinstance(newest, list) and newest else None
        else:
            found = await self._answers.json(f"{self._at}/commits/{commit}")
        sha = _id(found.get("id") if isinstance(found, dict) else None)
        if sha is None:
            raise self._answers.wrong()
        files: dict[str, str] = {}
        for page in range(1, MOST_PAGES + 1):
            query = {"ref": sha, "recursive": "true", "per_page": "100", "page": str(page)}
            entries = await self._answers.json(f"{self._at}/tree", query=query)
            if not isinstance(entries, list):
                raise self._answers.wrong()
            files.update(_files(entries, "id"))
            if len(entries) < 100:
                return RepositoryVersion(commit=sha, files=files)
        return RepositoryVersion(commit=sha, files=files, is_cut=True)

    async def content(self, content_id: str) -> bytes:
        return await self._answers.content(f"{self._at}/blobs/{content_id}/raw", most=MAX_SOURCE_BYTES)


def _files(entries: list[Any], name_of_id: str) -> list[tuple[str, str]]:
    """Plain files: no links, no other repositories within."""
    found = []
    for entry in entries[:MOST_FILES]:
        if not isinstance(entry, dict) or entry.get("type") != "blob" or entry.get("mode") not in _PLAIN:
            continue
        path, content_id = entry.get("path"), _id(entry.get(name_of_id))
        if isinstance(path, str) and 0 < len(path) <= MAX_PATH and path.isprintable() and content_id is not None:
            found.append((path, content_id))
    return found


def _id(found: Any) -> str | None:
    return found if isinstance(found, str) and _ID.fullmatch(found) else None
