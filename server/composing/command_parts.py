"""The entry points of the commands. Imports of parts stand inside functions, so that a command loads what it opens."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from server.adapters.workers.kept_sizes import SMALLEST_KEPT_BYTES
from server.composing.cache_place import build_trace_cache, cache_bytes
from server.edges.cli.entry_points import CliEntryPoints, parsed

if TYPE_CHECKING:
    from limits.administration import Administration
    from server.adapters.postgres.pool import Database
    from server.adapters.terminal.project_auth import ProjectAuth
    from server.adapters.terminal.system_keyring import SystemKeyring
    from server.adapters.workers.local_files import LocalFiles
    from server.agent.turn import Pictures
    from server.edges.cli.command_values import (
        Analysis,
        AnalyzeOptions,
        BackupDone,
        BatchOptions,
        ForeignServers,
        ListedRecorder,
        PersonDeleted,
        PersonExported,
        Recorded,
        RecordOptions,
        ServeOptions,
    )
    from server.edges.cli.config import Checked, ShownSetting
    from server.edges.cli.local import LocalWorkers
    from server.ports.fleet import BatchDone
    from server.ports.identity import Caller
    from server.ports.invocations import Invocations
    from server.ports.terminal_sessions import TerminalSessions
    from server.settings import Settings
    from server.turns.account_memory import AccountMemory
    from server.turns.team_knowledge import TeamKnowledge
    from traces.model import Trace
    from traces.progress import Progress


def build_entry_points(serve: "Callable[[ServeOptions], int]") -> CliEntryPoints:
    """All of them; `serve` starts the server."""
    return CliEntryPoints(
        serve=serve,
        analysis=_open_analysis,
        administration=_open_administration,
        batch=_batch,
        invocations=_open_invocations,
        memory=_open_memory,
        knowledge=_open_knowledge,
        workers=_open_workers,
        read_file=_read_file,
        trace_cache=build_trace_cache,
        show_config=_show_config,
        missing_kernels=_missing_kernels,
        check_config=_check_config,
        back_up=_back_up,
        restore=_restore,
        export_person=_export_person,
        delete_person=_delete_person,
        record=_record,
        recorders=_recorders,
        foreign_servers=_foreign_servers,
        terminal_sessions=_terminal_sessions,
    )


def _terminal_sessions() -> "TerminalSessions":
    """Where programs of this user keep their settings; no setting of ours is loaded for it."""
    import platformdirs

    from server.adapters.terminal.kept_sessions import KeptSessions

    folder = Path(platformdirs.user_config_dir("flamechat", appauthor=False))
    return KeptSessions(folder, _project_auth, _system_keyring)


def _project_auth(url: str, key: str) -> "ProjectAuth":
    from server.adapters.terminal.project_auth import ProjectAuth

    return ProjectAuth(url, key)


def _system_keyring() -> "SystemKeyring":
    from server.adapters.terminal.system_keyring import SystemKeyring

    return SystemKeyring()


def _foreign_servers() -> "ForeignServers":
    """Raises ConfigError."""
    from server.adapters.json_log import log_as_json
    from server.composing.outside import ServersAdministration
    from server.settings import load_settings

    log_as_json()
    return ServersAdministration(load_settings())


def _record(options: "RecordOptions", remark: Callable[[str], None]) -> "Recorded":
    """Raises CannotRecord, ConfigError."""
    from server.composing.recordings import record

    return record(options, remark)


def _recorders() -> "Sequence[ListedRecorder]":
    """Every recorder with what it lacks here."""
    from server.composing.recordings import list_recorders

    return list_recorders()


async def _export_person(data: "Path | None", user_id: str, folder: Path) -> "PersonExported":
    """Raises UnknownUser, ConfigError, DatabaseUnavailable, ServiceUnavailable."""
    from server.adapters.json_log import log_as_json
    from server.composing.personal_data import export_person
    from server.settings import load_settings

    log_as_json()
    return await export_person(load_settings(data=data), user_id, folder)


async def _delete_person(data: "Path | None", user_id: str, reason: str | None) -> "PersonDeleted":
    """Raises UnknownUser, ConfigError, DatabaseUnavailable, ServiceUnavailable."""
    from server.adapters.json_log import log_as_json
    from server.composing.personal_data import delete_person
    from server.settings import load_settings

    log_as_json()
    return await delete_person(load_settings(data=data), user_id, reason)


async def _back_up(data: "Path | None", folder: Path) -> "BackupDone":
    """Raises ConfigError, DatabaseUnavailable, ServiceUnavailable."""
    from server.adapters.json_log import log_as_json
    from server.composing.backups import back_up
    from server.settings import load_settings

    log_as_json()
    return await back_up(load_settings(data=data), folder)


async def _restore(data: "Path | None", folder: Path) -> "BackupDone":
    """Raises BackupUnusable, ConfigError, DatabaseUnavailable, ServiceUnavailable."""
    from server.adapters.json_log import log_as_json
    from server.composing.backups import restore
    from server.settings import load_settings

    log_as_json()
    return await restore(load_settings(data=data), folder)


def _show_config(data: "Path | None") -> "Sequence[ShownSetting]":
    """The settings in force. Raises ConfigError."""
    from server.composing.shown_settings import shown_settings

    return shown_settings(data)


def _missing_kernels() -> str | None:
    """A line where the compiled kernels are not in use."""
    from traces.missing_kernels import missing_kernels

    return missing_kernels()


def _check_config(data: "Path | None") -> "AsyncIterator[Checked]":
    """A line for each part of the settings. Raises ConfigError."""
    from server.adapters.json_log import log_as_json
    from server.composing.checking import checked
    from server.settings import load_settings

    log_as_json()
    return checked(load_settings(data=data))


def _read_file(source: Path, progress: "Progress") -> "Trace":
    """The trace of a file, from the cache where it was read before and is not too small to be kept. Raises TraceError,
    OSError, ConfigError.
    """
    cache_bytes()
    if source.stat().st_size < SMALLEST_KEPT_BYTES:
        return parsed(source, progress)
    return _open_files().read(source, source.name, progress)


@cache
def _open_files() -> "LocalFiles":
    """One for each command, which remarks on the cache once. Raises ConfigError."""
    from server.adapters.workers.local_files import LocalFiles
    from server.edges.cli.reading import remark

    return LocalFiles(build_trace_cache(), remark)


async def _batch(options: "BatchOptions", progress: Callable[["BatchDone"], None]) -> "BatchDone":
    """The recordings of a place into tables. Raises ConfigError, Busy, ServiceUnavailable."""
    from server.adapters.json_log import log_as_json
    from server.composing.fleet_batches import run_batch
    from server.settings import load_settings

    log_as_json()
    return await run_batch(load_settings(), options, progress)


def _open_workers() -> "LocalWorkers":
    """Workers of this process alone; stdout belongs to their answers."""
    from server.adapters.in_process.workers import InlineTraceWorkers
    from server.adapters.json_log import log_as_json

    log_as_json()
    return InlineTraceWorkers(files=_open_files())


def _open_analysis(options: "AnalyzeOptions", pictures: "Pictures") -> "Analysis":
    """An agent over this process alone; stdout belongs to its answer. Raises ConfigError."""
    from server.adapters.in_process.workers import InlineTraceWorkers
    from server.adapters.json_log import log_as_json
    from server.agent.model_call.offered_models import ANALYST
    from server.composing.agent import build_agent
    from server.edges.cli.command_values import Analysis
    from server.settings import load_settings

    settings = load_settings(model=options.model, debug_messages_dir=options.debug_messages_dir)
    log_as_json()
    workers, offered = InlineTraceWorkers(files=_open_files()), settings.offered_models
    return Analysis(
        agent=build_agent(settings, workers=workers, pictures=pictures),
        workers=workers,
        draws_for_itself=offered.has_provider and offered.names(None)[0] != ANALYST,
    )


@asynccontextmanager
async def _open_administration(data: Path | None) -> "AsyncIterator[Administration]":
    """The plans and users of a data folder, or of the database of the settings. Raises ConfigError,
    DatabaseUnavailable."""
    from limits.administration import Administration
    from server.adapters.postgres.plans import PostgresPlans

    async with _open_database(data) as database:
        yield Administration(PostgresPlans(database))


@asynccontextmanager
async def _open_invocations(data: Path | None) -> "AsyncIterator[Invocations]":
    """The model calls of a data folder, or of the database of the settings. Raises ConfigError, DatabaseUnavailable."""
    from server.adapters.postgres.invocations import PostgresInvocations

    async with _open_database(data) as database:
        yield PostgresInvocations(database)


@asynccontextmanager
async def _open_database(data: Path | None) -> "AsyncIterator[Database]":
    """That of a data folder, which is started, or joined when a server runs; or that of the settings.

    Raises ConfigError, DatabaseUnavailable.
    """
    from server.adapters.folder.data_folder import own_data_folder
    from server.adapters.postgres.local_user import ensure_local_user
    from server.adapters.postgres.place import database_place
    from server.adapters.postgres.pool import Database
    from server.ports.identity import LOCAL_USER_ID
    from server.settings import load_settings

    settings = load_settings(data=data)
    own_data_folder(settings.data)
    async with database_place(settings.data / "postgres", *settings.database_urls) as place:
        if settings.supabase_url is None:
            await ensure_local_user(place.owner_dsn, LOCAL_USER_ID)
        async with Database(place.server_dsn, pooler=place.is_outside) as database:
            yield database


@asynccontextmanager
async def _open_memory(data: Path | None, user_id: str) -> "AsyncIterator[tuple[AccountMemory, Caller]]":
    """What a user's personal account remembers, and the user; otherwise as the administration is opened.

    Raises NotFound, ConfigError, DatabaseUnavailable.
    """
    from server.adapters.postgres.core_memory import PostgresCoreMemory
    from server.adapters.postgres.memories import PostgresMemories
    from server.composing.embedding import embedders_of
    from server.composing.memory_use_cases import RememberedTables, memory_use_cases

    async with _open_account(data, user_id) as (settings, database, caller), embedders_of(settings) as embedders:
        rows = RememberedTables(memory=PostgresCoreMemory(database), memories=PostgresMemories(database))
        memory, _ = memory_use_cases(settings, rows, embedders)
        assert memory is not None, "the account is not opened where nothing is remembered"
        yield memory, caller


@asynccontextmanager
async def _open_knowledge(data: Path | None, user_id: str) -> "AsyncIterator[tuple[TeamKnowledge, Caller]]":
    """The documents of a user's personal account, and the user; as `_open_memory`."""
    from server.adapters.postgres.knowledge import PostgresKnowledge
    from server.turns.team_knowledge import TeamKnowledge

    async with _open_account(data, user_id) as (_, database, caller):
        yield TeamKnowledge(PostgresKnowledge(database)), caller


@asynccontextmanager
async def _open_account(data: Path | None, user_id: str) -> "AsyncIterator[tuple[Settings, Database, Caller]]":
    """The database, and a user acting for their personal account. Raises NotFound, ConfigError, DatabaseUnavailable."""
    from server.adapters.folder.data_folder import own_data_folder
    from server.adapters.postgres.local_user import ensure_local_user
    from server.adapters.postgres.people import account_of
    from server.adapters.postgres.place import database_place
    from server.adapters.postgres.pool import Database
    from server.errors import ConfigError
    from server.ports.identity import LOCAL_USER_ID, Caller
    from server.settings import load_settings

    settings = load_settings(data=data)
    if settings.memory == "off":
        raise ConfigError("FLAMECHAT_MEMORY is off: nothing is remembered here")
    own_data_folder(settings.data)
    async with database_place(settings.data / "postgres", *settings.database_urls) as place:
        if settings.supabase_url is None and user_id == LOCAL_USER_ID:
            await ensure_local_user(place.owner_dsn, LOCAL_USER_ID)
        async with Database(place.server_dsn, pooler=place.is_outside) as database:
            yield settings, database, Caller(user_id=user_id, account_id=await account_of(database, user_id))
