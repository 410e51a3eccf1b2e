"""`make bench [FILES]`: CPU seconds of each step from bytes to answers and a picture, with machine and versions.

Each file is measured in a process of its own: the import once, as a new upload meets it, the questions best of three.
Files are the fixtures and, where FLAMECHAT_SHARED names their folder, the large traces. With BENCH_SPEEDSCOPE set to a
Node script that imports one file with speedscope (`node SCRIPT FILE`), its CPU time and the ratio stand beside ours.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from bench.measure import STEPS, decompressed, measure
from bench.rendering import print_rendering
from traces.cache import ENGINE_VERSION

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("FLAMECHAT_SHARED", ROOT.parent / "shared"))
TIMEOUT_S = 900


def traces() -> list[Path]:
    truths = json.loads((ROOT / "fixtures" / "truth.json").read_text(encoding="utf-8"))
    large = sorted((SHARED / "traces").glob("*")) if (SHARED / "traces").is_dir() else []
    return [ROOT / "fixtures" / truth["file"] for truth in truths] + large


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def print_machine() -> None:
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, {load}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "msgspec", "pillow"))
    print(f"engine {ENGINE_VERSION}, Python {platform.python_version()}, {packages}")


def in_own_process(path: Path) -> dict[str, float] | str:
    """Seconds of CPU by step, `MB` of content and `peak MB` of the process, or why there is nothing to show."""
    command = [sys.executable, "-m", "bench", "--one", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    result: dict[str, float] = json.loads(done.stdout)
    return result


def speedscope_seconds(script: str, path: Path) -> float | None:
    """CPU seconds of `node SCRIPT` on the decompressed file, None when it fails."""
    import resource

    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / path.name.removesuffix(".gz")
        plain.write_bytes(decompressed(path))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["node", script, str(plain)], capture_output=True, timeout=TIMEOUT_S, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds if done.returncode == 0 else None


def row(path: Path, script: str | None, width: int) -> str:
    ours = in_own_process(path)
    if isinstance(ours, str):
        return f"{path.name:{width}} {ours}"
    cells = [f"{ours['MB']:7.1f}", *(f"{ours[step]:11.4f}" for step in STEPS), f"{ours['peak MB']:8.0f}"]
    if script is not None:
        theirs = speedscope_seconds(script, path)
        whole = ours["import"] + ours["functions"] + ours["call tree"]
        cells.append("    failed" if theirs is None else f"{theirs:10.2f} {theirs / whole:6.0f}x")
    return f"{path.name:{width}} " + " ".join(cells)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(Path(arguments[1]))))
        return
    paths = [Path(argument).resolve() for argument in arguments] or traces()
    script = os.environ.get("BENCH_SPEEDSCOPE")
    print_machine()
    if not (SHARED / "traces").is_dir():
        print(f"large traces: none at {SHARED / 'traces'}; FLAMECHAT_SHARED names the folder that holds them")
    beside = f"node {script}" if script else "not run; BENCH_SPEEDSCOPE names the Node script that imports one file"
    print(f"speedscope: {beside}")
    print(
        "CPU seconds; MB of decompressed content; import holds the hash of the content, decompression is not counted\n"
    )
    width = max(len(path.name) for path in paths)
    theirs = f" {'speedscope':>10} {'ratio':>7}" if script else ""
    print(f"{'file':{width}} {'MB':>7} " + " ".join(f"{step:>11}" for step in STEPS) + f" {'peak MB':>8}{theirs}")
    for path in paths:
        print(row(path, script, width), flush=True)
    if not arguments:
        print_rendering()


main(sys.argv[1:])
