"""The file that FLAMECHAT_MCP_SERVERS names: which servers, which of their tools, and for whom."""

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from server.errors import ConfigError
from server.ports.mcp_tools import ToolAccess

MAX_NAME = 64
"""Of a tool, as models' providers take it."""

EVERY_ACCOUNT = "*"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_NOT_IN_A_HEADER = re.compile(r"[^\x20-\x7e]")

ServerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,23}$")]


class _Server(BaseModel):
    """`headers` and `env` take secrets from the environment, as `${NAME}`. `accounts` is not there: everybody on a
    server with one user, and nobody where people sign in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, Field(pattern=r"^https?://[^\s/@?#]+(/[^\s@#]*)?$")] | None = None
    command: Annotated[list[str], Field(min_length=1)] | None = None
    headers: dict[str, str] = {}
    env: dict[str, str] = {}
    tools: dict[str, ToolAccess] = {}
    accounts: list[str] | None = None
    mask_names: bool = False

    @model_validator(mode="after")
    def _one_way_to_it(self) -> Self:
        if (self.url is None) == (self.command is None):
            raise ValueError("a server has either a url or a command")
        if self.headers and self.url is None:
            raise ValueError("headers are for a url; a command has env")
        if self.env and self.command is None:
            raise ValueError("env is for a command; a url has headers")
        return self


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    servers: dict[ServerName, _Server] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredServer:
    """One server of the file, its secrets filled in. `missing` are variables that are not set: the server is off.
    `accounts` None: nobody is named. `names` are what models call its tools, by the server's own names."""

    name: str
    url: str | None
    command: tuple[str, ...]
    headers: Mapping[str, str] = field(repr=False)
    env: Mapping[str, str] = field(repr=False)
    tools: Mapping[str, ToolAccess]
    names: Mapping[str, str]
    accounts: frozenset[str] | None
    mask_names: bool
    missing: tuple[str, ...]
    secrets: tuple[str, ...] = field(repr=False)

    def is_for(self, account_id: str, *, people_sign_in: bool) -> bool:
        """Whether an account may use it."""
        if self.accounts is None:
            return not people_sign_in
        return EVERY_ACCOUNT in self.accounts or account_id in self.accounts


def read_servers(
    path: Path, environment: Mapping[str, str], *, taken: Collection[str] = ()
) -> tuple[ConfiguredServer, ...]:
    """The servers of the file; names of their tools that are `taken`, or would be the same, get another. Raises
    ConfigError."""
    try:
        found = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"FLAMECHAT_MCP_SERVERS: {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"FLAMECHAT_MCP_SERVERS: {path} is no TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"FLAMECHAT_MCP_SERVERS: {path}: {where}: {first['msg']}") from None
    names = tool_names([(name, tool) for name, server in found.servers.items() for tool in server.tools], taken)
    return tuple(_configured(name, server, environment, names) for name, server in found.servers.items())


def tool_names(pairs: Sequence[tuple[str, str]], taken: Collection[str]) -> dict[tuple[str, str], str]:
    """What models call the tools, by server and tool: with the server before it, at most 64 characters, each once. It
    depends on the file alone, not on who answers."""
    names: dict[tuple[str, str], str] = {}
    used = set(taken)
    for server, tool in pairs:
        name = _NOT_IN_A_NAME.sub("_", f"{server}_{tool}")
        if len(name) > MAX_NAME or name in used:
            ending = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
            name = f"{name[: MAX_NAME - 9]}_{ending}"
        used.add(name)
        names[server, tool] = name
    return names


def _configured(
    name: str, server: _Server, environment: Mapping[str, str], names: Mapping[tuple[str, str], str]
) -> ConfiguredServer:
    written: dict[str, Any] = {**server.headers, **server.env}
    needed = list(dict.fromkeys(one for value in written.values() for one in _VARIABLE.findall(value)))
    usable = {one: environment[one] for one in needed if environment.get(one)}
    missing = [one for one in needed if one not in usable or _NOT_IN_A_HEADER.search(usable[one])]

    def filled(values: Mapping[str, str]) -> dict[str, str]:
        return {key: _VARIABLE.sub(lambda match: usable.get(match[1], ""), value) for key, value in values.items()}

    return ConfiguredServer(
        name=name,
        url=server.url,
        command=tuple(server.command or ()),
        headers=filled(server.headers),
        env=filled(server.env),
        tools=server.tools,
        names={tool: names[name, tool] for tool in server.tools},
        accounts=None if server.accounts is None else frozenset(server.accounts),
        mask_names=server.mask_names,
        missing=tuple(missing),
        secrets=tuple(sorted(usable.values(), key=len, reverse=True)),
    )
