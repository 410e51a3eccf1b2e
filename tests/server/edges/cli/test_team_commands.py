"""`flamechat teams ...` against a server."""

from pathlib import Path

from tests.server.edges.cli.test_upload_command import flamechat
from tests.server.running_server import ANNA, BEN, STACKS, running_server

AS_BEN = {"Authorization": "Bearer ben"}


async def test_an_account_is_made_shared_used_and_removed(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        at = ("--server", server.address)
        account = (await flamechat("teams", "create", "Parsers", *at)).stdout.strip()
        listed = (await flamechat("teams", "list", *at)).stdout.splitlines()
        assert listed[0] == f"{ANNA.account_id}  owner   Personal  (personal)"
        assert listed[1] == f"{account}  owner   Parsers"
        invited = await flamechat("teams", "invite", account, "Ben@example.com", "--role", "viewer", *at)
        address, _, token = invited.stdout.strip().partition("#invitation=")
        assert address == f"{server.address}/account"
        waiting = (await flamechat("teams", "list", account, *at)).stdout.splitlines()[-1].split()
        assert waiting[1:4] == ["viewer", "Ben@example.com", "(invited,"]
        accepted = await server.http.post("/api/v1/invitations/accept", json={"token": token}, headers=AS_BEN)
        assert accepted.status_code == 200, accepted.text
        members = (await flamechat("teams", "list", account, *at)).stdout.splitlines()
        assert [line.split()[:2] for line in members] == [[ANNA.user_id, "owner"], [BEN.user_id, "viewer"]]

        file = tmp_path / "a.txt"
        file.write_bytes(STACKS)
        assert (await flamechat("upload", str(file), "--account", account, *at)).exit_code == 0
        assert (await flamechat("upload", str(file), *at)).exit_code == 0
        found = await server.http.get("/api/v1/traces", headers=AS_BEN | {"Flamechat-Account": account})
        assert len(found.json()["traces"]) == 1
        refused = await flamechat("upload", str(file), "--account", account, *at, token="ben")
        assert (refused.exit_code, "viewer" in refused.stderr) == (1, True)

        assert (await flamechat("teams", "remove", account, BEN.user_id, *at)).exit_code == 0
        await flamechat("teams", "invite", account, "ben@example.com", *at)
        waiting = (await flamechat("teams", "list", account, *at)).stdout.splitlines()[-1].split()
        assert (await flamechat("teams", "remove", account, waiting[0], *at)).exit_code == 0
        assert len((await flamechat("teams", "list", account, *at)).stdout.splitlines()) == 1
        kept = await flamechat("teams", "remove", account, "--yes", *at)
        assert (kept.exit_code, "holds traces" in kept.stderr) == (1, True)
        assert (await flamechat("teams", "remove", account, "--with-traces", "--yes", *at)).exit_code == 0
        assert len((await flamechat("teams", "list", *at)).stdout.splitlines()) == 1


async def test_what_is_refused_says_why(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        account = (await flamechat("teams", "create", "Parsers", "--server", server.address)).stdout.strip()
        for arguments, token, code, why in (
            (("list", account), "ben", 1, "no such account"),
            (("invite", account, "nobody"), "anna", 1, "no e-mail address"),
            (("invite", ANNA.account_id, "ben@example.com"), "anna", 1, "yours alone"),
            (("remove", account, ANNA.user_id), "anna", 1, "has an owner"),
            (("remove", account, ANNA.user_id, "--with-traces"), "anna", 2, "whole account"),
            (("create", " "), "anna", 1, "needs a name"),
        ):
            refused = await flamechat("teams", *arguments, "--server", server.address, token=token)
            assert (refused.exit_code, why in refused.stderr) == (code, True), refused.output
