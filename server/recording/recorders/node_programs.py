"""Node: V8's own profilers by `--cpu-prof` and `--heap-prof`; a hook that is loaded first ends the program in order
on a signal, which V8 needs to write its file.
"""

from pathlib import Path, PurePath

from server.recording.recorder import ADDED_TO, Plan, Recorder, Request, What

HOOK = Path(__file__).parents[1] / "in_child" / "node_hook.cjs"
STOP_FILE = "stop"
INTERVAL_US = 500
"""Between two samples: half of V8's own default, so that a second has 2,000."""

INTERVAL_BYTES = 65_536
"""Between two sampled allocations: an eighth of V8's own default."""

NAMES = frozenset({"node", "nodejs"})
BY_NODE = frozenset({"npm", "npx", "yarn", "pnpm"})
"""Programs that start Node themselves: it is reached through the environment."""


def _node(request: Request) -> Plan | None:
    if request.command.name not in NAMES or len(request.command.argv) == 1:
        return None
    node, *words = request.command.argv  # the files' names end with process, thread and number: the hook's is thread 1
    settings: tuple[str, ...]
    if request.what is What.MEMORY:
        settings = ("--heap-prof", f"--heap-prof-dir={request.folder}", f"--heap-prof-interval={INTERVAL_BYTES}")
    else:
        settings = ("--cpu-prof", f"--cpu-prof-dir={request.folder}", f"--cpu-prof-interval={INTERVAL_US}")
    return Plan(
        argv=(node, *settings, f"--require={HOOK}", *words),
        environment={"FLAMECHAT_NODE_STOP_FILE": f"{request.folder}/{STOP_FILE}"},
        stop_file=STOP_FILE,
        leaves=f"*.*.*.*.[02-9]*.*.{'heapprofile' if request.what is What.MEMORY else 'cpuprofile'}",
    )


def _started_by_npm(request: Request) -> Plan | None:
    """Node's own variable has the hook, which profiles each process that `npm` and its kin start."""
    is_starter = {PurePath(word).stem.removesuffix("-cli") for word in request.command.argv[:2]} & BY_NODE
    if not is_starter or len(request.command.argv) == 1:
        return None
    return Plan(
        argv=request.command.argv,
        environment={
            "NODE_OPTIONS": f'{ADDED_TO} --require "{HOOK}"',
            "FLAMECHAT_NODE_STOP_FILE": f"{request.folder}/{STOP_FILE}",
            "FLAMECHAT_NODE_FOLDER": request.folder,
            "FLAMECHAT_NODE_WHAT": request.what,
            "FLAMECHAT_NODE_INTERVAL_US": str(INTERVAL_US),
        },
        stop_file=STOP_FILE,
        leaves="*.heapprofile" if request.what is What.MEMORY else "*.cpuprofile",
    )


RECORDERS = (
    Recorder(
        name="npm",
        of="Node",
        records=frozenset({What.CPU, What.WALL, What.MEMORY}),
        plan=_started_by_npm,
        probe=("node", "--version"),
        found_after="https://nodejs.org",
        merit="V8 samples each process that npm, npx, yarn or pnpm starts",
    ),
    Recorder(
        name="node",
        of="Node",
        records=frozenset({What.CPU, What.WALL, What.MEMORY}),
        plan=_node,
        probe=("node", "--version"),
        probed_in_program=True,
        found_after="https://nodejs.org",
        merit="V8 samples itself",
    ),
)
