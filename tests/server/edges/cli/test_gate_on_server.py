"""`flamechat gate --baseline ... --server`: runs are judged by stored ones, and what was found is accepted."""

import json
import subprocess
import unicodedata
from pathlib import Path

import pytest

from server.edges.cli.gate_on_server import ancestors_of, named_labels
from tests.hostile.names import NAMES
from tests.server.edges.cli.test_upload_command import flamechat
from tests.server.running_server import BEN, RunningServer, running_server
from tests.server.turns.test_gates_at_uploads import a_baseline, checks_of, made, result_of, stacks, uploaded

INVISIBLE = {"Cc", "Cf", "Co", "Cs"}
RULE = ("--rule", "self_share(parse) +5%")
AT_MAIN = ("--baseline", "label=branch:main", "--label", "program=app")


def a_file(folder: Path, hot: int, name: str = "run.txt") -> str:
    (folder / name).write_bytes(stacks(hot))
    return str(folder / name)


async def test_runs_are_sent_judged_and_end_with_the_gates_codes(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        at = ("--server", server.address)
        slower, same = a_file(tmp_path, 450, "slower.txt"), a_file(tmp_path, 300, "same.txt")
        broken = await flamechat("gate", slower, *AT_MAIN, *RULE, *at)
        assert (broken.exit_code, broken.stdout.splitlines()[0]) == (1, "broken: 1 of 1 rule; 6 runs before, 1 after")
        diff = broken.stdout.splitlines()[-1].removeprefix("diff: ")
        assert diff.startswith(f"{server.address}/t/")
        assert "?view=diff&before=" in diff
        kept = await flamechat("gate", same, *AT_MAIN, *RULE, *at, "--json")
        assert (kept.exit_code, json.loads(kept.stdout)["outcome"]) == (0, "held")
        few = await flamechat("gate", same, *AT_MAIN, *RULE, *at, "--last", "2")
        assert (few.exit_code, "needs" in few.stdout) == (3, True)
        markdown = await flamechat("gate", slower, *AT_MAIN, *RULE, *at, "--format", "markdown")
        assert markdown.exit_code == 1
        assert "[Open the diff](<http://127.0.0.1" in markdown.stdout
        assert (
            f"--baseline label=branch:main --last 10 --label program=app --server {server.address}" in markdown.stdout
        )
        stored = (await server.http.get("/api/v1/traces", headers={"Authorization": "Bearer anna"})).json()["traces"]
        assert {"slower.txt", "same.txt"} <= {trace["name"] for trace in stored}


async def test_a_key_with_two_scopes_is_enough_for_a_job(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        at, run = ("--server", server.address), a_file(tmp_path, 450)
        made_key = await flamechat("keys", "create", "ci", "--scope", "gate", "--scope", "traces:write", *at)
        key = made_key.stdout.strip()
        broken = await flamechat("gate", run, *AT_MAIN, *RULE, *at, token=key)
        assert broken.exit_code == 1, broken.output
        assert key not in broken.output
        refused = await flamechat("gate", run, *AT_MAIN, *RULE, *at, token=key[:-1] + "x")
        assert (refused.exit_code, "no such key" in refused.stderr) == (2, True)


async def test_the_settings_file_names_server_baseline_and_labels(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        config = tmp_path / "gate.toml"
        config.write_text(
            f'[gate]\nrules = ["self_share(parse) +5%"]\nserver = "{server.address}"\nlast = 6\n'
            'baseline = { branch = "main" }\nlabels = { program = "app" }\n'
        )
        run = a_file(tmp_path, 450)
        assert (await flamechat("gate", run, "--config", str(config))).exit_code == 1
        for wrong in ("last = 0", 'baseline = "main"', "labels = { a = 1 }", "server = 3", "unknown = 1"):
            config.write_text(f"[gate]\n{wrong}\n")
            answer = await flamechat("gate", run, "--config", str(config))
            assert answer.exit_code == 2, (wrong, answer.output)


async def test_misuse_ends_with_two_and_says_what_is_missing(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        run, at = a_file(tmp_path, 1), ("--server", server.address)
        for arguments, why in (
            ((run, "--baseline", "branch:main", *RULE), "--server"),
            ((run, "--baseline", "main", *RULE, *at), "main is none"),
            ((run, "--baseline", "branch:main,branch:x", *RULE, *at), "twice"),
            ((run, "--baseline", "branch:main", *RULE, *at), "no runs"),
            ((run, "--baseline", "branch:main", *RULE, *at, "--profile", "p0"), "--profile"),
            ((run, "--baseline", "branch:main", *RULE, "--server", "http://127.0.0.1:9"), "does not answer"),
        ):
            answer = await flamechat("gate", *arguments)
            assert (answer.exit_code, why in answer.stderr) == (2, True), (arguments, answer.output)


async def accepted_result(server: RunningServer) -> str:
    await a_baseline(server)
    await made(server, labels={"branch": "main"})
    slower = await uploaded(server, stacks(450), "branch:main", "program:app")
    await checks_of(server).check_one()
    result_id: str = (await result_of(server, slower))["resultId"]
    return result_id


async def test_what_a_gate_found_is_accepted_with_a_reason(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        result_id, at = await accepted_result(server), ("--server", server.address)
        assert (await flamechat("gate", "accept", result_id, *at)).exit_code == 2
        refused = await flamechat("gate", "accept", result_id, "--reason", "mine", *at, token="ben")
        assert refused.exit_code == 1
        accepted = await flamechat("gate", "accept", result_id, "--reason", "new checksums", *at)
        assert (accepted.exit_code, "baseline begins anew" in accepted.stdout) == (0, True)


def test_labels_are_written_with_colons_or_equals_signs() -> None:
    assert named_labels("label=branch:main,scenario=a:b", "--baseline") == {"branch": "main", "scenario": "a:b"}
    assert named_labels("commit=4f2a", "--label") == {"commit": "4f2a"}


def test_ancestors_are_those_of_the_repository_here_and_no_option_of_gits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    for number in range(3):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", str(number)], check=True)
    done = subprocess.run([*git, "rev-list", "HEAD"], check=True, capture_output=True, text=True)
    commits = done.stdout.split()
    monkeypatch.chdir(tmp_path)
    assert ancestors_of(commits[0]) == commits[1:]
    assert ancestors_of(commits[0][:12]) == commits[1:]
    assert ancestors_of("0" * 40) == []
    assert ancestors_of("--all") == []


async def test_gates_are_made_listed_asked_and_removed(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        at = ("--server", server.address)
        await a_baseline(server)
        wish = ("--rule", "self_share(parse) +5%", "--baseline", "label=branch:main", "--label", "scenario=pr", *at)
        made_gate = await flamechat("gates", "create", "hot", *wish, "--label", "program=app")
        assert made_gate.exit_code == 0, made_gate.output
        gate_id = made_gate.stdout.strip()
        listed = await flamechat("gates", "list", *at)
        assert listed.stdout.splitlines() == [
            f"{gate_id}  hot: program:app, scenario:pr against the last 10 of branch:main",
            "  self_share(parse) +5%",
        ]
        slower = await uploaded(server, stacks(450), "program:app", "scenario:pr")
        assert (await flamechat("gates", "results", *at)).stdout.split()[2] == "waiting"
        assert await checks_of(server).check_one()
        first, why = (await flamechat("gates", "results", gate_id, *at)).stdout.splitlines()
        assert first.split()[2:] == ["broken", "hot", f"{server.address}/t/{slower}"]
        assert why.startswith("  self_share(parse) +5%: ")
        assert (
            json.loads((await flamechat("gates", "results", "--json", *at)).stdout)["results"][0]["gateId"] == gate_id
        )
        for arguments, code, text in (
            (("create", "x", "--rule", "nonsense", "--baseline", "branch:main"), 1, "nonsense"),
            (("create", "x", "--rule", "total +3%", "--baseline", "main"), 2, "main is none"),
            (("remove", "other"), 2, "no gate other"),
            (("results", "other"), 2, "no gate other"),
        ):
            refused = await flamechat("gates", *arguments, *at)
            assert (refused.exit_code, text in refused.stderr) == (code, True), refused.output
        assert "There are no gates." in (await flamechat("gates", "list", *at, token="ben")).stdout
        assert (await flamechat("gates", "remove", gate_id, *at)).exit_code == 0
        assert "Nothing was judged." in (await flamechat("gates", "results", *at)).stdout


async def test_no_name_of_a_gate_speaks_to_the_terminal(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        await made(server, name=f"{NAMES['csi_clear']}{NAMES['right_to_left']}"[:80])
        await uploaded(server, stacks(450), "program:app")
        for arguments in (("list",), ("results",), ("list", "--json"), ("remove", "\x1b[2J")):
            printed = (await flamechat("gates", *arguments, "--server", server.address)).output
            assert not [c for c in printed if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Co", "Cs"}], (
                printed
            )


async def test_a_command_acts_for_the_account_that_it_names(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        refused = await flamechat(
            "gate", a_file(tmp_path, 1), *AT_MAIN, *RULE, "--server", server.address, "--account", BEN.account_id
        )
        assert refused.exit_code == 2
        assert "account" in refused.stderr
