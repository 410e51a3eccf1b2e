"""Whether what the settings name is there and answers: each service is tried as the server would use it."""

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import psycopg
from langchain_core.messages import HumanMessage

from server.adapters.postgres.place import notify_arrives
from server.adapters.postgres.programs import find_programs
from server.adapters.supabase.project import SupabaseProject
from server.agent.model_call.chat_model import Model
from server.agent.model_call.offered_models import ANALYST_LABEL
from server.composing.agent import build_models
from server.composing.checking_embedder import embedder_outcome
from server.composing.checking_keys import keys_outcome
from server.composing.model_notices import context_notice, found_context, model_notices
from server.composing.object_store import object_store
from server.composing.supabase_project import supabase_project
from server.composing.watching import FROM_FILE, watching
from server.edges.cli.config import Checked, Sign
from server.errors import ConfigError, DatabaseUnavailable, ServerError, ServiceUnavailable
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from server.settings import Settings
from traces.kernels.library import kernels_available
from traces.missing_kernels import missing_kernels

SECONDS = 60.0
"""Longest time for one service."""

CHECKED_FOLDER = "check-config"
"""Where in a bucket an object is tried, among no others."""

Outcome = tuple[Sign, str]
Check = Callable[[Settings], Awaitable[Outcome]]


async def checked(settings: Settings) -> AsyncIterator[Checked]:
    """A line for each part, in the order in which a server needs them; each stands for itself."""
    for name, check in CHECKS.items():
        sign, said = await _outcome(check, settings)
        yield Checked(name, sign, " ".join(said.split()))


async def _outcome(check: Check, settings: Settings) -> Outcome:
    try:
        async with asyncio.timeout(SECONDS):
            return await check(settings)
    except ServerError as error:
        return "FAILED", str(error)
    except TimeoutError:
        return "FAILED", f"no answer within {SECONDS:.0f} s"
    except httpx.HTTPError as error:
        return "FAILED", f"cannot be reached ({type(error).__name__})"
    except ValueError as error:
        return "FAILED", f"answers with something that cannot be read ({type(error).__name__})"
    except (OSError, psycopg.Error) as error:  # their texts may hold an address with its password
        return "FAILED", type(error).__name__


async def _settings(settings: Settings) -> Outcome:
    settings.check_exposure()
    settings.check_origins()
    settings.check_supabase()
    settings.check_objects()
    settings.check_langfuse()
    notices = model_notices(settings)
    return ("slow", " ".join(notices)) if notices else ("ok", "no contradictions")


async def _data(settings: Settings) -> Outcome:
    folder = settings.data
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return "FAILED", f"cannot write to {there}: {error.strerror}. Choose another with FLAMECHAT_DATA."
    free = f"{shutil.disk_usage(there).free / 1e9:.1f} GB free"
    return "ok", f"{folder}, {free}" if there == folder else f"{folder} will be made, {free}"


async def _kernels(_: Settings) -> Outcome:
    missing = missing_kernels()
    return ("ok", kernels_available().reason) if missing is None else ("slow", missing)


async def _database(settings: Settings) -> Outcome:
    url, session_url = settings.database_urls
    if url is None:
        if session_url is not None:
            raise ConfigError("FLAMECHAT_DATABASE_SESSION_URL is set, but not FLAMECHAT_DATABASE_URL.")
        programs = await asyncio.to_thread(find_programs)
        return "ok", f"of this server's own, in {settings.data / 'postgres'}, by the programs in {programs}"
    version = await _version(url)
    if session_url not in (None, url):
        await _version(session_url)
    return "ok", f"PostgreSQL {version}"


async def _version(dsn: str | None) -> str:
    try:
        connected = await psycopg.AsyncConnection.connect(dsn or "", connect_timeout=10, prepare_threshold=None)
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(f"cannot be reached: {error}") from error
    async with connected as connection:
        row = await (await connection.execute("select current_setting('server_version')")).fetchone()
    return "" if row is None else str(row[0])


async def _listen(settings: Settings) -> Outcome:
    url, session_url = settings.database_urls
    if url is None:
        return "ok", "of the server's own database"
    if await notify_arrives(session_url or url):
        return "ok", "a NOTIFY arrives"
    return "slow", (
        "no NOTIFY arrives, so jobs and events are polled for: set FLAMECHAT_DATABASE_SESSION_URL to a direct "
        "connection or a pooler of sessions"
    )


async def _storage(settings: Settings) -> Outcome:
    if settings.objects is not None:
        return await _bucket(settings)
    project = supabase_project(settings)
    if project is None:
        return "ok", f"the folder {settings.data / 'objects'}"
    found = await _asked(project, "GET", "/storage/v1/bucket")
    buckets = {str(one.get("name")): bool(one.get("public")) for one in found.json()}
    missing = [name for name in (TRACES_BUCKET, PICTURES_BUCKET) if name not in buckets]
    if missing:
        return "FAILED", f"there is no bucket {' and none '.join(missing)}: the migrations make them"
    public = [name for name in (TRACES_BUCKET, PICTURES_BUCKET) if buckets[name]]
    if public:
        return "FAILED", f"the bucket {' and '.join(public)} can be read by everybody: make it private"
    return "ok", f"private buckets {TRACES_BUCKET} and {PICTURES_BUCKET}"


