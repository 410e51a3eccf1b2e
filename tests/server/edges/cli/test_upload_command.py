"""`flamechat upload` against a server."""

import json
from pathlib import Path

import anyio.to_thread
from click.testing import CliRunner, Result

from server.edges.cli.command_values import ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from tests.server.running_server import STACKS, running_server


def no_server(_: ServeOptions) -> int:
    raise AssertionError("this command starts no server")


async def flamechat(*arguments: str, token: str | None = "anna") -> Result:
    app = build_cli(CliEntryPoints(serve=no_server, analysis=lambda *_: None))  # type: ignore[arg-type]
    environment = {"FLAMECHAT_ACCESS_TOKEN": token, "NO_PROXY": "*"}
    return await anyio.to_thread.run_sync(lambda: CliRunner(env=environment).invoke(app, list(arguments)))


async def test_files_are_sent_with_their_labels_and_their_addresses_printed(tmp_path: Path) -> None:
    files = [tmp_path / "a b.txt", tmp_path / "c.txt"]
    for file in files:
        file.write_bytes(STACKS)
    async with running_server(tmp_path) as server:
        labels = ("--label", "branch=feature/x&y", "--label", "program=reader")
        sent = await flamechat("upload", *map(str, files), *labels, "--server", server.address)
        assert sent.exit_code == 0, sent.output
        found = await server.http.get("/api/v1/traces", headers={"Authorization": "Bearer anna"})
        traces = {trace["name"]: trace for trace in found.json()["traces"]}
        assert set(traces) == {"a b.txt", "c.txt"}
        assert sent.stdout.splitlines() == [f"{server.address}/t/{traces[one.name]['traceId']}" for one in files]
        assert {json.dumps(one["labels"]) for one in traces.values()} == {'{"branch": "feature/x&y"}'}
        as_json = await flamechat("upload", str(files[1]), "--json", "--server", server.address)
        assert json.loads(as_json.stdout)["name"] == "c.txt"


async def test_a_refusal_says_why_and_sends_the_token_nowhere_else(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(STACKS)
    async with running_server(tmp_path) as server:
        for arguments, token, code, why in (
            (("--label", "Branch=x"), "anna", 1, "'Branch' is no key"),
            (("--label", "branch"), "anna", 2, "branch is not"),
            ((), "nobody", 1, "token"),
            ((), None, 1, "token"),
            (("--server", "ftp://a"), "anna", 2, "no address of a server"),
            (("--server", "http://127.0.0.1:9"), "anna", 1, "does not answer"),
        ):
            refused = await flamechat("upload", str(file), "--server", server.address, *arguments, token=token)
            assert refused.exit_code == code, refused.output
            assert why in refused.stderr
        empty = tmp_path / "empty.txt"
        empty.write_bytes(b"")
        refused = await flamechat("upload", str(empty), "--server", server.address)
        assert refused.exit_code == 1
        found = await server.http.get("/api/v1/traces", headers={"Authorization": "Bearer anna"})
        assert found.json()["traces"] == []
