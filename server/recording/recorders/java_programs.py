"""Java: the Flight Recorder of the JVM itself."""

from pathlib import Path

from server.recording.recorder import Plan, Recorder, Request, What

SETTINGS = Path(__file__).parents[1] / "in_child" / "flight_recorder.jfc"
"""Without environment, arguments and other processes, which the JDK's own settings keep; allocations from Java 16."""


def _flight_recorder(request: Request) -> Plan | None:
    """`-XX:StartFlightRecording` with our settings; the line that it prints is turned off."""
    if request.command.name != "java" or len(request.command.argv) == 1:
        return None
    java, *words = request.command.argv
    file = f"{request.folder}/recording.jfr"
    started = f"-XX:StartFlightRecording=filename={file},settings={SETTINGS},dumponexit=true"
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
