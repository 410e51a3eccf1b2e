"""`FLAMECHAT_FLEETS`: whose fleets' tables questions read next to the account's own recordings."""

from uuid import UUID

from server.errors import ConfigError
from server.ports.history import History
from server.settings import Settings


def with_fleets(settings: Settings, history: History) -> History:
    """The history, with the fleets that the settings name. Raises ConfigError."""
    if not settings.fleets:
        return history
    from server.adapters.fleet.fleet_library import FleetPlace, HistoryWithFleets

    places = []
    for one in settings.fleets.split(","):
        account, found, where = one.strip().partition("=")
        if not found and settings.supabase_url:
            raise ConfigError(f"FLAMECHAT_FLEETS: {one.strip()} names no account; write ACCOUNT_ID={one.strip()}.")
        places.append(FleetPlace(where.strip(), _account(account)) if found else FleetPlace(account.strip(), None))
    return HistoryWithFleets(history, places)


def _account(text: str) -> str:
    try:
        return str(UUID(text.strip()))
    except ValueError:
        raise ConfigError(f"FLAMECHAT_FLEETS: {text.strip()} is no id of an account.") from None
