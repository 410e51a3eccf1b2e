"""What a thread is for, by its name or its numbers.

The names are those that the systems give their own threads: Chromium (base/threading, content/renderer), Firefox
(GeckoMain and its thread pools), Android (RenderThread, HeapTaskDaemon), the JVM (HotSpot's GC and compiler threads),
.NET, Go, Node's pool, CPython's threading, the kernel threads of Linux.
"""

import re

from traces.values import Role, RoleRule

BY_NAME = re.compile(
    "|".join(
        f"(?P<{role}>{pattern})"
        for role, pattern in (
            (Role.KERNEL, r"swapper|kworker|ksoftirqd|kthreadd|kswapd|rcu_|migration/|irq/"),
            (Role.COMPOSITOR, r"compositor|compositortilework"),
            (Role.GPU, r"crgpumain|chrome_inprocgpu|vizcompositor|gpu \d|gpu_|stream \d"),
            (
                Role.GC,
                r"gc (?:thread|task|slave)|g1 |concgc|cms |zgc|shenandoah|heaptaskdaemon|gctaskthread|\.net .*gc|bgc",
            ),
            (Role.MAIN, r"crrenderermain|geckomain|mainthread|main thread|main$|main\b(?! loop)"),
            (Role.UI, r"crbrowsermain|renderthread|ui thread|uithread|awt-eventqueue|javafx application"),
            (
                Role.IO,
                r"chrome_(?:child)?iothread|(?:^|\b)io\b.*thread|iothread|io$|ipc i/o|socket thread|network|cache2 i/o",
            ),
            (
                Role.POOL,
                r"threadpool|thread pool|forkjoin|tokio|pool-\d|\.net tp|libuv-worker|taskcontroller|stylethread",
            ),
            (Role.WORKER, r"dedicatedworker|dom worker|serviceworker|web ?worker|worker"),
        )
    ),
    re.IGNORECASE,
)
"""Asked in this order: `ThreadPoolForegroundWorker` belongs to a pool, not to one kind of work."""
NUMBERED = "pid "
"""How the name of a thread begins that has none."""
TASKS = " tasks"
"""What importers add to the name of a thread whose calls are recorded with its samples."""


def role_of(name: str, pid: str, tid: str, *, is_main: bool = False) -> tuple[Role, RoleRule]:
    """The role of a thread, and by what it was recognised.

    What the file says of it (`is_main`) wins over its name, and that over numbers: the thread whose number is its
    process's is the main one on Linux, unless it says that it is something else.
    """
    if is_main:
        return Role.MAIN, RoleRule.METADATA
    full = name.removesuffix(TASKS)
    last = full.rpartition(", ")[2]
    thread = full if last.startswith("tid ") else last  # of `comm (pid 1, tid 2)` and `Process (pid 1), Thread`
    found = None if thread.startswith(NUMBERED) else BY_NAME.match(thread)
    if found is not None and found.lastgroup is not None:
        return Role(found.lastgroup), RoleRule.NAME
    if pid and pid == tid:
        return Role.MAIN, RoleRule.PID_IS_TID
    return Role.UNKNOWN, RoleRule.NONE
