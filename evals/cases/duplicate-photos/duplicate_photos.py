"""Finds doubles among photos: `python duplicate_photos.py PHOTOS`. Planted: `hamming` is asked for every pair."""

import random
import sys


def hamming(left: int, right: int) -> int:
    distance, bits = 0, left ^ right
    while bits:
        distance += bits & 1
        bits >>= 1
    return distance


def fingerprint(dice: random.Random) -> int:
    return dice.getrandbits(64)


def doubles(prints: list[int]) -> list[tuple[int, int]]:
    found = []
    for at, left in enumerate(prints):
        for right in prints[at + 1 :]:
            if hamming(left, right) < 20:
                found.append((left, right))  # noqa: PERF401 - as recorded
    return found


def main() -> None:
    dice = random.Random(21)
    print(len(doubles([fingerprint(dice) for _ in range(int(sys.argv[1]))])))


main()
