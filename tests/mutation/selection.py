"""Which tests are a module's own: those its path leads to, and those that import it."""

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

ROOMS = ("traces", "rendering", "limits", "server")
APART = {"soak", "e2e", "mutation", "architecture", "web", "deploy"}
"""Folders of tests that no module calls its own: they take a browser, a crowd or the repository."""

OF_PORTS = (Path("server/adapters"), Path("server/testing"))
STANDING_APART = (Path("tests/contracts"), Path("tests/cloud"))

MOST_TESTS = 6
"""Files of tests in each circle: what every other test imports is found by the first of them."""


_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")


class Selection:
    """Reads every module and every test of a tree once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Path, set[str]] = {}
        self._words_of: dict[Path, frozenset[str]] = {}

    @cached_property
    def modules(self) -> dict[str, Path]:
        """By dotted name, each path relative to the tree."""
        return {
            ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path
            for room in ROOMS
            for full in sorted((self._root / room).rglob("*.py"))
            if "page" not in (path := full.relative_to(self._root)).parts
        }

    @cached_property
    def _support(self) -> dict[str, Path]:
        """What tests import of each other."""
        paths = (full.relative_to(self._root) for full in sorted((self._root / "tests").rglob("*.py")))
        return {".".join(path.with_suffix("").parts): path for path in paths}

    @cached_property
    def tests(self) -> list[Path]:
        return [path for path in self._support.values() if path.name.startswith("test_") and path.parts[1] not in APART]

    @cached_property
    def _importing_tests(self) -> dict[str, set[Path]]:
        found: defaultdict[str, set[Path]] = defaultdict(set)
        for test in self.tests:
            for name in self._imported(test):
                found[name].add(test)
        return found

    @cached_property
    def _tests_by_support(self) -> dict[str, set[Path]]:
        """By module: the tests that import a file of tests which imports it, as contract suites do."""
        found: defaultdict[str, set[Path]] = defaultdict(set)
        for test in self.tests:
            for name, path in self._support.items():
                if f"from {name} import" in (self._root / test).read_text(encoding="utf-8"):
                    for module in self._imported(path):
                        found[module].add(test)
        return found

    @cached_property
    def _importing_modules(self) -> dict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for module, path in self.modules.items():
            for name in self._imported(path):
                found[name].add(module)
        return found

    def _imported(self, path: Path) -> set[str]:
        """The product's modules that a file names: by an import, or in a text as `monkeypatch.setattr` takes it."""
        if path in self._known:
            return self._known[path]
        found = self._known[path] = set()
        for node in ast.walk(ast.parse((self._root / path).read_bytes())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = re.findall(r"\b(?:traces|rendering|limits|server)(?:\.[a-z_0-9]+)+", node.value)
            found.update(name for name in names if name in self.modules)
        return found

    def by_path(self, module: Path) -> list[Path]:
        """The tests a module's path leads to: `tests/<its folders>/test_<module>.py`, and longer names of that kind; of
        an adapter and of its twin in memory also the contract of their port and the cloud's tests of that name."""
        folders = {Path("tests") / module.parent}
        if any(parent in module.parents for parent in OF_PORTS):
            folders.update(STANDING_APART)
        stem = module.parent.name if module.stem == "__init__" else module.stem
        name = re.compile(rf"test_{re.escape(stem)}(_|$)")
        found = [test for test in self.tests if test.parent in folders and name.match(test.stem)]
        return sorted(found, key=lambda test: test.parent in STANDING_APART)

    def own(self, module: Path) -> list[Path]:
        """Those by its path; then those that import it, themselves before by what tests share; where none has its name,
        at last those of its folder. Of each kind the ones come first that speak of the same things."""
        named = self.by_path(module)
        importing = self._likest(module, self._importing_tests[_dotted(module)])
        by_support = self._likest(module, self._tests_by_support[_dotted(module)])
        around = [] if named else self._likest(module, self._of_folder(module))
        return _once([*named, *importing, *by_support, *around])[:MOST_TESTS]

    def _likest(self, module: Path, tests: Iterable[Path]) -> list[Path]:
        """The tests by the words that they share with a module, rare ones first of all."""
        own = self._words(module)

        def likeness(test: Path) -> float:
            words = self._words(test)
            return sum(self._rarity[word] for word in words & own) / math.sqrt(len(words) or 1)

        return sorted(tests, key=lambda test: (-likeness(test), test))

    def _words(self, path: Path) -> frozenset[str]:
        if path not in self._words_of:
            text = (self._root / path).read_text(encoding="utf-8")
            self._words_of[path] = frozenset(word.lower() for word in _WORD.findall(text))
        return self._words_of[path]

    @cached_property
    def _rarity(self) -> dict[str, float]:
        counts = Counter(word for test in self.tests for word in self._words(test))
        return defaultdict(float, {word: math.log(len(self.tests) / count) for word, count in counts.items()})

    def _of_folder(self, module: Path) -> list[Path]:
        """Of the module's folder, or of the nearest above it that has tests."""
        for folder in module.parents:
            if found := [test for test in self.tests if test.parent == Path("tests") / folder]:
                return found
        return []

    def around(self, module: Path) -> list[Path]:
        """Those of its folder, and of the modules that import it, and that import these."""
        users = sorted(self._importing_modules[_dotted(module)])
        second = sorted({again for user in users for again in self._importing_modules[user]})
        of_users = [test for user in (*users, *second) for test in self.own(self.modules[user])]
        known = set(self.own(module))
        return [test for test in _once([*self._of_folder(module), *of_users]) if test not in known][:MOST_TESTS]


def _dotted(module: Path) -> str:
    return ".".join(module.with_suffix("").parts).removesuffix(".__init__")


def _once(paths: list[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))
