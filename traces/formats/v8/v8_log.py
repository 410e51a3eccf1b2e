"""What `node --prof` writes: V8's own log, or what `node --prof-process --preprocess` makes of it.

The log names code as V8 makes, moves and deletes it, then counts addresses; reading it means replaying that. Its events
are those of V8's tools/tickprocessor.mjs; times are microseconds although that calls them nanoseconds.
"""

import csv
import re
from dataclasses import dataclass, field

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.time_units import nanoseconds
from traces.formats.v8.code_map import CodeMap
from traces.losses import LOST
from traces.model import NONE
from traces.stacks import StackTable

GC_STATE, IDLE_STATE = 1, 8
PREFIXES = {
    "LoadIC": "(IC) ",
    "StoreIC": "(IC) ",
    "KeyedStoreIC": "(IC) ",
    "KeyedLoadIC": "(IC) ",
    "LoadGlobalIC": "(IC) ",
    "Handler": "(IC) ",
    "BytecodeHandler": "(bytecode) ~",
    "Stub": "(stub) ",
    "Builtin": "(builtin) ",
    "RegExp": "(regexp) ",
}
FUNCTION = re.compile(r"((?:(?:get|set|static|async|bound) ){0,8}[^ /]*) (.*):(\d+):(\d+)", re.DOTALL)
SYMBOL = re.compile(r"[tT] ([^(<]*)")
ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)


class Code(msgspec.Struct, gc=False):
    name: str = ""
    type: str = ""
    kind: str = ""


class Tick(msgspec.Struct, gc=False):
    """`s` holds pairs, innermost first: which code, and how far into it; -1 and an address where no code is known."""

    tm: int | float
    s: list[int]
    vm: int = 0


class File(msgspec.Struct):
    code: list[Code | None]
    ticks: list[Tick]


@dataclass(slots=True)
class Log:
    """A raw log while it is replayed."""

    code: list[Code | None] = field(default_factory=list)
    ticks: list[Tick] = field(default_factory=list)
    map: CodeMap = field(default_factory=CodeMap)
    unread: int = 0
    overflows: int = 0


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. A tick is charged the time since the tick before it. Raises DamagedTrace."""
    if bytes(content[:256]).lstrip()[:1] == b"{":
        file = msgspec.json.decode(content, type=File)
    else:
        file = _replay(str(content, "utf-8", "replace"), builder)
    ticks = sorted(file.ticks, key=lambda tick: tick.tm)
    try:
        ends = nanoseconds([tick.tm for tick in ticks], 1_000)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    collector = builder.frame("(garbage collector)", category="gc")
    frames: dict[int, int] = {}
    stacks = StackTable()
    leaves = []
    for tick in ticks:
        leaf = NONE
        for code in reversed(tick.s[::2]):
            if code == -1 or tick.vm == IDLE_STATE:
                continue
            frame = frames.get(code)
            if frame is None:
                frame = frames[code] = _frame(code, file.code, builder)
            leaf = stacks.child(leaf, frame)
        leaves.append(stacks.child(leaf, collector) if tick.vm == GC_STATE else leaf)
    weights = np.diff(ends, prepend=0)
    builder.add_sampled(builder.name, stacks, leaves, [weights], time=ends - weights, axis_start=0)


def _frame(ident: int, codes: list[Code | None], builder: TraceBuilder) -> int:
    code = codes[ident] if 0 <= ident < len(codes) else None
    if code is None:
        return builder.frame(f"0x{ident:x}" if ident >= len(codes) else "(unknown type)")
    if code.type == "JS":
        place = FUNCTION.fullmatch(code.name)
        if place is None:
            return builder.frame(code.name.strip() or "(anonymous)")
        name, file, line, column = place[1], place[2] or None, int(place[3]), int(place[4])
        anonymous = f"(anonymous {file.rsplit('/', 1)[-1]}:{line})" if file else "(anonymous)"
        return builder.frame(name or anonymous, file, line, column)
    if code.type == "CPP":
        symbol = SYMBOL.search(code.name)
        return builder.frame(f"(c++) {symbol[1]}" if symbol else code.name, category="native")
    if code.type == "SHARED_LIB":
        return builder.frame(f"(LIB) {code.name}", category="native")
    prefix = PREFIXES.get(code.kind, "") if code.type == "CODE" else f"({code.type}) "
    return builder.frame(prefix + code.name)


def _replay(text: str, builder: TraceBuilder) -> File:
    log = Log()
    for line in text.split("\n"):
        event, _, rest = line.rstrip("\r").partition(",")
        handle = EVENTS.get(event)
        if handle is None:
            continue
        try:
            handle(log, next(csv.reader([rest])) if '"' in rest else rest.split(","))
        except (ValueError, IndexError, csv.Error):
            log.unread += 1
    builder.warn("unread_lines", "lines of the log that are cut or malformed were skipped", log.unread)
    builder.warn(LOST, "times samples were lost while recording, as V8's buffer was full", log.overflows)
    return File(log.code, log.ticks)


def _shared_library(log: Log, fields: list[str]) -> None:
    path, start, end = _unescaped(fields[0]), int(fields[1], 16), int(fields[2], 16)
    log.map.add_library(start, end, len(log.code))
    log.code.append(Code(path, "SHARED_LIB"))


def _code_creation(log: Log, fields: list[str]) -> None:
    # kind, number of that kind, [time,] start, size, name[, address of the function, state]
    kind = fields[0]
    at = 2 if fields[2].startswith("0x") else 3
    start, size, name = int(fields[at], 16), int(fields[at + 1]), _unescaped(fields[at + 2])
    log.map.add(start, size, len(log.code))
    log.code.append(Code(name, "JS" if len(fields) > at + 3 else "CODE", kind))


def _code_move(log: Log, fields: list[str]) -> None:
    log.map.move(int(fields[0], 16), int(fields[1], 16))


def _code_delete(log: Log, fields: list[str]) -> None:
    log.map.remove(int(fields[0], 16))


def _tick(log: Log, fields: list[str]) -> None:
    # program counter, time, inside a callback of the embedder?, that callback or the top of the stack, state, stack
    counter, time, state = int(fields[0], 16), int(fields[1]), int(fields[4])
    function = int(fields[3], 16)
    if int(fields[2]):
        # The counter may lie anywhere in the callback's code; what counts is that it is this callback.
        counter, function = function, 0
    addresses = [counter]
    found = log.map.find(function) if function else -1
    if found >= 0 and (code := log.code[found]) is not None and code.type == "JS":
        addresses.append(function)
    last = counter
    for step in fields[5:]:
        if step.startswith("o"):  # "overflow": ticks before this one found V8's buffer full
            log.overflows += 1
            continue
        last = (last if step[0] in "+-" else 0) + int(step, 16)
        addresses.append(last)
    stack: list[int] = []
    for address in addresses:
        stack += (log.map.find(address), address)
    log.ticks.append(Tick(time, stack, state))


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else {"n": "\n", "t": "\t", "r": "\r"}.get(match[3], match[3])

    return ESCAPE.sub(character, text) if "\\" in text else text


EVENTS = {
    "shared-library": _shared_library,
    "code-creation": _code_creation,
    "code-move": _code_move,
    "code-delete": _code_delete,
    "tick": _tick,
}
