"""`perf script` text as columns: lines of frames and the lines between them. In C: perf.c."""

import ctypes
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.library import Buffer, NamesStruct, call, kernels, raise_for, take
from traces.kernels.lines import lines_of

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
ADDRESS = re.compile(rb"[0-9a-f]{1,16}")
OFFSET = re.compile(rb"\+0x[0-9a-f]{1,16}$")
DELETED = b" (deleted))"
SPACE = b" \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Blocks:
    """A header is a line that is neither a frame, blank nor a comment; `ends[i]` frames stand before header `i + 1`, of
    which the first `stray` stand before any header. A frame is a symbol, without the offset into it, and an object."""

    header_offset: Int64
    header_length: Int32
    ends: Int64
    symbol: Int32
    object: Int32
    symbols: tuple[bytes, ...]
    objects: tuple[bytes, ...]
    stray: int


def frame_parts(line: bytes) -> tuple[bytes, bytes] | None:
    """Symbol and object of a line of a stack; symbols may hold parentheses, names of objects as good as never."""
    line = line.strip(SPACE)
    if line[-1:] != b")":
        return None
    cut = line.rfind(b" (")
    if line.endswith(DELETED):
        cut = line.rfind(b" (", 0, max(cut, 0))
    address, _, symbol = line[: max(cut, 0)].partition(b" ")
    if ADDRESS.fullmatch(address) is None or not symbol:
        return None
    return OFFSET.sub(b"", symbol), line[cut + 2 : -1]


def scan_blocks(data: Buffer) -> Blocks:
    """All frames and headers of a text; lines that begin with # are comments."""
    library = kernels()
    if library is None:
        return scan_blocks_reference(data)
    source = np.frombuffer(data, np.uint8)
    blocks = _BlocksStruct()
    try:
        raise_for(call(library.scan_blocks, source, len(source), blocks), 0)
        return Blocks(
            take(library, blocks, "header_offset", blocks.count, np.int64),
            take(library, blocks, "header_length", blocks.count, np.int32),
            take(library, blocks, "ends", blocks.count, np.int64),
            take(library, blocks, "symbol", blocks.frame_count, np.int32),
            take(library, blocks, "object", blocks.frame_count, np.int32),
            blocks.symbols.texts(source),
            blocks.objects.texts(source),
            blocks.stray,
        )
    finally:
        call(library.forget_blocks, blocks)


class _BlocksStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("header_offset", "ends", "header_length", "symbol", "object")),
        *((name, ctypes.c_int64) for name in ("offset_room", "end_room", "length_room", "symbol_room", "object_room")),
        *((name, ctypes.c_int64) for name in ("count", "frame_count", "stray")),
        ("symbols", NamesStruct),
        ("objects", NamesStruct),
    )


def scan_blocks_reference(data: Buffer) -> Blocks:
    """The same, a line at a time."""
    headers: list[tuple[int, int]] = []
    ends: list[int] = []
    frames: list[tuple[int, int]] = []
    symbols: dict[bytes, int] = {}
    objects: dict[bytes, int] = {}
    known: dict[bytes, tuple[int, int]] = {}
    stray = position = 0
    for line in lines_of(memoryview(data).cast("B")):
        frame = known.get(line)
        if frame is None and (parts := frame_parts(line)) is not None:
            symbol, thing = parts
            frame = known[line] = symbols.setdefault(symbol, len(symbols)), objects.setdefault(thing, len(objects))
        if frame is not None:
            frames.append(frame)
            if ends:
                ends[-1] = len(frames)
            else:
                stray = len(frames)
        elif (text := line.strip(SPACE)) and text[:1] != b"#":
            headers.append((position + len(line) - len(line.lstrip(SPACE)), len(text)))
            ends.append(len(frames))
        position += len(line) + 1
    places = np.array(headers, np.int64).reshape(-1, 2)
    rows = np.array(frames, np.int32).reshape(-1, 2)
    return Blocks(
        places[:, 0].copy(),
        places[:, 1].astype(np.int32),
        np.array(ends, np.int64),
        rows[:, 0].copy(),
        rows[:, 1].copy(),
        tuple(symbols),
        tuple(objects),
        stray,
    )
