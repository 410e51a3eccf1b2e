"""Unpacks an archive in memory: `python archive_unpack.py MEGABYTES`. Planted: `read_member` copies each whole."""

import io
import sys


def make_archive(megabytes: int) -> bytes:
    return bytes(megabytes * 1_000_000)


def read_member(archive: bytes, start: int, size: int) -> bytearray:
    return bytearray(archive[start : start + size])


def unpack(archive: bytes) -> list[bytearray]:
    size = 500_000
    return [read_member(archive, start, size) for start in range(0, len(archive), size // 4)]


def index(members: list[bytearray]) -> str:
    text = io.StringIO()
    for number, member in enumerate(members):
        text.write(f"{number} {len(member)}\n")
    return text.getvalue()


def main() -> None:
    print(len(index(unpack(make_archive(int(sys.argv[1]))))))


main()
