"""What a person can set: `FLAMECHAT_<FIELD>` for each field of `Settings`, and the names that teams already use.

All values are checked first: a wrong one ends the program with one line before anything is started.
"""

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from server.agent.bounds import TURN_SECONDS
from server.agent.model_call.offered_models import OfferedModels
from server.errors import ConfigError
from server.ports.key_kinds import PRIVATE, PUBLIC, can_be_sent, kind_of
from server.ports.objects import check_bucket_address
from server.ports.traces import CACHE_BYTES
from traces.bounds import MAX_UPLOAD_BYTES

PREFIX = "FLAMECHAT_"
READ_BY_THE_TESTS = frozenset({"FLAMECHAT_SHARED", "FLAMECHAT_REQUIRE_BROWSER"})
"""Names that belong to the repository's own tests; a server started with them set takes no offence."""

TURNS_AMONG_OTHERS = 4
"""More conversations that answer at once than one person reads."""

PROMPTS_AMONG_OTHERS = 60
"""Far more than one person reads the answers of."""

UPLOADS_AMONG_OTHERS = 300
RENDERS_AMONG_OTHERS = 600
READS_AMONG_OTHERS = 6_000
"""Far more than a page reads, or a program that takes one answer after the other."""

REQUESTS_AMONG_OTHERS = 32
SOCKETS_AMONG_OTHERS = 50
"""Tabs of one person, over all his machines."""

Role = Literal["all", "web", "worker"]
"""What a process does: it takes requests (`web`), runs turns and what goes on in the background (`worker`), or both."""

_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?")

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def _also(field: str, *aliases: str) -> AliasChoices:
    return AliasChoices(PREFIX + field.upper(), *aliases)


