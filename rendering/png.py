"""Pixels to PNG (ISO/IEC 15948), 8-bit truecolour, one deflate stream (RFC 1950, RFC 1951).

Rows of boxes repeat vertically: most lines equal the one above. Such a line is, after the Up filter, nothing but zeros,
so the bits for so many of them are made once and put between the others, and only what is new is compressed. Other
lines take the filter, Up or Sub, that leaves fewer bytes. No time or text is stored: the same pixels give the same
bytes.
"""

import struct
import zlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SUB_FILTER = 1
_UP_FILTER = 2
_TRUECOLOUR = 2
_RAW = -15
"""zlib's word for a deflate stream without header and checksum."""
_ZLIB_HEADER = b"\x78\x01"
_LAST_BLOCK = b"\x03\x00"
"""An empty final block with fixed codes."""
_MODULUS = 65_521
"""Of Adler-32 (RFC 1950, 8.2)."""
_MAX_LINES = 32
"""Lines looked at together: what they need besides stays in the processor's cache."""
_LEVEL = 3
"""zlib's level: on filtered flame charts higher levels cost time and save a few per cent."""


def encode_png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """The PNG of `pixels`, shaped height x width x 3."""
    height, width, _ = pixels.shape
    lines = pixels.reshape(height, -1)
    fresh = np.flatnonzero(_differs_from_above(lines))
    repeated = (np.diff(fresh, append=height) - 1).tolist()
    compressor = zlib.compressobj(_LEVEL, wbits=_RAW)
    data, checksum = [_ZLIB_HEADER], 1
    for begin in range(0, len(fresh), _MAX_LINES):
        batch = _filtered(lines, fresh[begin : begin + _MAX_LINES])
        first = 0
        for at in range(len(batch)):
            count = repeated[begin + at]
            if not count and at + 1 < len(batch):
                continue
            plain = batch[first : at + 1].tobytes()
            first = at + 1
            checksum = zlib.adler32(plain, checksum)
            data.append(compressor.compress(plain))
            if count:
                piece, sum_of_piece, size = _repeated_lines(lines.shape[1], count)
                data += [compressor.flush(zlib.Z_FULL_FLUSH), piece]  # what follows refers to nothing before
                checksum = _joined_checksum(checksum, sum_of_piece, size)
    data.append(compressor.flush(zlib.Z_FULL_FLUSH))
    data += [_LAST_BLOCK, struct.pack(">I", checksum)]
    header = struct.pack(">IIBBBBB", width, height, 8, _TRUECOLOUR, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", b"".join(data)) + _chunk(b"IEND", b"")


def _differs_from_above(lines: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    words = lines.view(np.uint64) if lines.shape[1] % 8 == 0 and lines.flags.c_contiguous else lines
    differs = np.ones(len(lines), bool)
    for top in range(1, len(lines), _MAX_LINES):
        part = slice(top, top + _MAX_LINES)
        differs[part] = (words[part] != words[top - 1 : top - 1 + len(words[part])]).any(axis=1)
    return differs


def _filtered(lines: npt.NDArray[np.uint8], chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The chosen lines with their filters, one row a line."""
    part = lines[chosen]
    up = part - np.where((chosen > 0)[:, np.newaxis], lines[np.maximum(chosen - 1, 0)], np.uint8(0))
    part[:, 3:] -= part[:, :-3].copy()
    better = np.count_nonzero(part, axis=1) < np.count_nonzero(up, axis=1)
    out = np.empty((len(part), 1 + lines.shape[1]), np.uint8)
    out[:, 0] = np.where(better, _SUB_FILTER, _UP_FILTER)
    out[:, 1:] = np.where(better[:, np.newaxis], part, up)
    return out


@lru_cache(maxsize=256)
def _repeated_lines(size: int, count: int) -> tuple[bytes, int, int]:
    """Deflate blocks of `count` lines of `size` bytes that equal the one above, their Adler-32 and length."""
    plain = (bytes([_UP_FILTER]) + bytes(size)) * count
    compressor = zlib.compressobj(9, wbits=_RAW)
    return compressor.compress(plain) + compressor.flush(zlib.Z_FULL_FLUSH), zlib.adler32(plain), len(plain)


def _joined_checksum(first: int, second: int, second_length: int) -> int:
    """Adler-32 of two texts one after the other, from theirs."""
    low = ((first & 0xFFFF) + (second & 0xFFFF) - 1) % _MODULUS
    high = ((first >> 16) + (second >> 16) + second_length * ((first & 0xFFFF) - 1)) % _MODULUS
    return high << 16 | low


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
