"""One trace event, and the names that events give to processes and threads."""

from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

ThreadKey = tuple[str, str]
"""Process and thread id as text: producers write numbers, numbers as text, and words ("PyTorch Profiler")."""


class Event(msgspec.Struct, gc=False):
    """Fields as they stand in the file: producers disagree on their types. `args` is not decoded."""

    ph: str = ""
    name: Any = None
    cat: Any = None
    ts: float | int | str | None = None
    dur: float | int | str | None = None
    tdur: float | int | str | None = None
    pid: Any = None
    tid: Any = None
    id: Any = None
    args: msgspec.Raw = msgspec.Raw()

    @property
    def thread(self) -> ThreadKey:
        return id_text(self.pid), id_text(self.tid)


class Named(msgspec.Struct):
    name: Any = None


@dataclass(slots=True)
class Threads:
    """Names from metadata events."""

    processes: dict[str, str] = field(default_factory=dict)
    threads: dict[ThreadKey, str] = field(default_factory=dict)

    @classmethod
    def of(cls, events: list[Event]) -> Self:
        """The names that these events give."""
        names = cls()
        for event in events:
            if event.ph == "M" and event.name in {"process_name", "thread_name"} and event.args:
                name = msgspec.json.decode(event.args, type=Named).name
                if not isinstance(name, str) or not name:
                    continue
                if event.name == "process_name":
                    names.processes[id_text(event.pid)] = name
                else:
                    names.threads[event.thread] = name
        return names

    def short_name(self, key: ThreadKey) -> str:
        """The thread's name, with its process where other processes have a thread of that name."""
        name = self.threads.get(key)
        if name is None:
            return f"pid {key[0]}, tid {key[1]}"
        return name if list(self.threads.values()).count(name) == 1 else f"{name} (pid {key[0]})"

    def full_name(self, key: ThreadKey) -> str:
        """Process and thread, by name where they have one."""
        process, thread = self.processes.get(key[0]), self.threads.get(key)
        if process and thread:
            return f"{process} (pid {key[0]}), {thread} (tid {key[1]})"
        if process or thread:
            return f"{process or thread} (pid {key[0]}, tid {key[1]})"
        return f"pid {key[0]}, tid {key[1]}"


def id_text(ident: Any) -> str:
    """A process or thread id as text; 0 where the event has none."""
    if ident is None:
        return "0"
    if isinstance(ident, float) and ident.is_integer():
        return str(int(ident))
    return str(ident)
