"""The file that FLAMECHAT_REPOSITORIES names: which repository is whose, and how it is asked."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from server.errors import ConfigError

EVERY_ACCOUNT = "*"
OF_GITHUB = "https://api.github.com"
OF_GITLAB = "https://gitlab.com/api/v4"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_UNFIT = re.compile(r"[^\x21-\x7e]")

Host = Literal["github", "gitlab"]


class _Repository(BaseModel):
    """`token` is `${NAME}` of the environment. `accounts` is not there: everybody on a server with one user, and nobody
    where people sign in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: Host
    project: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$", max_length=200)]
    api: Annotated[str, Field(pattern=r"^https?://[^\s/@?#]+(/[^\s@#?]*)?$")] | None = None
    token: Annotated[str, Field(pattern=r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$")] | None = None
    accounts: list[str] | None = None

    @model_validator(mode="after")
    def _a_path_of_names(self) -> Self:
        parts = self.project.split("/")
        if any(not part.strip(".") for part in parts) or (self.host == "github" and len(parts) != 2):
            raise ValueError("project is owner/name, at GitLab with the groups between")
        return self


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    repositories: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")], _Repository] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredRepository:
    """One of the file, its token filled in. `missing` is a variable that is not set: it is off."""

    host: Host
    project: str
    api: str
    token: str | None = field(repr=False)
    missing: str | None
    accounts: frozenset[str] | None

    def is_for(self, account_id: str, *, people_sign_in: bool) -> bool:
        """Whether an account may read it."""
        if self.accounts is None:
            return not people_sign_in
        return EVERY_ACCOUNT in self.accounts or account_id in self.accounts


def read_repositories(path: Path, environment: Mapping[str, str]) -> tuple[ConfiguredRepository, ...]:
    """Those of the file, in its order. Raises ConfigError."""
    try:
        found = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"FLAMECHAT_REPOSITORIES: {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"FLAMECHAT_REPOSITORIES: {path} is no TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"FLAMECHAT_REPOSITORIES: {path}: {where}: {first['msg']}") from None
    return tuple(_configured(one, environment) for one in found.repositories.values())


def _configured(one: _Repository, environment: Mapping[str, str]) -> ConfiguredRepository:
    named = None if one.token is None else _VARIABLE.fullmatch(one.token)
    token = environment.get(named[1]) if named else None
    is_usable = bool(token) and not _UNFIT.search(token or "")
    return ConfiguredRepository(
        host=one.host,
        project=one.project,
        api=(one.api or (OF_GITHUB if one.host == "github" else OF_GITLAB)).rstrip("/"),
        token=token if is_usable else None,
        missing=named[1] if named and not is_usable else None,
        accounts=None if one.accounts is None else frozenset(one.accounts),
    )
