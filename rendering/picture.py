"""What drawing gives back, and the way from a scene to a file of each format."""

import io
from dataclasses import dataclass
from typing import assert_never

from PIL import Image

from rendering.options import Format
from rendering.png import encode_png
from rendering.raster import rasterise
from rendering.scene import Scene
from rendering.svg import encode_svg

MEDIA_TYPES: dict[Format, str] = {"png": "image/png", "svg": "image/svg+xml", "webp": "image/webp"}

RENDERER_VERSION = "4"
"""Part of every cache key: raise it whenever the same options give other pictures."""

_WEBP_EFFORT = 40
"""Pillow's `quality` of lossless WebP is effort: more costs seconds and saves a few per cent."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A file of `format` that shows `width` x `height` logical pixels. `notes` say what it leaves out, as the picture
    itself does; `description` is the same in words, for people who cannot see it."""

    data: bytes
    format: Format
    width: int
    height: int
    notes: tuple[str, ...]
    description: str

    @property
    def png(self) -> bytes:
        """The file of a picture that was asked for as PNG."""
        assert self.format == "png"
        return self.data

    @property
    def shown(self) -> dict[str, str | int]:
        """What a page needs before the file is there: its words, and the room that it takes."""
        return {"description": self.description, "width": self.width, "height": self.height}

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.format]


def write(scene: Scene, notes: tuple[str, ...], format: Format) -> Picture:  # noqa: A002 - the option's name
    """The scene as a file."""
    return Picture(encode(scene, format), format, scene.width, scene.height, notes, scene.description)


def encode(scene: Scene, format: Format) -> bytes:  # noqa: A002
    """The bytes of the scene in a format: the same for the same scene."""
    match format:
        case "png":
            return encode_png(rasterise(scene))
        case "svg":
            return encode_svg(scene).encode()
        case "webp":
            out = io.BytesIO()
            Image.fromarray(rasterise(scene)).save(out, "WEBP", lossless=True, quality=_WEBP_EFFORT, method=2)
            return out.getvalue()
        case _:
            assert_never(format)
