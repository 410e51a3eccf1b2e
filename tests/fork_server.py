"""A process that has imported what our programs import, and forks one whenever it is asked: to import it anew would
take each of a thousand processes 0.2 to 2 s of processor time.

`python -m tests.fork_server 5 module ...` takes requests from socket 5, until that is closed. What it forks is a child
of whoever started it, as if they had started it themselves.
"""

import ctypes
import gc
import importlib
import io
import json
import os
import platform
import runpy
import signal
import socket
import sys
from types import ModuleType
from typing import Any

CLONE_PARENT = 0x8000
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
"""The number of the system call."""

MOST_BYTES = 200_000
MOST_FILES = 1_024


def main() -> None:
    """Answer each request with the process id of what was forked, 0 where that was not possible."""
    asked_for = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        request, files, _, _ = socket.recv_fds(asked_for, MOST_BYTES, 3)
        if not request:
            return
        process = _forked()
        if process == 0:
            asked_for.close()
            gc.unfreeze()
            _run(json.loads(request), files)
            return
        for file in files:
            os.close(file)
        asked_for.send(str(max(process, 0)).encode())


def _forked() -> int:
    """As `os.fork`, but the parent of the new process is this one's parent."""
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    process: int = python.syscall(CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if process == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return process


def _run(request: dict[str, Any], files: list[int]) -> None:
    """Be the process that was asked for: its streams, environment, folder and arguments, then its program."""
    for stream, file in enumerate(files):
        os.dup2(file, stream)
    os.closerange(3, MOST_FILES)
    if request["start_new_session"]:
        os.setsid()
    os.environ.clear()
    os.environ.update(request["env"])
    if request["cwd"] is not None:
        os.chdir(request["cwd"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["unbuffered"]:
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "wb", closefd=False), write_through=True)
    sys.argv = ["-c", *request["arguments"]]
    sys.path[0] = ""
    if request["module"] is not None:
        del sys.modules[request["module"]]  # a program is `__main__`, and no module besides
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    else:
        program = sys.modules["__main__"] = ModuleType("__main__")
        exec(request["code"], program.__dict__)


if __name__ == "__main__":
    main()
