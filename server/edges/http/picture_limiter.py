"""A limiter of pictures drawn at once, and a cache of those drawn last."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from rendering.picture import Picture
from server.errors import Busy

MOST_AT_ONCE = 24
"""Pictures being drawn or waiting for a worker: at some 50 ms each the last one waits about a second; more would only
keep connections open."""

RETRY_AFTER_S = 2
"""Seconds after which the queue of a burst is drawn."""

KEPT_BYTES = 32 << 20
"""Bytes of pictures kept: a few hundred, as a page or a pull request shows the same ones again and again."""


class PictureLimiter:
    """Belongs to one event loop; nothing in it waits."""

    def __init__(self, *, most_at_once: int = MOST_AT_ONCE, kept_bytes: int = KEPT_BYTES) -> None:
        self._most_at_once = most_at_once
        self._kept_bytes = kept_bytes
        self._drawing = 0
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._size = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place in the queue while the context lasts. Raises Busy where there is none."""
        if self._drawing >= self._most_at_once:
            raise Busy(
                f"{self._most_at_once} pictures are being drawn already. Try again in {RETRY_AFTER_S} seconds.",
                retry_after_s=RETRY_AFTER_S,
            )
        self._drawing += 1
        try:
            yield
        finally:
            self._drawing -= 1

    def kept(self, version: str) -> Picture | None:
        """A picture that was drawn before."""
        picture = self._kept.get(version)
        if picture is not None:
            self._kept.move_to_end(version)
        return picture

    def keep(self, version: str, picture: Picture) -> None:
        """Keep a picture in place of those asked for longest ago."""
        if version in self._kept or len(picture.data) > self._kept_bytes:
            return
        self._kept[version] = picture
        self._size += len(picture.data)
        while self._size > self._kept_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped.data)
