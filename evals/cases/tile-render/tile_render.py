"""Renders map tiles on a thread while the main thread waits: `python tile_render.py SECONDS`. Planted: `blend` on
thread `renderer`."""

import sys
import threading
import time


def blend(row: list[int], other: list[int]) -> list[int]:
    mixed = []
    for left, right in zip(row, other, strict=True):
        mixed.append((left * 3 + right) // 4)
    return mixed


def make_row(seed: int) -> list[int]:
    return [(seed * 31 + n) % 256 for n in range(600)]


def render(until: float) -> int:
    checksum, seed = 0, 0
    while time.monotonic() < until:
        row = make_row(seed)
        for layer in range(6):
            row = blend(row, make_row(layer)) if layer % 3 == 0 else blend(row, row)
        checksum += row[0]
        seed += 1
    return checksum


def main() -> None:
    thread = threading.Thread(target=render, args=(time.monotonic() + float(sys.argv[1]),), name="renderer")
    thread.start()
    thread.join()


main()
