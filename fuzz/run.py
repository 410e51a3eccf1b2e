"""Fuzz the kernels under the address and undefined-behaviour sanitizers: `python fuzz/run.py [seconds]`.

Each harness gets its share of the time. libFuzzer drives where clang is, our own mutations elsewhere. An input that
stops a harness is left in `fuzz/crashes/`; it belongs into `fuzz/corpus/` once the fault is repaired.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CRASHES = HERE / "crashes"
FLAGS = (
    "-std=c11",
    "-D_POSIX_C_SOURCE=200809L",
    "-g",
    "-O1",
    "-fwrapv",
    "-fno-omit-frame-pointer",
    "-fno-sanitize-recover=all",
)


def build(harness: Path, target: Path, *, clang: str | None) -> list[str]:
    """Compile one harness; returns the command that fuzzes with it, without its time."""
    sanitizers = "address,undefined" + (",fuzzer" if clang else "")
    sources = [str(harness)] if clang else [str(harness), str(HERE / "driver.c")]
    compiler = clang or shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SystemExit("make fuzz needs a C compiler: install gcc or clang")
    subprocess.run([compiler, *FLAGS, f"-fsanitize={sanitizers}", *sources, "-o", str(target)], check=True)
    return [str(target)]


def command(program: list[str], name: str, seconds: int, seed: int, *, clang: bool) -> list[str]:
    corpus, crash = str(HERE / "corpus" / name), str(CRASHES / f"{name}-{seed}")
    if clang:
        options = [f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=65536", f"-artifact_prefix={crash}-"]
        return [*program, *options, tempfile.mkdtemp(), corpus]
    return [*program, corpus, str(seconds), str(seed), crash]


def main(seconds: int) -> int:
    """Run all harnesses; returns 1 if one found a fault."""
    CRASHES.mkdir(exist_ok=True)
    clang = shutil.which("clang")
    harnesses = sorted(HERE.glob("*_fuzz.c"))
    share = max(1, seconds // len(harnesses))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for harness in harnesses:
            name = harness.stem.removesuffix("_fuzz")
            program = build(harness, Path(folder) / name, clang=clang)
            print(f"{name}: {share} s", flush=True)
            # Two at once, with seeds of their own: as many as the smallest machine has cores.
            runs = [subprocess.Popen(command(program, name, share, seed, clang=clang is not None)) for seed in (1, 2)]
            codes = [run.wait() for run in runs]
            failed |= any(codes)
    print(f"a fault was found: see {CRASHES}" if failed else "no fault was found")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FUZZ_SECONDS", "600"))))
