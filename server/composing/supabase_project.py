"""The Supabase project of the settings."""

from server.adapters.supabase.project import SupabaseProject
from server.settings import Settings


def supabase_project(settings: Settings) -> SupabaseProject | None:
    """None on a server of one machine. Of a project that `Settings.check_supabase` has passed."""
    public, secret = settings.public_supabase_key, settings.supabase_jwt_secret
    if settings.supabase_url is None or public is None or not settings.secret_supabase_keys:
        return None
    return SupabaseProject(
        url=settings.supabase_url,
        publishable_key=public,
        secret_keys=settings.secret_supabase_keys,
        jwt_secret=None if secret is None else secret.get_secret_value(),
    )
