"""Ruby: the gem stackprof, loaded before the program, or the gem vernier, which starts it."""

from pathlib import Path

from server.recording.recorder import Plan, Recorder, Request, What

HOOK = Path(__file__).parents[1] / "in_child" / "ruby_hook.rb"
MODES = {What.CPU: "cpu", What.WALL: "wall", What.MEMORY: "object"}


def _stackprof(request: Request) -> Plan | None:
    if request.command.name != "ruby" or len(request.command.argv) == 1 or request.what not in MODES:
        return None
    ruby, *words = request.command.argv
    file = f"{request.folder}/recording.stackprof.json"
    return Plan(
        argv=(ruby, "-r", str(HOOK), *words),
        environment={"FLAMECHAT_STACKPROF_FILE": file, "FLAMECHAT_STACKPROF_MODE": MODES[request.what]},
        leaves="*.stackprof.json",
    )


def _vernier(request: Request) -> Plan | None:
    if request.command.name != "ruby" or len(request.command.argv) == 1 or request.what is not What.WALL:
        return None
    file = f"{request.folder}/recording.vernier.json"
    return Plan(argv=("vernier", "run", "--output", file, "--", *request.command.argv), leaves="*.vernier.json")


RECORDERS = (
    Recorder(
        name="stackprof",
        of="Ruby",
        records=frozenset(MODES),
        plan=_stackprof,
        probe=("ruby", "-r", "stackprof", "-e", ""),
        probed_in_program=True,
        found_after="gem install stackprof",
        merit="it samples from inside",
    ),
    Recorder(
        name="vernier",
        of="Ruby",
        records=frozenset({What.WALL}),
        plan=_vernier,
        probe=("vernier", "--help"),
        found_after="gem install vernier",
        merit="it samples all threads, with what they wait for",
    ),
)
