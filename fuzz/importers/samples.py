"""What is mutated: the repository's fixtures, made seeds, and the conformance samples where they are."""

import gzip
import io
import os
import random
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fuzz.importers.excerpts import excerpt
from fuzz.importers.mutations import mutated

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("FLAMECHAT_SHARED", ROOT.parent / "shared"))
SEEDS = Path(__file__).parent / "seeds"
"""Files made by the formats' descriptions, as the tests make them: of kinds that nothing here records."""
READ = re.compile(r"/form\.template$|/run1/core/(uniquing/arrayUniquer|stores)/")
"""What an importer opens of a folder in a zip; the rest only costs time."""
EXCERPTS = ROOT / ".make" / "excerpts"
FULL_EVERY = 32
"""One mutation in so many of a large sample is of all of it, the others of its excerpt."""
NO_TRACES = {".md", ".py", ".c", ".go", ".js", ".rb", ".java", ".sh", ".jfc"}


@dataclass(frozen=True, slots=True)
class Sample:
    """A file's decompressed content; of an archive, the files that make it (`content` is then the largest of them).

    `part` is an excerpt of a large content, all of a small one.
    """

    name: str
    content: bytes
    part: bytes
    members: tuple[tuple[str, bytes], ...] = ()

    def mutation(self, number: int, others: list["Sample"]) -> bytes:
        """The mutation of this number, the same in every run; pieces come from one of `others`."""
        seed = f"{self.name}:{number}"
        other = others[random.Random(seed).randrange(len(others))].content
        if not self.members:
            return mutated(self.content if number % FULL_EVERY == 0 else self.part, other, seed)
        if number % 8 == 7:
            return mutated(_zip(self.members), other, seed)
        name = self.members[number % len(self.members)][0]
        return _zip([(m, mutated(content, other, seed) if m == name else content) for m, content in self.members])


def samples(*, largest: int | None = None) -> list[Sample]:
    """All samples, or those of at most `largest` bytes once decompressed, the smallest first."""
    folders = (ROOT / "fixtures", SEEDS, SHARED / "conformance" / "samples")
    found: list[Sample] = []
    for folder in folders:
        files = (f for f in folder.rglob("*") if f.is_file() and "programs" not in f.parts)
        traces = sorted(f for f in files if f.suffix not in NO_TRACES and f.name != "truth.json")
        found += [_of(file.relative_to(folder).as_posix(), file.read_bytes()) for file in traces]
    found.sort(key=lambda sample: len(sample.content))
    return [sample for sample in found if largest is None or len(sample.content) <= largest]


def _of(name: str, data: bytes) -> Sample:
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:4] != b"PK\x03\x04":
        return Sample(name, data, excerpt(data, EXCERPTS))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(m.filename, archive.read(m)) for m in archive.infolist() if not m.is_dir()]
    used = tuple((member, content) for member, content in members if READ.search(member) or len(members) == 1)
    largest = max((content for _, content in used), key=len)
    return Sample(name, largest, largest, used)


def _zip(members: Iterable[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()
