"""How often one user may ask, of each process; what the plans allow is counted by the database, over all of them."""

from collections.abc import Callable

from server.edges.http.request_rates import RequestRates
from server.ports.clock import Clock
from server.settings import Settings
from server.turns.admission import Admission


def rates_of(settings: Settings, clock: Clock, refused: Callable[[str], None]) -> RequestRates:
    """By the settings; `refused` counts what was."""

    def bucket(per_minute: int | None, what: str) -> Admission:
        return Admission(per_minute=per_minute, what=what, monotonic=clock.monotonic)

    return RequestRates(
        uploads=bucket(settings.most_uploads_per_minute, "uploads"),
        renders=bucket(settings.most_renders_per_minute, "requests for pictures"),
        reads=bucket(settings.most_reads_per_minute, "requests"),
        refused=refused,
    )
