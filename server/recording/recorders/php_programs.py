"""PHP: the extension Excimer samples, Xdebug counts every call. Both are loaded by PHP's own settings."""

from pathlib import Path

from server.recording.command import is_php
from server.recording.recorder import Plan, Recorder, Request, What

HOOK = Path(__file__).parents[1] / "in_child" / "php_hook.php"
"""Is not run for `php -r`: such a program has no recording by Excimer, and a signal cuts that of Xdebug."""


def _excimer(request: Request) -> Plan | None:
    if not is_php(request.command) or "-r" in request.command.argv:
        return None
    php, *words = request.command.argv
    file = f"{request.folder}/recording.speedscope.json"
    return Plan(
        argv=(php, "-d", f"auto_prepend_file={HOOK}", *words),
        environment={"FLAMECHAT_EXCIMER_FILE": file, "FLAMECHAT_EXCIMER_TYPE": str(request.what)},
        leaves="*.speedscope.json",
    )


def _xdebug(request: Request) -> Plan | None:
    if not is_php(request.command):
        return None
    php, *words = request.command.argv
    settings = {
        "xdebug.mode": "profile",
        "xdebug.start_with_request": "yes",
        "xdebug.output_dir": request.folder,
        "xdebug.profiler_output_name": "cachegrind.out.%p",
        "auto_prepend_file": str(HOOK),
    }
    options = [word for name, value in settings.items() for word in ("-d", f"{name}={value}")]
    return Plan(argv=(php, *options, *words), leaves="cachegrind.out.*")


def _needs(extension: str) -> tuple[str, ...]:
    return ("php", "-r", f"exit(extension_loaded('{extension}') ? 0 : 1);")


RECORDERS = (
    Recorder(
        name="Excimer",
        of="PHP",
        records=frozenset({What.CPU, What.WALL}),
        plan=_excimer,
        probe=_needs("excimer"),
        probed_in_program=True,
        found_after="apt install php-excimer",
        merit="it samples from inside",
    ),
    Recorder(
        name="Xdebug",
        of="PHP",
        records=frozenset({What.CPU, What.WALL}),
        plan=_xdebug,
        probe=_needs("xdebug"),
        probed_in_program=True,
        found_after="apt install php-xdebug",
        merit="it counts every call, which makes calls slower",
    ),
)
