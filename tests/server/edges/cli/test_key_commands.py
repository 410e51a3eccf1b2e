"""`flamechat keys` against a server."""

import json
from pathlib import Path

from tests.server.edges.cli.test_upload_command import flamechat
from tests.server.running_server import STACKS, running_server


async def test_a_key_is_made_used_listed_and_revoked(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(STACKS)
    async with running_server(tmp_path) as server:
        at = ("--server", server.address)
        made = await flamechat("keys", "create", "night \x1b[31mly", "--scope", "traces:write", "--days", "3", *at)
        assert made.exit_code == 0, made.output
        key = made.stdout.strip()
        assert key not in made.stderr
        assert "\x1b" not in made.output
        assert (await flamechat("upload", str(file), *at, token=key)).exit_code == 0
        refused = await flamechat("ask", "by release?", *at, token=key)
        assert (refused.exit_code, "questions" in refused.stderr) == (1, True)
        assert key not in refused.output
        for forbidden in (("list",), ("create", "x", "--scope", "ask"), ("revoke", key[3:13])):
            answer = await flamechat("keys", *forbidden, *at, token=key)
            assert (answer.exit_code, "no key for programs" in answer.stderr) == (1, True), answer.output
        listed = await flamechat("keys", "list", *at)
        assert key[3:13] in listed.stdout
        assert key[14:] not in listed.stdout
        assert "traces:write" in listed.stdout
        assert (await flamechat("keys", "revoke", "nothing", *at)).exit_code == 2
        assert (await flamechat("keys", "revoke", key[3:13], *at)).exit_code == 0
        (row,) = json.loads((await flamechat("keys", "list", "--json", *at)).stdout)["keys"]
        assert row["revokedAt"] is not None
        refused = await flamechat("upload", str(file), *at, token=key)
        assert (refused.exit_code, "revoked" in refused.stderr) == (1, True)


async def test_what_is_no_scope_or_too_long_a_time_is_misuse(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        at = ("--server", server.address)
        assert (await flamechat("keys", "create", "ci", *at)).exit_code == 2
        assert (await flamechat("keys", "create", "ci", "--scope", "admin", *at)).exit_code == 2
        for name, days in (("ci", "4000"), ("x" * 90, "1")):
            answer = await flamechat("keys", "create", name, "--scope", "ask", "--days", days, *at)
            assert answer.exit_code == 1, answer.output
        assert (await flamechat("keys", "list", *at)).stdout == "There are no keys.\n"
