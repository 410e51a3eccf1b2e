"""MOJO, the binary form that Austin 4 writes: strings and frames once, then stacks that refer to them.

Format: https://p403n1x87.github.io/austin (MOJO), versions 1 to 4. Numbers have their sign in bit 6 of the first byte,
bit 7 says that another follows. Keys of strings and frames hold for one process. Frames stand from the outermost; tasks
of asyncio are not read.
"""

from dataclasses import dataclass, field

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.formats.austin.austin import facts_of_mode, warn_of_errors
from traces.kernels.trees import paths_of_stacks
from traces.model import Values
from traces.values import Unit, ValueType

METADATA, STACK, FRAME, INVALID, REFERENCE, KERNEL, COLLECTING, IDLE, TIME, MEMORY, STRING, STRING_REFERENCE = range(
    1, 13
)
REPEAT, TASK_STACK, TASK_WAITER, TASK_RUNNING = range(13, 17)
UNKNOWN = "<unknown>"
MAX_DIGITS = 9
"""Bytes of a number: 63 bits."""
Place = tuple[str, str | None]


class BrokenFile(Exception):
    """The text says what is wrong."""


@dataclass(slots=True)
class Thread:
    """The samples of one thread; `frames` are numbers of `Reader.places`, a stack after the other."""

    pid: int
    name: str
    frames: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    busy: list[bool] = field(default_factory=list)
    last: list[int] = field(default_factory=list)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; samples lie end to end. Raises DamagedTrace."""
    reader = Reader(bytes(content))
    try:
        reader.read()
    except IndexError:
        builder.warn("cut", "the file breaks off; what came before was read")
    except BrokenFile as error:
        raise builder.damaged(f"{error}.") from error
    warn_of_errors(builder, reader.errors)
    builder.warn("invalid_frames", "frames that Austin could not read are missing", reader.invalid)
    frames = np.array([builder.frame(name, file, reader.line(name, file)) for name, file in reader.places], np.int32)
    facts = facts_of_mode(builder.facts, reader.mode)
    for thread in reader.threads.values():
        column = frames[np.array(thread.frames, np.int64)] if thread.frames else np.zeros(0, np.int32)
        paths = paths_of_stacks(column, np.array(thread.ends, np.int64), MAX_STACK_DEPTH)
        time, memory = np.array(thread.time, np.int64), np.array(thread.memory, np.int64)
        values, weights = _values(reader.mode, time * 1_000, memory, np.array(thread.busy, np.int64))
        name = f"pid {thread.pid}, thread {thread.name}"
        builder.add_sampled(
            name, paths, paths.leaf, weights, values=values, pid=str(thread.pid), tid=thread.name, facts=facts
        )


def _values(mode: str, time: Values, memory: Values, busy: Values) -> tuple[tuple[ValueType, ...], list[Values]]:
    wall, cpu = ValueType("wall time", Unit.NANOSECONDS), ValueType("CPU time", Unit.NANOSECONDS)
    bytes_of = (ValueType("allocated", Unit.BYTES), ValueType("freed", Unit.BYTES))
    changes: list[Values] = [memory.clip(0), (-memory).clip(0)]
    if mode == "memory":
        return bytes_of, changes
    if mode == "full":
        return (wall, cpu, *bytes_of), [time, time * busy, *changes]
    return (cpu if mode == "cpu" else wall,), [time]


class Reader:
    """One file while it is read."""

    def __init__(self, data: bytes) -> None:
        self.threads: dict[tuple[int, str], Thread] = {}
        self.places: list[Place] = []
        self.mode = "wall"
        self.errors = ""
        self.invalid = 0
        self._data = data
        self._at = 3
        self._numbers: dict[Place, int] = {}
        self._lowest: dict[Place, int] = {}
        self._strings: dict[tuple[int, int], str] = {}
        self._frames: dict[tuple[int, int], int] = {}
        self._sample: Thread | None = None
        self._stack: list[int] = []
        self._time = self._memory = self._foreign = 0
        self._idle = self._collecting = False

    def line(self, name: str, file: str | None) -> int | None:
        """The lowest line that a function was seen at."""
        return self._lowest.get((name, file)) or None

    def read(self) -> None:
        """Fill `threads` and `places`. Raises BrokenFile, or IndexError where the file breaks off."""
        version = self._number()
        try:
            while self._at < len(self._data):
                kind = self._data[self._at]
                self._at += 1
                if kind == REFERENCE:
                    self._refer(self._number())
                elif kind in {METADATA, STACK, FRAME, KERNEL, STRING}:
                    self._define(kind, version)
                else:
                    self._mark(kind)
        finally:
            self._end_sample()

    def _define(self, kind: int, version: int) -> None:
        if kind == METADATA:
            what, value = self._text(), self._text()
            self.mode = value if what == "mode" else self.mode
            self.errors = value if what == "errors" else self.errors
        elif kind == STACK:
            pid = self._number()
            if version >= 3:
                self._number()  # the interpreter
            thread = self._text()
            self._end_sample()
            self._sample = self.threads.setdefault((pid, thread), Thread(pid, thread))
        elif kind == FRAME:
            key, file, name, line = (self._number() for _ in range(4))
            for _ in range(3 if version > 1 else 0):
                self._number()  # where the line ends, and columns
            self._frames[self._key(key)] = self._place(self._string(name), self._string(file), line)
        elif kind == KERNEL:
            self._stack.append(self._place(self._text(), "[kernel]", 0))
        else:
            key = self._number()
            self._strings[self._key(key)] = self._text()

    def _mark(self, kind: int) -> None:
        if kind == TIME:
            self._time = self._number()
        elif kind == MEMORY:
            self._memory = self._number()
        elif kind == IDLE:
            self._idle = True
        elif kind == COLLECTING:
            self._collecting = True
        elif kind == INVALID:
            self.invalid += 1
        elif kind == REPEAT:
            self._repeat()
        elif kind == TASK_STACK:
            self._number(), self._number()
            self._foreign = max(0, self._number())
        elif kind == TASK_WAITER:
            self._number(), self._number()
        elif kind in {TASK_RUNNING, STRING_REFERENCE}:
            self._number()
        else:
            raise BrokenFile("it holds a kind of event that is not known")

    def _refer(self, key: int) -> None:
        frame = self._frames.get(self._key(key))
        if frame is None:
            raise BrokenFile("a stack refers to a frame that was not described")
        if self._foreign:
            self._foreign -= 1  # of a task, not of the sample
        else:
            self._stack.append(frame)

    def _repeat(self) -> None:
        """The thread's last stack without native code on top goes below what is new."""
        before = list(self._sample.last) if self._sample is not None else []
        while before and not _is_python(self.places[before[-1]][1]):
            before.pop()
        self._stack = before + self._stack

    def _end_sample(self) -> None:
        sample = self._sample
        if sample is not None:
            if self._time < 0:
                raise BrokenFile("a sample has a negative time")
            sample.last = self._stack
            sample.frames += self._stack
            if self._collecting:
                sample.frames.append(self._place("(garbage collector)", None, 0))
            sample.ends.append(len(sample.frames))
            sample.time.append(self._time)
            sample.memory.append(self._memory)
            sample.busy.append(not self._idle)
        self._sample = None
        self._stack = []
        self._time = self._memory = 0
        self._idle = self._collecting = False

    def _place(self, name: str, file: str | None, line: int) -> int:
        place = (name, file or None)
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self.places)
            self.places.append(place)
        if line > 0:
            self._lowest[place] = min(line, self._lowest.get(place, line))
        return number

    def _key(self, key: int) -> tuple[int, int]:
        if self._sample is None:
            raise BrokenFile("something is described before the first sample")
        return self._sample.pid, key

    def _string(self, key: int) -> str:
        if key == 1:
            return UNKNOWN
        text = self._strings.get(self._key(key), "" if key == 0 else None)
        if text is None:
            raise BrokenFile("a frame refers to a text that was not given")
        return text

    def _number(self) -> int:
        byte = self._data[self._at]
        self._at += 1
        number, negative, shift = byte & 0x3F, byte & 0x40, 6
        while byte & 0x80:
            if shift > 7 * MAX_DIGITS:
                raise BrokenFile("a number is too long")
            byte = self._data[self._at]
            self._at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
        if number >> 53:
            raise BrokenFile("a number is out of range")
        return -number if negative else number

    def _text(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise IndexError
        text = self._data[self._at : end].decode("utf-8", "replace")
        self._at = end + 1
        return text


def _is_python(file: str | None) -> bool:
    return file is not None and (file.endswith(".py") or (file[:1] == "<" and file[-1:] == ">"))