class Settings(BaseSettings):
    """Every setting, with what it does when it is not set. Secrets never print."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, populate_by_name=True
    )

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8484
    data: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("flamechat", appauthor=False)))
    open: bool = False
    role: Role = "all"
    access_token: SecretStr | None = None
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()

    openai_api_key: SecretStr | None = Field(None, validation_alias=_also("openai_api_key", "OPENAI_API_KEY"))
    model_base_url: str | None = Field(None, validation_alias=_also("model_base_url", "OPENAI_BASE_URL"))
    model: str | None = Field(None, validation_alias=_also("model", "AI_ANALYSIS_MODEL"))
    models_allowed: Annotated[tuple[str, ...], NoDecode] = ()
    model_sees_pictures: bool = True
    model_context: Annotated[int, Field(ge=1_000)] | None = None
    model_responses_api: bool | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    verbosity: Literal["low", "medium", "high"] | None = None
    model_fallbacks: Annotated[tuple[str, ...], NoDecode] = ()
    model_prices: Path | None = None
    model_connect_seconds: Annotated[float, Field(gt=0)] = 5
    model_first_seconds: Annotated[float, Field(gt=0)] = 120
    model_reading_seconds: Annotated[float, Field(gt=0)] = 480
    model_silence_seconds: Annotated[float, Field(gt=0)] = 90
    model_retries: Annotated[int, Field(ge=0, le=10)] = 2
    model_retry_seconds: Annotated[float, Field(ge=0)] = 10
    executor: Literal["in_process", "langgraph"] = "in_process"
    executor_fallback: Literal["in_process"] | None = None
    langgraph_url: str | None = None
    langgraph_api_key: SecretStr | None = None
    langgraph_assistant_id: str | None = None
    langgraph_callback_url: str | None = None
    kernels: Literal["on", "off"] = "on"
    prompt_file: Path | None = None
    flags: str | None = None
    artifacts: str = "off"
    debug_messages_dir: Path | None = None
    source_dir: Path | None = None
    repositories: Path | None = None
    mcp_servers: Path | None = None
    tavily_api_key: SecretStr | None = None
    webhooks: bool = False
    memory: Literal["on", "off"] = "on"
    memory_writes: Literal["ask", "auto", "off"] = "ask"
    memory_model: str | None = None
    embedder: Literal["auto", "encoder", "folder", "service", "none"] = "auto"
    embedding_model: str | None = None
    embedding_base_url: str | None = None
    embedding_dir: Path | None = None

    max_upload_bytes: Annotated[int, Field(ge=1, le=MAX_UPLOAD_BYTES)] = MAX_UPLOAD_BYTES
    importers: Annotated[int, Field(ge=1, le=64)] = 1
    askers: Annotated[int, Field(ge=1, le=64)] = 2
    worker_memory_bytes: Annotated[int, Field(ge=1 << 29)] = 8 << 30
    cache_bytes: Annotated[int, Field(ge=0)] = CACHE_BYTES
    import_seconds: Annotated[int, Field(ge=1)] = 600
    question_seconds: Annotated[int, Field(ge=1)] = 60
    turn_seconds: Annotated[int, Field(ge=1)] = TURN_SECONDS
    answer_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning_tokens: Annotated[int, Field(ge=0)] | None = None
    turns_at_once: Annotated[int, Field(ge=1, le=256)] = 8
    connections: Annotated[int, Field(ge=1)] = 2_000
    connections_per_address: Annotated[int, Field(ge=1)] | None = None
    turns_per_user: Annotated[int, Field(ge=1)] | None = None
    prompts_per_minute: Annotated[int, Field(ge=1)] | None = None
    uploads_per_minute: Annotated[int, Field(ge=1)] | None = None
    renders_per_minute: Annotated[int, Field(ge=1)] | None = None
    reads_per_minute: Annotated[int, Field(ge=1)] | None = None
    requests_per_user: Annotated[int, Field(ge=1)] | None = None
    sockets_per_user: Annotated[int, Field(ge=1)] | None = None
    socket_idle_seconds: Annotated[int, Field(ge=1)] = 1800
    metrics_token: SecretStr | None = None

    supabase_url: str | None = Field(None, validation_alias=_also("supabase_url", "SUPABASE_URL"))
    supabase_publishable_key: str | None = Field(
        None, validation_alias=_also("supabase_publishable_key", "SUPABASE_PUBLISHABLE_KEY")
    )
    supabase_secret_key: SecretStr | None = Field(
        None, validation_alias=_also("supabase_secret_key", "SUPABASE_SECRET_KEY")
    )
    supabase_anon_key: str | None = Field(None, validation_alias=_also("supabase_anon_key", "SUPABASE_ANON_KEY"))
    supabase_service_role_key: SecretStr | None = Field(
        None, validation_alias=_also("supabase_service_role_key", "SUPABASE_SERVICE_ROLE_KEY")
    )
    supabase_jwt_secret: SecretStr | None = Field(
        None, validation_alias=_also("supabase_jwt_secret", "SUPABASE_JWT_SECRET")
    )
    objects: str | None = None
    ray_address: str | None = None
    fleets: str | None = None
    watch: str | None = None
    watch_seconds: Annotated[float, Field(ge=1, le=86_400)] = 60.0
    database_url: SecretStr | None = None
    database_session_url: SecretStr | None = None
    realtime: bool = True
    realtime_broadcasts_per_second: Annotated[int, Field(ge=1, le=10_000)] = 80
    process_ai_turn_secret: SecretStr | None = Field(
        None, validation_alias=_also("process_ai_turn_secret", "PROCESS_AI_TURN_SECRET")
    )
    langfuse_public_key: str | None = Field(None, validation_alias=_also("langfuse_public_key", "LANGFUSE_PUBLIC_KEY"))
    langfuse_secret_key: SecretStr | None = Field(
        None, validation_alias=_also("langfuse_secret_key", "LANGFUSE_SECRET_KEY", "LANGFUSE_PRIVATE_KEY")
    )
    langfuse_host: str = Field(
        "https://cloud.langfuse.com", validation_alias=_also("langfuse_host", "LANGFUSE_HOST", "LANGFUSE_BASE_URL")
    )
    langfuse_prompt: str = "analysis-system-prompt"
    langfuse_prompt_label: str = "production"
    langfuse_prompt_seconds: Annotated[float, Field(gt=0)] = 1
    langfuse_prompt_stale_seconds: Annotated[float, Field(ge=0)] = 0
    langfuse_contents: bool = False
    otlp_endpoint: str | None = Field(None, validation_alias=_also("otlp_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"))

    @field_validator("models_allowed", "model_fallbacks", "allowed_hosts", "allowed_origins", mode="before")
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("allowed_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin such as https://app.example.com")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options, then the environment. No file is read: to ask for each setting in none takes as long as the rest."""
        return init_settings, env_settings

    @property
    def artifacts_dir(self) -> Path | None:
        """The folder in which what model calls contained is kept; None: in none."""
        return None if self.artifacts in {"off", "langfuse"} else Path(self.artifacts)

    @property
    def takes_requests(self) -> bool:
        return self.role != "worker"

    @property
    def runs_turns(self) -> bool:
        """And sweeps, and removes what is past its time."""
        return self.role != "web"

    @property
    def uses_language_model(self) -> bool:
        """Whether a provider answers; otherwise the built-in analyst does."""
        return self.openai_api_key is not None or self.model_base_url is not None

    @property
    def offered_models(self) -> OfferedModels:
        """What people may choose from."""
        return OfferedModels.of_settings(self.model, self.models_allowed, has_provider=self.uses_language_model)

    @property
    def most_turns_per_user(self) -> int | None:
        """Without a setting people are bounded where several share a server; on one machine one user has it all."""
        return self.turns_per_user or (TURNS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def most_prompts_per_minute(self) -> int | None:
        """Likewise."""
        return self.prompts_per_minute or (PROMPTS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def most_uploads_per_minute(self) -> int | None:
        return self.uploads_per_minute or (UPLOADS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def most_renders_per_minute(self) -> int | None:
        return self.renders_per_minute or (RENDERS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def most_reads_per_minute(self) -> int | None:
        return self.reads_per_minute or (READS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def most_connections_per_address(self) -> int:
        """Half of all, unless set: whoever takes them leaves the other half to others."""
        return self.connections_per_address or max(self.connections // 2, 1)

    @property
    def most_requests_per_user(self) -> int | None:
        return self.requests_per_user or (REQUESTS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def most_sockets_per_user(self) -> int | None:
        return self.sockets_per_user or (SOCKETS_AMONG_OTHERS if self.supabase_url is not None else None)

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK

    def check_exposure(self) -> None:
        """Raises ConfigError for a host that others can reach and where nobody asks who they are."""
        if not self.is_loopback and self.access_token is None and self.supabase_url is None:
            raise ConfigError(
                f"--host {self.host} can be reached by others: set {PREFIX}ACCESS_TOKEN to a secret, "
                "or use --host 127.0.0.1"
            )

    def check_origins(self) -> None:
        """Raises ConfigError where pages of other origins would be let in without a token."""
        if self.allowed_origins and self.access_token is None and self.supabase_url is None:
            raise ConfigError(
                f"{PREFIX}ALLOWED_ORIGINS lets pages of other origins in by a token, and this server asks for none: "
                f"set {PREFIX}ACCESS_TOKEN to a secret."
            )

    @property
    def database_urls(self) -> tuple[str | None, str | None]:
        """That of transactions and that of sessions; None for what is not set."""
        return _secret_value(self.database_url), _secret_value(self.database_session_url)

    @property
    def public_supabase_key(self) -> str | None:
        """What the page gets: the publishable key, else the legacy one."""
        return self.supabase_publishable_key or self.supabase_anon_key

    @property
    def secret_supabase_keys(self) -> tuple[str, ...]:
        """The secret keys in the order in which they count, else the legacy one."""
        given = _secret_value(self.supabase_secret_key) or _secret_value(self.supabase_service_role_key) or ""
        return tuple(part.strip() for part in given.split(",") if part.strip())

    def check_supabase(self) -> None:
        """Raises ConfigError for a project of which something is missing. Its parts go together: its users own the
        rows, its policies ask the rows who may read and listen."""
        if self.supabase_url is None:
            return
        needed = {
            "SUPABASE_PUBLISHABLE_KEY": self.public_supabase_key,
            "SUPABASE_SECRET_KEY": self.secret_supabase_keys,
            "DATABASE_URL": self.database_url,
        }
        missing = [PREFIX + name for name, value in needed.items() if not value]
        if missing:
            raise ConfigError(f"{PREFIX}SUPABASE_URL is set, but not {', '.join(missing)}: all are of one project.")
        if self.access_token is not None:
            raise ConfigError(
                f"{PREFIX}ACCESS_TOKEN is for a server with one user: with a Supabase project people sign in there."
            )
        self._check_keys()

    def _check_keys(self) -> None:
        """Raises ConfigError for a key in the place of another: the page would publish a secret one, and a server with
        a publishable one would be answered 202 by Realtime and reach nobody."""
        public = f"{PREFIX}SUPABASE_{'PUBLISHABLE' if self.supabase_publishable_key else 'ANON'}_KEY"
        secret = f"{PREFIX}SUPABASE_{'SECRET' if self.supabase_secret_key else 'SERVICE_ROLE'}_KEY"
        given = self.public_supabase_key or ""
        for name, key in ((public, given), *((secret, one) for one in self.secret_supabase_keys)):
            if not can_be_sent(key):
                raise ConfigError(f"{name} holds a space, a line break or another character that no key has.")
        if kind_of(given) in PRIVATE:
            raise ConfigError(
                f"{public} holds a {kind_of(given)} key, which the page would show to everybody: it belongs in "
                f"{PREFIX}SUPABASE_SECRET_KEY. Revoke it if a server has run with it."
            )
        for kind in map(kind_of, self.secret_supabase_keys):
            if kind in PUBLIC:
                raise ConfigError(
                    f"{secret} holds a public key ({kind}), with which a server may do nothing: set a secret one."
                )

    @property
    def may_run_elsewhere(self) -> bool:
        """Whether a turn's graph may run on a server for graphs: by the settings, or by a flag."""
        return self.executor == "langgraph" or (self.flags is not None and self.langgraph_url is not None)

    def check_executor(self) -> None:
        """Raises ConfigError for a server for graphs of which something is missing."""
        if not self.may_run_elsewhere:
            return
        if self.langgraph_url is None:
            raise ConfigError(f"{PREFIX}EXECUTOR=langgraph needs the address of a server in {PREFIX}LANGGRAPH_URL.")
        if self.langgraph_callback_url is None and not (self.is_loopback and self.port):
            raise ConfigError(
                f"{PREFIX}EXECUTOR=langgraph needs {PREFIX}LANGGRAPH_CALLBACK_URL: the address at which the graph "
                "reaches this server."
            )

    @property
    def callback_url(self) -> str:
        """Where a graph that runs elsewhere reaches this server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.langgraph_callback_url or f"http://{host}:{self.port}").rstrip("/")

    def check_objects(self) -> None:
        """Raises ConfigError for what is no bucket."""
        if self.objects is not None:
            check_bucket_address(self.objects)

    def check_langfuse(self) -> None:
        """Raises ConfigError for one key without the other, and for artifacts without them."""
        if (self.langfuse_public_key is None) != (self.langfuse_secret_key is None):
            given, missing = ("PUBLIC", "SECRET") if self.langfuse_secret_key is None else ("SECRET", "PUBLIC")
            raise ConfigError(f"{PREFIX}LANGFUSE_{given}_KEY is set, but not {PREFIX}LANGFUSE_{missing}_KEY.")
        if self.artifacts == "langfuse" and self.langfuse_public_key is None:
            raise ConfigError(f"{PREFIX}ARTIFACTS=langfuse needs the keys of Langfuse.")


def _secret_value(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def load_settings(**options: Any) -> Settings:
    """The settings of the environment, with command line options (None: not given) over them.

    Raises ConfigError, one line that names every wrong setting, for an unknown `FLAMECHAT_` name and a wrong type or
    value.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields} | READ_BY_THE_TESTS
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise ConfigError(
            f"unknown setting {', '.join(unknown)}; known are {', '.join(sorted(known - READ_BY_THE_TESTS))}"
        )
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        raise ConfigError("; ".join(_complaint(dict(one)) for one in error.errors(include_url=False))) from None


def _complaint(error: dict[str, Any]) -> str:
    """One wrong setting by its name, without its value where that is a secret."""
    place = str(error["loc"][0]) if error["loc"] else "settings"
    name = place if place.isupper() else PREFIX + place.upper()
    field = Settings.model_fields.get(place.lower().removeprefix(PREFIX.lower()))
    secret = field is None or "SecretStr" in str(field.annotation)
    given = "" if secret else f" (it is {error['input']!r})"
    return f"{name}: {error['msg'][0].lower()}{error['msg'][1:]}{given}"
