"""The file of other servers: names, secrets, accounts, and what is wrong in it."""

import re
from pathlib import Path

import pytest

from server.adapters.mcp_client.server_file import MAX_NAME, read_servers, tool_names
from server.errors import ConfigError
from tests.foreign_servers import written_file


def test_secrets_come_from_the_environment_and_never_print(tmp_path: Path) -> None:
    path = written_file(
        tmp_path, '[servers.one]\nurl = "https://one.example/mcp"\nheaders = { Authorization = "Bearer ${A} ${B}" }\n'
    )
    (server,) = read_servers(path, {"A": "first-secret", "B": "second"})
    assert server.headers == {"Authorization": "Bearer first-secret second"}
    assert "first-secret" not in repr(server)
    assert server.missing == ()
    for environment in ({"A": "x"}, {"A": "x", "B": ""}, {"A": "x", "B": "y\r\nHost: elsewhere"}):
        (server,) = read_servers(path, environment)
        assert server.missing == ("B",)


def test_names_are_prefixed_short_and_each_once() -> None:
    pairs = [
        ("a", "b_c"),
        ("a_b", "c"),
        ("sentry", "search issues!"),
        ("x", "y" * 200),
        ("x", "y" * 201),
        ("get", "usage"),
    ]
    names = tool_names(pairs, {"get_usage"})
    assert names["a", "b_c"] == "a_b_c"
    assert names["sentry", "search issues!"] == "sentry_search_issues_"
    assert len(set(names.values()) | {"get_usage"}) == len(pairs) + 1
    assert all(re.fullmatch(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}", name) for name in names.values())


def test_accounts_are_everybody_on_one_machine_and_nobody_where_people_sign_in(tmp_path: Path) -> None:
    text = '[servers.one]\nurl = "https://one.example/mcp"\n'
    (server,) = read_servers(written_file(tmp_path, text), {})
    assert [server.is_for("a1", people_sign_in=there) for there in (False, True)] == [True, False]
    (server,) = read_servers(written_file(tmp_path, text + 'accounts = ["a1"]\n'), {})
    assert [server.is_for(one, people_sign_in=True) for one in ("a1", "a2")] == [True, False]
    assert not server.is_for("a2", people_sign_in=False)
    (server,) = read_servers(written_file(tmp_path, text + 'accounts = ["*"]\n'), {})
    assert server.is_for("a2", people_sign_in=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[servers.one", "is no TOML"),
        ("[servers.one]\n", "either a url or a command"),
        ('[servers.one]\nurl = "https://one.example"\ncommand = ["x"]\n', "either a url or a command"),
        ('[servers.One]\nurl = "https://one.example"\n', "pattern"),
        ('[servers.one]\nurl = "file:///etc/passwd"\n', "pattern"),
        ('[servers.one]\nurl = "https://user:secret@one.example"\n', "pattern"),
        ('[servers.one]\nurl = "https://one.example"\ntools = { x = "write" }\n', "'read' or 'ask'"),
        ('[servers.one]\nurl = "https://one.example"\nenv = { A = "b" }\n', "env is for a command"),
        ('[servers.one]\ncommand = ["x"]\nheaders = { A = "b" }\n', "headers are for a url"),
        ('[servers.one]\nurl = "https://one.example"\ntrust = true\n', "Extra inputs"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_MCP_SERVERS") as wrong:
        read_servers(written_file(tmp_path, text), {})
    assert says in str(wrong.value)
    assert "secret" not in str(wrong.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml cannot be read"):
        read_servers(tmp_path / "nowhere.toml", {})
