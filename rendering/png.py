"""Pixels to PNG (ISO/IEC 15948), 8-bit truecolour.

Every line takes the Up filter: rows of boxes repeat vertically, so most lines become zeros, and nothing is spent on
searching for a better filter. No time or text is stored: the same pixels give the same bytes.
"""

import struct
import zlib

import numpy as np
import numpy.typing as npt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_UP_FILTER = 2
_TRUECOLOUR = 2
_STRIP_LINES = 256
"""Lines filtered at a time, so that encoding needs little memory beside the pixels."""

_LEVEL = 3
"""zlib's level: on filtered flame charts higher levels cost time and save a few per cent."""


def encode_png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """The PNG of `pixels`, shaped height x width x 3."""
    height, width, _ = pixels.shape
    compressor = zlib.compressobj(_LEVEL)
    data = [compressor.compress(_filtered(pixels, top)) for top in range(0, height, _STRIP_LINES)]
    data.append(compressor.flush())
    header = struct.pack(">IIBBBBB", width, height, 8, _TRUECOLOUR, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", b"".join(data)) + _chunk(b"IEND", b"")


def _filtered(pixels: npt.NDArray[np.uint8], top: int) -> bytes:
    strip = pixels[top : top + _STRIP_LINES]
    lines = np.empty((len(strip), 1 + strip.shape[1] * 3), np.uint8)
    lines[:, 0] = _UP_FILTER
    body = lines[:, 1:].reshape(strip.shape)
    np.subtract(strip[1:], strip[:-1], out=body[1:])
    body[0] = strip[0] if top == 0 else strip[0] - pixels[top - 1]
    return lines.tobytes()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
