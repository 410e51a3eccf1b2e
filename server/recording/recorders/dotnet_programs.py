"""`.NET`: dotnet-trace, which starts the program and writes what its runtime says."""

from server.recording.recorder import Plan, Recorder, Request, What

PROFILES = {What.CPU: "cpu-sampling", What.MEMORY: "gc-verbose"}


def _dotnet_trace(request: Request) -> Plan | None:
    if request.command.name != "dotnet" or request.what not in PROFILES:
        return None
    tool = ("dotnet-trace", "collect", "--profile", PROFILES[request.what], "--show-child-io")
    output = ("--output", f"{request.folder}/recording.nettrace")
    return Plan(argv=(*tool, *output, "--", *request.command.argv), leaves="*.nettrace", program_below=1)


def _dotnet_trace_attached(request: Request) -> Plan | None:
    if request.command.name != "dotnet" or request.what not in PROFILES:
        return None
    tool = ("dotnet-trace", "collect", "--profile", PROFILES[request.what])
    seconds = int(request.seconds or 0)
    duration = ("--duration", f"{seconds // 86400}:{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}")
    output = ("--output", f"{request.folder}/recording.nettrace", "--process-id", "{pid}")
    return Plan(argv=(), attach=(*tool, *(duration if seconds else ()), *output), leaves="*.nettrace")


RECORDERS = (
    Recorder(
        name="dotnet-trace",
        of=".NET",
        records=frozenset(PROFILES),
        plan=_dotnet_trace,
        attached=_dotnet_trace_attached,
        probe=("dotnet-trace", "--version"),
        found_after="dotnet tool install --global dotnet-trace",
        merit="it asks the runtime, which samples all threads",
    ),
)
