"""Java: the Flight Recorder of the JVM itself."""

from server.recording.recorder import Plan, Recorder, Request, What


def _flight_recorder(request: Request) -> Plan | None:
    """`-XX:StartFlightRecording` with the JDK's own settings for profiling; the line that it prints is turned off."""
    if request.command.name != "java" or len(request.command.argv) == 1:
        return None
    java, *words = request.command.argv
    file = f"{request.folder}/recording.jfr"
    started = f"-XX:StartFlightRecording=filename={file},settings=profile,dumponexit=true"
    return Plan(argv=(java, "-Xlog:jfr+startup=off", started, *words), leaves="*.jfr")


RECORDERS = (
    Recorder(
        name="JFR",
        of="Java",
        records=frozenset({What.CPU, What.MEMORY, What.LOCKS}),
        plan=_flight_recorder,
        probe=("java", "-version"),
        probed_in_program=True,
        found_after="apt install default-jdk-headless",
        merit="the JVM records itself",
    ),
)
