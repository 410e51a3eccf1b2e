"""The Supabase project of the settings."""

from server.adapters.supabase.project import SupabaseProject
from server.settings import Settings


def supabase_project(settings: Settings) -> SupabaseProject | None:
    """None on a server of one machine. Of a project that `Settings.check_supabase` has passed."""
    key, secret = settings.supabase_service_role_key, settings.supabase_jwt_secret
    if settings.supabase_url is None or settings.supabase_anon_key is None or key is None:
        return None
    return SupabaseProject(
        url=settings.supabase_url,
        anon_key=settings.supabase_anon_key,
        service_role_key=key.get_secret_value(),
        jwt_secret=None if secret is None else secret.get_secret_value(),
    )
