"""`flamechat login`, `logout`, `whoami` against a server whose people are a project's: by code, by password, renewed,
over, kept in a keyring or a file, and never shown."""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread
import keyring
import pytest
from click.testing import CliRunner, Result
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked

from server.adapters.terminal.kept_sessions import FILE, KeptSessions
from server.adapters.terminal.project_auth import ProjectAuth
from server.adapters.terminal.system_keyring import SystemKeyring
from server.edges.cli.command_values import ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.errors import ConfigError
from server.ports.terminal_sessions import SignIn
from tests.cloud.auth_server import PASSWORD
from tests.cloud.team_server import TeamServer, team_server
from tests.server.running_server import STACKS, running_server


class MemoryKeyring(KeyringBackend):
    """One that keeps texts, until it is locked."""

    priority = 5
    name = "a keyring of a test"

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def _check(self) -> None:
        if self.is_locked:
            raise KeyringLocked("locked")

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.texts.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.texts[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        del self.texts[service, username]


@pytest.fixture(params=["keyring", "file"])
def ring(request: pytest.FixtureRequest) -> Iterator[MemoryKeyring | None]:
    """The system's keyring during a test, None where there is none."""
    before = keyring.get_keyring()
    ours = MemoryKeyring() if request.param == "keyring" else None
    keyring.set_keyring(ours or NoKeyring())  # type: ignore[no-untyped-call]
    yield ours
    keyring.set_keyring(before)


@pytest.fixture
def no_ring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


def no_server(_: ServeOptions) -> int:
    raise AssertionError("this command starts no server")


def sessions_in(folder: Path, now: Callable[[], float] = time.time) -> KeptSessions:
    """As a command opens them."""
    return KeptSessions(folder, ProjectAuth, SystemKeyring, now)


@dataclass
class Terminal:
    """What one person of a machine has typed; `later_s` is how much later it is than the clock says."""

    folder: Path
    later_s: float = 0.0
    outputs: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        """A recording that they have."""
        file = self.folder.parent / "a.txt"
        file.write_bytes(STACKS)
        return file

    async def __call__(self, *arguments: str, typed: str = "", token: str | None = None) -> Result:
        sessions = sessions_in(self.folder, lambda: time.time() + self.later_s)
        parts = CliEntryPoints(serve=no_server, analysis=lambda *_: None, terminal_sessions=lambda: sessions)  # type: ignore[arg-type]
        runner = CliRunner(env={"FLAMECHAT_ACCESS_TOKEN": token, "NO_PROXY": "*"})
        done = await anyio.to_thread.run_sync(lambda: runner.invoke(build_cli(parts), list(arguments), input=typed))
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        self.outputs.append(done.stdout + done.stderr)
        return done

    def kept(self) -> str:
        file = self.folder / FILE
        return file.read_text(encoding="utf-8") if file.exists() else ""


async def by_password(terminal: Terminal, team: TeamServer) -> Result:
    address = team.server.address
    return await terminal("login", address, "--email", "anna@example.com", "--password", typed=f"{PASSWORD}\n")


async def listed(terminal: Terminal, server: str, *, token: str | None = None) -> Result:
    """A command that names a server, and asks it."""
    return await terminal("upload", str(terminal.file), "--server", server, token=token)


async def test_a_code_of_a_mail_signs_in_and_commands_that_name_the_server_use_it(
    tmp_path: Path, ring: MemoryKeyring | None
) -> None:
    terminal = Terminal(tmp_path / "config")
    async with team_server(tmp_path) as team:
        address = team.server.address
        assert (await listed(terminal, address)).exit_code == 1
        wrong = await terminal("login", address, "--email", "anna@example.com", typed="12345\n")
        assert (wrong.exit_code, terminal.kept()) == (1, "")
        assert "not signed in: Token has expired or is invalid" in wrong.stderr
        team.supabase.auth.links.sent_at.clear()
        code = await sign_in_by_code(team, terminal)
        session = next(iter(team.supabase.auth.sessions.open.values()))
        secrets = {*session.tokens, code}
        who = await terminal("whoami")
        assert who.stdout.startswith(f"anna@example.com at {address}, kept in ")
        assert who.exit_code == 0
        sent = await listed(terminal, f"{address}/")
        assert sent.exit_code == 0, sent.output
        found = await team.server.http.get("/api/v1/traces", headers=team.bearer("anna"))
        assert [trace["name"] for trace in found.json()["traces"]] == ["a.txt"]
        if ring is None:
            assert (terminal.folder / FILE).stat().st_mode & 0o777 == 0o600
            assert session.tokens[-1] in terminal.kept()
        else:
            assert not [one for one in secrets if one in terminal.kept()]
            assert session.tokens[-1] in next(iter(ring.texts.values()))
            assert "a keyring of a test" in who.stdout
        out = await terminal("logout")
        assert out.exit_code == 0, out.output
        assert team.supabase.auth.sessions.open == {}, "the project has ended it, too"
        assert json.loads(terminal.kept()) == {}
        assert ring is None or ring.texts == {}
        assert (await terminal("whoami")).exit_code == 1
        printed = "\n".join(terminal.outputs)
        assert not [one for one in secrets - {code} if one in printed]
        assert "eyJ" not in printed


async def sign_in_by_code(team: TeamServer, terminal: Terminal) -> str:
    """The code, which the person reads in the mail while the command waits."""
    read: list[str] = []
    config = (await team.server.http.get("/api/v1/config")).json()
    asked = SignIn(
        server=team.server.address,
        project_url=config["supabaseUrl"],
        publishable_key=config["supabasePublishableKey"],
        email="anna@example.com",
        proof="code",
    )

    def proof() -> str:
        read.append(team.supabase.auth.mails[-1].code)
        return f" {read[-1]} "

    await anyio.to_thread.run_sync(lambda: sessions_in(terminal.folder).begin(asked, proof))
    return read[0]


async def test_a_password_is_asked_for_and_a_wrong_one_refused(tmp_path: Path, no_ring: None) -> None:
    terminal = Terminal(tmp_path / "config")
    async with team_server(tmp_path) as team:
        typed = ("login", team.server.address, "--email", "anna@example.com", "--password")
        refused = await terminal(*typed, typed="wrong\n")
        assert refused.exit_code == 1
        assert "Invalid login credentials" in refused.stderr
        assert terminal.kept() == ""
        assert (await by_password(terminal, team)).exit_code == 0
        assert PASSWORD not in "".join(terminal.outputs) + terminal.kept()


async def test_a_session_is_renewed_before_it_ends_and_says_when_it_is_over(
    tmp_path: Path, ring: MemoryKeyring | None
) -> None:
    terminal = Terminal(tmp_path / "config")
    async with team_server(tmp_path) as team:
        address = team.server.address
        assert (await by_password(terminal, team)).exit_code == 0
        session = next(iter(team.supabase.auth.sessions.open.values()))
        assert (await listed(terminal, address)).exit_code == 0
        assert len(session.tokens) == 1, "it lasts"
        terminal.later_s = 3590
        for count in (2, 3):
            again = await listed(terminal, address)
            assert again.exit_code == 0, again.output
            assert len(session.tokens) == count, "each renewal is by the newest refresh token"
        team.supabase.auth.sessions.open.clear()
        over = await listed(terminal, address)
        assert over.exit_code == 1
        assert f"sign in again with flamechat login {address}" in over.stderr
        assert (await terminal("whoami")).exit_code == 1
        assert (await terminal("logout")).exit_code == 0, "what is over can be forgotten"


async def test_a_token_that_is_named_goes_before_the_session_and_another_server_gets_none(
    tmp_path: Path, no_ring: None
) -> None:
    terminal = Terminal(tmp_path / "config")
    async with team_server(tmp_path) as team, running_server(tmp_path) as other:
        assert (await by_password(terminal, team)).exit_code == 0
        named = await listed(terminal, team.server.address, token="not-a-token")
        assert named.exit_code == 1
        refused = await listed(terminal, other.address)
        assert refused.exit_code == 1
        assert "sign in" in refused.stderr or "token" in refused.stderr
        no_people = await terminal("login", other.address, "--email", "anna@example.com", typed="1\n")
        assert no_people.exit_code == 2
        assert "has no people who sign in" in no_people.stderr


async def test_two_commands_that_renew_at_once_both_go_on(tmp_path: Path, no_ring: None) -> None:
    terminal = Terminal(tmp_path / "config")
    async with team_server(tmp_path) as team:
        assert (await by_password(terminal, team)).exit_code == 0
        terminal.later_s = 3590
        ended: list[str | None] = []

        async def ask() -> None:
            sessions = sessions_in(terminal.folder, lambda: time.time() + terminal.later_s)
            ended.append(await anyio.to_thread.run_sync(sessions.token, team.server.address))

        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(ask)
        assert len(ended) == 4
        assert all(ended)


def test_a_file_that_others_can_read_is_not_used(tmp_path: Path, no_ring: None) -> None:
    (tmp_path / FILE).write_text('{"https://a": {"email": "a@b"}}', encoding="utf-8")
    (tmp_path / FILE).chmod(0o644)
    with pytest.raises(ConfigError, match="others than you"):
        sessions_in(tmp_path).token("https://a")
    (tmp_path / FILE).chmod(0o600)
    with pytest.raises(ConfigError, match="damaged"):
        sessions_in(tmp_path).token("https://a")
    assert sessions_in(tmp_path).token("https://b") is None


@pytest.mark.parametrize("place", ["server", "project_url"])
def test_nothing_is_sent_without_encryption_to_another_machine(tmp_path: Path, place: str) -> None:
    given = {"server": "https://flames.example", "project_url": "https://p.example", place: "http://flames.example"}
    asked = SignIn(publishable_key="k", email="a@b", proof="password", **given)

    def never() -> str:
        raise AssertionError("nobody is asked for it")

    with pytest.raises(ConfigError, match="not encrypted"):
        sessions_in(tmp_path).begin(asked, never)


async def test_a_locked_keyring_is_said_and_one_that_keeps_nothing_is_replaced_by_the_file(
    tmp_path: Path, ring: MemoryKeyring | None
) -> None:
    terminal = Terminal(tmp_path / "config")
    async with team_server(tmp_path) as team:
        assert (await by_password(terminal, team)).exit_code == 0
        if ring is None:
            return
        ring.is_locked = True
        locked = await listed(terminal, team.server.address)
        assert locked.exit_code == 1
        assert "unlock it" in locked.stderr
        assert (await by_password(terminal, team)).exit_code == 0
        assert re.search('"refresh_token": "[a-z0-9]{12}"', terminal.kept())
        assert (await listed(terminal, team.server.address)).exit_code == 0
