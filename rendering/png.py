"""Pixels to PNG (ISO/IEC 15948), 8-bit truecolour.

Rows of boxes repeat vertically, so every line takes the Up filter: most become zeros, and looking for a better filter
costs more than it saves. No time or text is stored: the same pixels give the same bytes.
"""

import struct
from zlib import crc32

import numpy as np
import numpy.typing as npt
from isal import isal_zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_UP_FILTER = 2
_TRUECOLOUR = 2
_LEVEL = 1
"""isal's level: the next one costs as much and saves nothing on filtered flame charts."""


def encode_png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """The PNG of `pixels`, shaped height x width x 3."""
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _TRUECOLOUR, 0, 0, 0)
    data = isal_zlib.compress(_filtered(pixels.reshape(height, -1)), _LEVEL)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _filtered(lines: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Each line as its difference from the one above, behind the filter's number."""
    out = np.empty((len(lines), 1 + lines.shape[1]), np.uint8)
    out[:, 0] = _UP_FILTER
    out[:1, 1:] = lines[:1]
    np.subtract(lines[1:], lines[:-1], out=out[1:, 1:])
    return out


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))
