"""`python -m bench house`: the shape of the code. Modules and functions by size, imports inside functions, file names
that stand twice, how many units a folder holds, and house words left in names and comments.

`docs/glossary.md` says which words of the field stand in their place; `tests/architecture` holds the figures.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
PRODUCT = ("traces", "rendering", "limits", "server")
SOURCES = {".py", ".ts", ".tsx", ".c", ".h", ".sql"}
FOREIGN = re.compile(r"^(?:evals/cases|fixtures|supabase/migrations|web/src/protocol\.ts|server/page)(?:/|$)")
"""Recorded programs, which are data; migrations, which are append-only; what a build makes."""

HOUSE_WORDS = re.compile(
    r"told|tells?|telling|held|doors?|desks?|mend(?:s|ed|ing)?|whole|stretch(?:es|ed)?|wanted|begun|hears?|heard"
    r"|beside|surroundings?|remembering"
)
"""Words that no field uses in the sense they had here."""

MIRRORS = (
    (re.compile(r"__(?:init|main)__"), "every package"),
    (re.compile(r"errors|bounds"), "one a room"),
    (re.compile(r"functions|summary|compare"), "a command is named for the question that it prints"),
    (re.compile(r"sandwich|diff"), "a picture is named for the question that it draws"),
    (re.compile(r"collapsed|pprof|speedscope"), "a writer is named for the format that it writes, as its reader is"),
    (re.compile(r"library"), "the loader of each folder of kernels"),
)
"""File names that stand twice on purpose, with the reason. Adapters of one port are found by the port's name."""

LEVELS = {"traces/formats": 30, "server/agent": 18}
"""The most units (modules and folders) that one level of a folder and its sub-folders may hold."""


@dataclass(frozen=True, slots=True)
class Word:
    """A house word at a place: `in_name` where an identifier holds it, else a comment or docstring does."""

    word: str
    path: str
    line: int
    in_name: bool


def tracked() -> list[str]:
    """The sources that git tracks, without data."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [f for f in listed.split("\0") if f and PurePosixPath(f).suffix in SOURCES and not FOREIGN.match(f)]


def twice(files: Iterable[str]) -> dict[str, list[str]]:
    """Module names of the product that stand more than once beyond MIRRORS and the adapters of a port, with their
    paths.
    """
    places: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        path = PurePosixPath(file)
        if path.suffix == ".py" and path.parts[0] in PRODUCT:
            places[path.stem].append(file)
    adapted = {PurePosixPath(file).stem for file in files if file.startswith("server/ports/")}
    adapted |= {"tracing", "tool_context", "trace_records", "plans"}  # ports that live with the room that asks them
    return {
        stem: paths
        for stem, paths in sorted(places.items())
        if len(paths) > 1 and stem not in adapted and not any(name.fullmatch(stem) for name, _ in MIRRORS)
    }


def crowded(files: Iterable[str]) -> dict[str, int]:
    """Units in the fullest level of each folder of LEVELS."""
    units: defaultdict[str, set[str]] = defaultdict(set)
    for file in files:
        parts = PurePosixPath(file).parts
        for depth in range(1, len(parts)):
            if parts[-1] != "__init__.py" or depth < len(parts) - 1:
                units["/".join(parts[:depth])].add(parts[depth])
    return {
        root: max((len(inside) for folder, inside in units.items() if folder == root or folder.startswith(f"{root}/")))
        for root in LEVELS
    }


def inner_imports(files: Iterable[str]) -> list[tuple[str, int]]:
    """Imports inside functions of the product: path and line."""
    found = []
    for file in files:
        if file.endswith(".py") and file.split("/")[0] in PRODUCT:
            for outer in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
                if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found += [(file, n.lineno) for n in ast.walk(outer) if isinstance(n, (ast.Import, ast.ImportFrom))]
    return sorted(set(found))


def house_words(files: Iterable[str]) -> list[Word]:
    """Every house word left, in names and in comments."""
    found: list[Word] = []
    for file in files:
        text = (ROOT / file).read_text(encoding="utf-8")
        pieces = _of_python(text) if file.endswith(".py") else _of_other(text)
        for line, piece, in_name in pieces:
            words = _words(piece) if in_name else re.findall(r"[a-z_]+", piece.lower())
            found += [Word(word, file, line, in_name) for word in words if HOUSE_WORDS.fullmatch(word)]
    paths = {part for file in files for part in PurePosixPath(file).with_suffix("").parts}
    return found + [Word(w, p, 0, in_name=True) for p in sorted(paths) for w in _words(p) if HOUSE_WORDS.fullmatch(w)]


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name)]


def _of_python(text: str) -> Iterator[tuple[int, str, bool]]:
    docstrings = {
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string, True
        elif token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.start[0] in docstrings):
            yield token.start[0], token.string, False


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|--[^\n]*|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')", re.DOTALL)


def _of_other(text: str) -> Iterator[tuple[int, str, bool]]:
    """Names and comments of TypeScript, C and SQL, found without a parser: quoted texts are neither."""
    bare = []
    end = 0
    for match in COMMENT.finditer(text):
        bare.append((end, text[end : match.start()]))
        end = match.end()
        if match["text"] is None:
            yield text.count("\n", 0, match.start()) + 1, match[0], False
    bare.append((end, text[end:]))
    for start, piece in bare:
        for name in re.finditer(r"[A-Za-z_]\w*", piece):
            yield text.count("\n", 0, start + name.start()) + 1, name[0], True


def _functions(file: str) -> Iterator[int]:
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _percentile(numbers: list[int], share: float) -> int:
    return sorted(numbers)[min(len(numbers) - 1, int(len(numbers) * share))]


def print_house() -> None:
    """Every figure, a line each."""
    files = tracked()
    print(f"{'room':10} {'modules':>7} {'lines':>7} {'p50':>5} {'p90':>5} {'functions':>9} {'p50':>5} {'p90':>5}")
    for room in (*PRODUCT, "web", "supabase", "tests", "bench", "evals", "fuzz"):
        of_room = [file for file in files if file.split("/")[0] == room]
        lines = [(ROOT / file).read_bytes().count(b"\n") for file in of_room]
        sizes = [size for file in of_room if file.endswith(".py") for size in _functions(file)]
        functions = f"{len(sizes):9} {_percentile(sizes, 0.5):5} {_percentile(sizes, 0.9):5}" if sizes else ""
        row = f"{len(of_room):7} {sum(lines):7} {_percentile(lines, 0.5):5} {_percentile(lines, 0.9):5}"
        print(f"{room:10} {row} {functions}")
    print(f"imports inside functions: {len(inner_imports(files))}")
    print(f"file names twice beyond the allowed: {twice(files) or 0}")
    for root, units in crowded(files).items():
        print(f"{root}: {units} units in its fullest level, {LEVELS[root]} allowed")
    words = house_words(files)
    for label, chosen in (
        ("names", [w for w in words if w.in_name]),
        ("comments", [w for w in words if not w.in_name]),
    ):
        counted = Counter(word.word for word in chosen)
        rooms = Counter(word.path.split("/")[0] for word in chosen)
        print(f"house words in {label}: {len(chosen)} {dict(counted.most_common())} {dict(rooms.most_common())}")
