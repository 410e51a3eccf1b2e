"""A file of the account's repository: at the commit that the trace's label names, else as it is today."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass

from server.agent.tools.sources.moved_lines import line_now
from server.agent.tools.sources.source_files import MOST_OTHERS, SourceFile, best_fitting, is_skipped, parts_of
from server.ports.repositories import SOURCE_SECONDS, CallerRepository, RepositoryFailed, RepositoryVersion
from server.quoting import plain, quoted

COMMIT = "commit"
"""The label of a trace that names what was measured."""

SHOWN = 10
"""Digits of a commit."""

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryText:
    """`file` is None where none fits. `is_of_trace`: it is at the trace's commit. `notes` are for the reader."""

    repository: str
    commit: str
    is_of_trace: bool
    file: SourceFile | None
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """How an answer names it."""
        return f"{self.repository} at {self.commit[:SHOWN]}"


def named_commit(labels: Mapping[str, str]) -> str | None:
    """The commit of the label, where it is one: any other word would be asked for as a branch."""
    named = labels.get(COMMIT, "")
    return named.lower() if _COMMIT.fullmatch(named) else None


async def repository_text(
    repository: CallerRepository, labels: Mapping[str, str], named: str, line: int | None
) -> RepositoryText:
    """The file that a trace names. Raises RepositoryFailed."""
    try:
        async with asyncio.timeout(SOURCE_SECONDS):
            return await _text(repository, labels, named, line)
    except TimeoutError:
        text = f"{repository.name} has not answered within {SOURCE_SECONDS:g} s"
        raise RepositoryFailed(text, "timeout") from None


async def _text(
    repository: CallerRepository, labels: Mapping[str, str], named: str, line: int | None
) -> RepositoryText:
    commit, notes = named_commit(labels), list[str]()
    version = None
    if commit is not None:
        try:
            version = await repository.version(commit)
        except RepositoryFailed as error:
            if error.code != "unknown":
                raise
            notes.append(f"the trace's commit {commit[:SHOWN]} is not there: this is the newest of the default branch")
    elif COMMIT in labels:
        notes.append(f"the trace's label names no commit but {quoted(labels[COMMIT], 40)}: this is the newest")
    else:
        notes.append("no label of the trace names its commit: this is the newest of the default branch")
    of_trace = version
    version = version or await repository.version(None)
    if version.is_cut:
        notes.append("its list of files is too long to be read to its end")
    path, *others = _fitting(version, named) or ("",)
    if not path:
        return RepositoryText(
            repository=plain(repository.name, 120),
            commit=version.commit,
            is_of_trace=of_trace is not None,
            file=None,
            notes=tuple(notes),
        )
    lines = tuple((await repository.content(version, path)).splitlines())
    if of_trace is not None and line is not None:
        notes += await _since(repository, version, path, lines, line)
    return RepositoryText(
        repository=plain(repository.name, 120),
        commit=version.commit,
        is_of_trace=of_trace is not None,
        file=SourceFile(path, lines, tuple(others[:MOST_OTHERS])),
        notes=tuple(notes),
    )


def _fitting(version: RepositoryVersion, named: str) -> list[str]:
    return best_fitting(
        parts_of(named), (path for path in sorted(version.files) if not is_skipped(path.split("/")[:-1]))
    )


async def _since(
    repository: CallerRepository, version: RepositoryVersion, path: str, lines: tuple[str, ...], line: int
) -> list[str]:
    """What has become of the line: nothing to say where it stands as it was, or where nobody can be asked."""
    try:
        newest = await repository.version(None)
        if newest.commit == version.commit or newest.files.get(path) == version.files[path]:
            return []
        if path not in newest.files:
            return ["the file is not in the newest version of the default branch"]
        now = line_now(lines, (await repository.content(newest, path)).splitlines(), line)
    except RepositoryFailed:
        return []
    if now == line:
        return []
    if now is None:
        return [f"line {line} has changed since: it is not in the newest version of the default branch"]
    return [f"line {line} has moved since: it is line {now} in the newest version of the default branch"]
