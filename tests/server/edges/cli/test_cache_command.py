"""`flamechat cache`: shown, bounded and cleared; and the place of the cache is that of the server."""

import json
from pathlib import Path

import click
import pytest

from server.adapters.workers.trace_cache import TraceCache
from server.composing.cache_place import CACHE_FOLDER, build_trace_cache
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.errors import ConfigError
from server.settings import load_settings
from tests.server.edges.cli.test_questions import no_model, no_server, run
from traces.reader import read_trace


@pytest.fixture
def cache(tmp_path: Path) -> TraceCache:
    kept = TraceCache(tmp_path / "cache", 1 << 30)
    kept.keep(read_trace(b"main;work 3\nmain 2\n", name="stacks.txt"))
    return kept


@pytest.fixture
def cli(cache: TraceCache) -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=no_model, trace_cache=lambda: cache))


def test_it_lists_what_is_kept(cli: click.Group, cache: TraceCache) -> None:
    lines = run(cli, "cache").stdout.splitlines()
    assert lines[0].startswith(f"{cache.folder}: 1 traces, ")
    assert lines[1].endswith("stacks.txt (collapsed)")
    answer = json.loads(run(cli, "cache", "--json").stdout)
    assert (answer["folder"], answer["most_bytes"]) == (str(cache.folder), 1 << 30)
    assert [one["name"] for one in answer["traces"]] == ["stacks.txt"]


def test_a_bound_lasts_and_clearing_empties(cli: click.Group, cache: TraceCache) -> None:
    assert "of at most 2.00 MB" in run(cli, "cache", "--limit", "2 MB").stdout
    assert cache.most_bytes == 2_000_000
    assert " 0 traces" in run(cli, "cache", "--clear").stdout
    assert cache.traces() == []
    assert "no size" in run(cli, "cache", "--limit", "much", code=2).stderr


def test_the_place_and_bound_are_those_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, kept = load_settings(), build_trace_cache()
    assert (kept.folder, kept.most_bytes) == (settings.data / CACHE_FOLDER, settings.cache_bytes)
    monkeypatch.setenv("FLAMECHAT_DATA", str(tmp_path))
    monkeypatch.setenv("FLAMECHAT_CACHE_BYTES", "5")
    assert (build_trace_cache().folder, build_trace_cache().most_bytes) == (tmp_path / CACHE_FOLDER, 5)
    monkeypatch.setenv("FLAMECHAT_CACHE_BYTES", "-5")
    with pytest.raises(ConfigError, match="FLAMECHAT_CACHE_BYTES"):
        build_trace_cache()
