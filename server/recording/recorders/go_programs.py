"""Go: the profiles of `go test`; `go run` has none of its own, so that perf looks at the program that it builds."""

from server.recording.recorder import Plan, Recorder, Request, What
from server.recording.recorders.native_programs import PERF_PROBE, read_perf, record_perf

FLAGS = {What.CPU: "-cpuprofile", What.MEMORY: "-memprofile", What.LOCKS: "-mutexprofile"}

KEPT_SYMBOLS = "-ldflags=-s=false -w=false"
"""`go run` leaves them out, and perf would have no names."""


def _go_test(request: Request) -> Plan | None:
    """`-cpuprofile` and its kin; the test binary that Go keeps with a profile goes to the folder."""
    argv = request.command.argv
    if request.command.name != "go" or argv[1:2] != ("test",) or request.what not in FLAGS:
        return None
    profile = (FLAGS[request.what], f"{request.folder}/recording.pb.gz", "-o", f"{request.folder}/program.test")
    return Plan(argv=(*argv[:2], *profile, *argv[2:]), leaves="*.pb.gz", program_below=1)


def _go_run(request: Request) -> Plan | None:
    """`go run -exec`: the program is built as ever and started by perf; Go's frame pointers give the stacks."""
    argv = request.command.argv
    if request.command.name != "go" or argv[1:2] != ("run",):
        return None
    perf = " ".join(f"'{word}'" for word in record_perf(request.folder))  # as Go splits `-exec`
    return Plan(
        argv=(*argv[:2], KEPT_SYMBOLS, "-exec", perf, *argv[2:]),
        after=read_perf(request.folder),
        leaves="*.perf.txt",
        program_below=2,
    )


RECORDERS = (
    Recorder(
        name="go test",
        of="Go",
        records=frozenset(FLAGS),
        plan=_go_test,
        probe=("go", "version"),
        found_after="https://go.dev/dl",
        merit="Go's own profiles",
    ),
    Recorder(
        name="perf of go run",
        of="Go",
        records=frozenset({What.CPU}),
        plan=_go_run,
        probe=PERF_PROBE,
        found_after="apt install linux-perf",
        merit="the kernel samples the program that go run builds",
    ),
)
