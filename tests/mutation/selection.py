"""Which tests are a module's own: those its path leads to. The tests mirror rooms and folders.

- Of its name: `tests/<its folders>/test_<module>.py`, and longer names of that kind, such as `test_<module>_merged.py`.
- Where none has its name: every test in its folder's mirror, or in the nearest mirror above that has tests.
- Contracts of ports and the cloud's tests stand apart: an adapter and its twin in memory find theirs by their own name;
  an adapter whose folder has no mirror, by the name of its folder.

A test elsewhere that imports the module is not its own. It is run afterwards, and counted apart.
"""

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
"""Files of tests in each circle but the own: what every other test imports is found by the first of them."""


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
        mirror = Path("tests") / module.parent
        apart = STANDING_APART if any(parent in module.parents for parent in OF_PORTS) else ()
        stem = re.escape(module.parent.name if module.stem == "__init__" else module.stem)
        name, name_apart = re.compile(rf"test_{stem}(_|$)"), re.compile(rf"test_(cloud_)?{stem}(_|$)")
        return [
            *(test for test in self.tests if test.parent == mirror and name.match(test.stem)),
            *(test for test in self.tests if test.parent in apart and name_apart.match(test.stem)),
        ]

    def own(self, module: Path) -> list[Path]:
        """Those by its path; where none has its name, those of its folder, those first that speak of the same things.
        All of them, however many."""
        return self.by_path(module) or self._likest(module, self._of_folder(module))

    def importing(self, module: Path) -> list[Path]:
        """Those of other places that import it, themselves before by what tests share."""
        importing = self._likest(module, self._importing_tests[_dotted(module)])
        by_support = self._likest(module, self._tests_by_support[_dotted(module)])
        known = set(self.own(module))
        return [test for test in _once([*importing, *by_support]) if test not in known][:MOST_TESTS]

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
        """Of the folder's mirror, or of the nearest mirror above that has tests; of adapters without one those apart
        that have their folder's name."""
        mirror = Path("tests") / module.parent
        if found := [test for test in self.tests if test.parent == mirror]:
            return found
        if OF_PORTS[0] in module.parent.parents:
            name = re.compile(rf"test_{re.escape(module.parent.name)}(_|$)")
            if found := [test for test in self.tests if test.parent in STANDING_APART and name.match(test.stem)]:
                return found
        above = (Path("tests") / folder for folder in module.parent.parents)
        return next((found for folder in above if (found := [t for t in self.tests if t.parent == folder])), [])

    def around(self, module: Path) -> list[Path]:
        """Those of its folder, and of the modules that import it, and that import these."""
        users = sorted(self._importing_modules[_dotted(module)])
        second = sorted({again for user in users for again in self._importing_modules[user]})
        of_users = [test for user in (*users, *second) for test in self.own(self.modules[user])[:MOST_TESTS]]
        known = {*self.own(module), *self.importing(module)}
        return [test for test in _once([*self._of_folder(module), *of_users]) if test not in known][:MOST_TESTS]


def _dotted(module: Path) -> str:
    return ".".join(module.with_suffix("").parts).removesuffix(".__init__")


def _once(paths: list[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))
