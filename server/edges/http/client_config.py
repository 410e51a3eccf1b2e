"""What the page must know before anybody has signed in: who identifies people, and whether Realtime is there."""

from typing import Literal, Self
from urllib.parse import urlsplit

from server.protocol.base import WireModel


class ClientConfig(WireModel):
    """Nothing here is secret: the key is the project's publishable one, which opens nothing by itself. It has two
    names, of which `supabaseAnonKey` is the former."""

    identity: Literal["local", "supabase"] = "local"
    supabase_url: str | None = None
    supabase_publishable_key: str | None = None
    supabase_anon_key: str | None = None
    realtime: bool = False
    memory: bool = True
    teams: bool = False
    """Whether accounts have several members: where people sign in."""

    @classmethod
    def of_project(cls, url: str, key: str, *, realtime: bool) -> Self:
        return cls(
            identity="supabase",
            supabase_url=url.rstrip("/"),
            supabase_publishable_key=key,
            supabase_anon_key=key,
            realtime=realtime,
            teams=True,
        )

    @property
    def origins(self) -> tuple[str, ...]:
        """Where else than to this server the page may connect, for its Content-Security-Policy."""
        if self.supabase_url is None:
            return ()
        parts = urlsplit(self.supabase_url)
        socket = "wss" if parts.scheme == "https" else "ws"
        return (f"{parts.scheme}://{parts.netloc}", f"{socket}://{parts.netloc}")
