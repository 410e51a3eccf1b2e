"""Runs inside the recorded program's own Python, 3.6 or newer: `python_profile.py FILE file|-m|-c TARGET [ARGUMENT]...`
runs the target as Python would, under cProfile, and writes the profile to FILE however the target ends, with its exit
code. It imports the standard library alone.

`python -m cProfile` would turn a failing program's exit code into 0, and knows no `-c`.
"""

import builtins
import cProfile
import os
import pstats
import runpy
import signal
import sys
import threading
import types

CANNOT_OPEN = 2
"""Python's own exit code for a script that it cannot read."""


def _run(kind: str, target: str, profile: cProfile.Profile) -> None:
    """The target as `__main__`, profiled from its first line. Raises what it raises."""
    if kind == "-m":
        sys.path[0] = ""
        profile.enable()
        runpy.run_module(target, run_name="__main__", alter_sys=True)
        return
    module = types.ModuleType("__main__")
    vars(module)["__builtins__"] = builtins
    if kind == "-c":
        sys.path[0] = ""
        code = compile(target, "<string>", "exec")
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(target))  # noqa: PTH120  as Python fills it
        path = os.path.abspath(target)  # noqa: PTH100  as Python names it since 3.9
        vars(module)["__file__"] = path
        try:
            with open(target, "rb") as file:  # noqa: PTH123  the program's own path, as it was given
                source = file.read()
        except OSError as error:
            sys.stderr.write(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n")
            sys.exit(CANNOT_OPEN)
        code = compile(source, path, "exec")
    sys.modules["__main__"] = module
    profile.enable()
    exec(code, vars(module))  # noqa: S102  the program that was asked for


def _show_without_our_frames(
    _: "type[BaseException]", error: BaseException, trace: "types.TracebackType | None"
) -> None:
    """As Python prints an error that nobody caught, from the program's own first frame."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(type(error), error.with_traceback(trace), trace)


def main() -> None:
    """Run and write; the profile of a process that was forked off is not written. Raises what the target raises."""
    output, kind, target = sys.argv[1:4]
    sys.argv[:] = ["-c" if kind == "-c" else target, *sys.argv[4:]]
    profiles = [cProfile.Profile()]
    process = os.getpid()

    def profile_thread(*_: object) -> None:
        profiles.append(cProfile.Profile())
        profiles[-1].enable()

    if sys.version_info < (3, 12):  # from then on one profiler sees all threads
        threading.setprofile(profile_thread)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    sys.excepthook = _show_without_our_frames
    try:
        _run(kind, target, profiles[0])
    finally:
        profiles[0].disable()
        threading.setprofile(None)
        if os.getpid() == process:
            _write(profiles, output)


def _write(profiles: "list[cProfile.Profile]", output: str) -> None:
    profiles[0].create_stats()
    if not profiles[0].stats:  # nothing ran: the file is not there, or is no Python
        return
    total = pstats.Stats(profiles[0])
    for profile in profiles[1:]:
        profile.create_stats()
        if profile.stats:
            total.add(profile)
    total.dump_stats(output)


if __name__ == "__main__":
    main()