async def _bucket(settings: Settings) -> Outcome:
    """By an object of its own, written, read and removed: a bucket may be there and take nothing."""
    from server.adapters.bucket.bucket_objects import REFUSED

    path, content = uuid.uuid4().hex, b"flamechat check-config"
    try:
        async with object_store(settings) as store:
            await store.put(CHECKED_FOLDER, path, content)
            found = await store.get(CHECKED_FOLDER, path)
            await store.delete(CHECKED_FOLDER, path)
    except ServiceUnavailable as error:
        return "FAILED", f"{settings.objects} {'refuses' if str(error) == REFUSED else 'does not answer'}: {error.said}"
    if found != content:
        return "FAILED", f"{settings.objects} gives out something else than was put there"
    return "ok", f"{settings.objects} takes, gives and removes objects"


async def _realtime(settings: Settings) -> Outcome:
    project = supabase_project(settings)
    if project is None or not settings.realtime:
        return "off", "turns are told over the WebSocket alone"
    message = {"topic": "flamechat:check-config", "event": "check", "payload": {}, "private": True}
    answer = await _asked(project, "POST", "/realtime/v1/api/broadcast", {"messages": [message]})
    if answer.status_code != httpx.codes.ACCEPTED:
        return "FAILED", f"answers {answer.status_code} where 202 is meant"
    return "ok", "takes broadcasts"


async def _identity(settings: Settings) -> Outcome:
    project = supabase_project(settings)
    if project is None:
        return "ok", "one user" + (" with an access token" if settings.access_token else ", on this machine only")
    keys = (await _asked(project, "GET", "/auth/v1/.well-known/jwks.json")).json().get("keys", [])
    if keys:
        return "ok", f"{len(keys)} signing key{'s' if len(keys) > 1 else ''} at {project.issuer}"
    if project.jwt_secret is not None:
        return "ok", f"{project.issuer} publishes no key; tokens are verified with the shared secret"
    return "FAILED", "the project publishes no signing key: set FLAMECHAT_SUPABASE_JWT_SECRET"


async def _asked(project: SupabaseProject, method: str, path: str, body: object | None = None) -> httpx.Response:
    """Raises ConfigError for an answer that is none."""
    async with project.client() as client:
        answer = await client.request(method, path, json=body)
    if answer.status_code in (401, 403):
        raise ConfigError(f"{path} refuses the key ({answer.status_code}): check FLAMECHAT_SUPABASE_SECRET_KEY")
    if answer.is_error:
        raise ConfigError(f"{path} answers {answer.status_code}")
    return answer


async def _model(settings: Settings) -> Outcome:
    if not settings.uses_language_model:
        return "off", f"{ANALYST_LABEL} answers"
    models = build_models(settings)
    await models.learn(None)
    model = models.model(None)
    async for chunk in model.chat.astream([HumanMessage("Answer with the word ok.")]):
        if chunk.text:
            return await _answers(settings, model)
    return "FAILED", f"{model.label} answered nothing"


async def _answers(settings: Settings, model: Model) -> Outcome:
    """Asked for its context again: Ollama names it once the model is loaded."""
    found = await found_context(settings)
    parts = [f"{model.label} answers"]
    if found is not None:
        parts.append(f"its endpoint names a context of {found.tokens:,} tokens")
    if model.fallbacks:
        parts.append(_fallbacks(model.fallbacks))
    notice = context_notice(found)
    return ("slow", f"{'; '.join(parts)}. {notice}") if notice else ("ok", "; ".join(parts))


def _fallbacks(fallbacks: tuple[object, ...]) -> str:
    names = ", then ".join(str(getattr(one, "label", one)) for one in fallbacks)
    return f"when it is down: {names}"


async def _langfuse(settings: Settings) -> Outcome:
    if settings.langfuse_public_key is None:
        return "off", "the prompt is the file's, and nobody watches"
    async with watching(settings) as watched:
        prompt = await watched.prompts.system_prompt()
    contents = "with their contents" if settings.langfuse_contents else "without contents"
    said = f"traces go {contents} to {settings.langfuse_host}"
    return "ok", f"{said}; {'not asked for the prompt' if settings.langfuse_prompt == FROM_FILE else prompt.version}"


async def _prompt(settings: Settings) -> Outcome:
    if settings.langfuse_public_key is not None and settings.langfuse_prompt != FROM_FILE:
        return "ok", "comes from Langfuse"
    file = settings.prompt_file
    if isinstance(file, Path):
        file.read_bytes().decode("utf-8")
    return "ok", str(file or "the repository's own")


CHECKS: dict[str, Check] = {
    "settings": _settings,
    "data folder": _data,
    "kernels": _kernels,
    "database": _database,
    "notifications": _listen,
    "keys": keys_outcome,
    "identity": _identity,
    "storage": _storage,
    "realtime": _realtime,
    "prompt": _prompt,
    "langfuse": _langfuse,
    "model": _model,
    "embedder": embedder_outcome,
}
