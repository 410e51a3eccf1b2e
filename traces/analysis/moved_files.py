"""Which file of one recording is which of another where a program lies elsewhere, or a file was given another name."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import takewhile
from pathlib import PurePosixPath

COMMON = 0.5
"""Part of the functions of the smaller file that both must have."""
FEW = 2
"""Functions that files of two names must have in common."""
MANY = 20
"""Files with a function of one name (`run`, `__init__`) from which that name says nothing of which file is which."""


def moved_files(before: Mapping[str, AbstractSet[str]], after: Mapping[str, AbstractSet[str]]) -> dict[str, str]:
    """For files that only the second has, those of the first that they were; both with the names of their functions.
    Files that lie alike come first, then those with the most functions in common."""
    gone = {file: names for file, names in before.items() if file not in after}
    come = {file: names for file, names in after.items() if file not in before}
    having: dict[str, list[str]] = defaultdict(list)
    for file, names in gone.items():
        for name in names:
            having[name].append(file)
    common: Counter[tuple[str, str]] = Counter()
    for new, names in come.items():
        for name in names:
            if len(having[name]) <= MANY:
                common.update((new, old) for old in having[name])
    alike = {pair: _parts_alike(*pair) for pair in common}
    fitting = [
        (new, old)
        for (new, old), count in common.items()
        if count >= COMMON * min(len(come[new]), len(gone[old])) and (alike[new, old] or count >= FEW)
    ]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for new, old in sorted(fitting, key=lambda pair: (-alike[pair], -common[pair], pair)):
        if new not in found and old not in taken:
            found[new] = old
            taken.add(old)
    return found


def _parts_alike(one: str, other: str) -> int:
    """How many parts of two paths are the same, from their end."""
    pairs = zip(reversed(PurePosixPath(one).parts), reversed(PurePosixPath(other).parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
