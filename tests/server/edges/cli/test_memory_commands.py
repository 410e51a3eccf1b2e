"""`flamechat memory ... --server` against a server, of which an account remembers what is asked for."""

import json
from pathlib import Path

from tests.server.edges.cli.test_upload_command import flamechat
from tests.server.running_server import running_server


async def test_facts_are_added_shown_searched_exported_and_forgotten(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        at = ("--server", server.address)
        added = await flamechat("memory", "add", "requests stay under 300 ms", *at)
        assert (added.exit_code, added.stdout) == (0, "requests stay under 300 ms\n"), added.output
        await flamechat("memory", "add", "we ship on Fridays", *at)
        shown = json.loads((await flamechat("memory", "show", "--json", *at)).stdout)
        assert shown == {"facts": ["requests stay under 300 ms", "we ship on Fridays"], "version": 2}
        assert (await flamechat("memory", "show", *at, token="ben")).stdout == ""
        found = await flamechat("memory", "search", "when do we ship", "--json", *at)
        assert isinstance(json.loads(found.stdout)["memories"], list), found.output
        exported = json.loads((await flamechat("memory", "export", *at)).stdout)
        assert exported["core"] == shown
        assert len(exported["changes"]) == 2
        left = await flamechat("memory", "forget", "FRIDAYS", *at)
        assert (left.exit_code, left.stdout) == (0, "requests stay under 300 ms\n"), left.output


async def test_what_is_refused_says_why(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        at = ("--server", server.address)
        for arguments, why in (
            (("forget", "nothing of the kind"), "0 facts have these words"),
            (("add", "my address is anna@example.org"), "an e-mail address"),
            (("add", "x" * 600), "500 characters"),
        ):
            refused = await flamechat("memory", *arguments, *at)
            assert (refused.exit_code, why in refused.stderr) == (1, True), refused.output
        nobody = await flamechat("memory", "show", *at, token="nobody")
        assert nobody.exit_code == 1
        assert "nothing is remembered" not in nobody.output
