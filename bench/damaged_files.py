"""Our fixtures, damaged as recordings are on their way: cut, with bytes that broke, with lines that do not belong."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from random import Random

CUTS, BROKEN_BYTES = 12, 8
TEXT_DAMAGES = 5
REMARK = b"Recording stopped, saving 3 threads ...\n"
NO_RECORDINGS = {"truth.json", "PROVENANCE.md"}


def recordings(fixtures: Path) -> list[tuple[str, bytes]]:
    """Every fixture, unpacked, by its name."""
    paths = sorted(p for p in (*fixtures.glob("*.*"), *(fixtures / "sample").glob("*")) if p.name not in NO_RECORDINGS)
    return [(p.name, gzip.decompress(data) if p.suffix == ".gz" else data) for p in paths for data in (p.read_bytes(),)]


def damaged(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Twenty damaged copies of a recording, each with what was done to it: cuts at places that differ from file to
    file, a byte that broke; of text, also other ends of lines, marks, and lines before and behind."""
    chance = Random(name)
    is_text = b"\0" not in content[:65_536]
    for number in range(CUTS):
        size = int(len(content) * (number + 0.5 + chance.random() / 2) / CUTS)
        yield f"cut at {size:,} of {len(content):,}", content[:size]
    if is_text:
        yield "with ends of lines as on Windows", content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        yield "with a byte-order mark", b"\xef\xbb\xbf" + content
        yield "behind a remark", REMARK + content
        yield "before a remark", content.rstrip() + b"\n" + REMARK
        yield "with zeros behind it", content + bytes(4_096)
    for _ in range(BROKEN_BYTES - is_text * TEXT_DAMAGES):
        at = chance.randrange(len(content) // 20, len(content))
        broken = bytes([chance.choice(b"\xff\xe9\x80")]) if is_text else bytes([content[at] ^ 1 << chance.randrange(8)])
        yield f"with another byte at {at:,}", content[:at] + broken + content[at + 1 :]
