"""Which API keys of a project are in use, whether it takes each of them, and which of them will end."""

import httpx

from server.adapters.supabase.project import SupabaseProject
from server.composing.supabase_project import supabase_project
from server.edges.cli.config import Sign
from server.errors import ConfigError
from server.ports.key_kinds import LEGACY, kind_of
from server.settings import Settings

USERS = "/auth/v1/admin/users"
SETTINGS = "/auth/v1/settings"
REFUSED = frozenset({httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN})

ENDS = (
    "Supabase ends the legacy keys (anon, service_role) with 2026: make a publishable and a secret key under Settings, "
    "API keys, and set FLAMECHAT_SUPABASE_PUBLISHABLE_KEY and FLAMECHAT_SUPABASE_SECRET_KEY"
)
"""Of supabase.com; on a Supabase of one's own they end when their owner says so."""


async def keys_outcome(settings: Settings) -> tuple[Sign, str]:
    """Every key is tried by itself: secret ones as only they may list users. Raises ConfigError, httpx.HTTPError."""
    settings.check_supabase()
    project = supabase_project(settings)
    if project is None:
        return "off", "no Supabase project"
    if not await _is_taken(project, project.publishable_key, SETTINGS):
        return "FAILED", f"the {kind_of(project.publishable_key)} key is refused: revoked, or of another project"
    refused = [number for number, key in enumerate(project.secret_keys, 1) if not await _is_taken(project, key, USERS)]
    if len(refused) == len(project.secret_keys):
        return "FAILED", "no secret key is taken: revoked, or of another project"
    notices = [f"secret key {number} of {len(project.secret_keys)} is refused: remove it" for number in refused]
    notices += _notices(settings, project)
    return ("slow", "; ".join([_in_use(project), *notices])) if notices else ("ok", _in_use(project))


async def _is_taken(project: SupabaseProject, key: str, path: str) -> bool:
    async with SupabaseProject(url=project.url, publishable_key=key, secret_keys=(key,)).client() as client:
        answer = await client.get(path, params={"per_page": 1} if path == USERS else None)
    if answer.status_code in REFUSED:
        return False
    if answer.is_error:
        raise ConfigError(f"{path} answers {answer.status_code}")
    return isinstance(answer.json(), dict)


def _in_use(project: SupabaseProject) -> str:
    kinds = [kind_of(project.publishable_key), *dict.fromkeys(map(kind_of, project.secret_keys))]
    several = f" ({len(project.secret_keys)} of them, for rotation)" if len(project.secret_keys) > 1 else ""
    return f"{' and '.join(kinds)}{several}"


def _notices(settings: Settings, project: SupabaseProject) -> list[str]:
    notices = []
    for new, legacy in (("PUBLISHABLE", "ANON"), ("SECRET", "SERVICE_ROLE")):
        set_both = (getattr(settings, f"supabase_{name.lower()}_key") is not None for name in (new, legacy))
        if all(set_both):
            notices.append(f"FLAMECHAT_SUPABASE_{legacy}_KEY is set too and not used")
    if any(kind_of(key) in LEGACY for key in (project.publishable_key, *project.secret_keys)):
        notices.append(ENDS)
    return notices
