"""`flamechat record`, with its options."""

from pathlib import Path

import click

from server.edges.cli.command_values import RecordOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import FOLDER


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the command to the application."""

    @app.command(context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
    @click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] COMMAND [ARGUMENT]...")
    @click.option("--list", "listed", is_flag=True, help="Print which recorders are here, and how others would be.")
    @click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Interrupt the command after so long.")
    @click.option(
        "--what",
        type=click.Choice(("cpu", "wall", "memory", "locks")),
        default="cpu",
        help="Processor time, elapsed time with its waits, allocations, or waits for locks.",
    )
    @click.option(
        "--url",
        help="Record this page in a new browser without a window, or a Go program at its /debug/pprof.",
    )
    @click.option("--reload", is_flag=True, help="Of a page: its second load, with a warm cache.")
    @click.option("--throttle-cpu", type=click.FloatRange(min=1), help="Of a page: so many times slower a processor.")
    @click.option("--throttle-network", type=click.Choice(("slow-3g", "fast-3g")), help="Of a page: a slower network.")
    @click.option("--pid", type=click.IntRange(min=1), help="Record this running process of yours.")
    @click.option("--label", "labels", multiple=True, metavar="NAME=VALUE", help="Kept with the recording; repeat it.")
    @click.option("--recorder", help="This one, not the first that fits.")
    @click.option("--repeat", type=click.IntRange(1, 100), default=1, help="Record so many runs, one after the other.")
    @click.option("--compare", metavar="LAST|LABEL", help="Say what changed since an earlier recording.")
    @click.option("--question", help="What you want to know of it.")
    @click.option("--answer/--no-answer", default=True, help="Print what the built-in analyst says of it.")
    @click.option("--data", type=FOLDER, help="The data folder; recordings are kept in it.")
    def record(
        command: tuple[str, ...],
        *,
        listed: bool,
        seconds: float | None,
        what: str,
        url: str | None,
        reload: bool,
        throttle_cpu: float | None,
        throttle_network: str | None,
        pid: int | None,
        labels: tuple[str, ...],
        recorder: str | None,
        repeat: int,
        compare: str | None,
        question: str | None,
        answer: bool,
        data: Path | None,
    ) -> None:
        """Run a command under the profiler that fits it, and say why it is slow.

        The command's output and exit code are untouched: all else goes to stderr. The recording stays on this machine.
        """
        from server.edges.cli import record as recording

        if listed:
            recording.print_recorders(entry_points.recorders())
            return
        if (bool(command), url is not None, pid is not None).count(True) != 1:
            raise click.UsageError("a command is needed (flamechat record -- python app.py), or --url, or --pid")
        options = RecordOptions(
            argv=command,
            what=what,
            seconds=seconds,
            labels=labels,
            recorder=recorder,
            compare=compare,
            url=url,
            reload=reload,
            slower_cpu=throttle_cpu,
            network=throttle_network,
            pid=pid,
            data=data,
        )
        recording.record(entry_points, options, question=question, answered=answer, runs=repeat)
