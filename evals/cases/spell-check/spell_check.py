"""Suggests spellings: `python spell_check.py SECONDS`. Planted: `edit_distance` is asked for every known word."""

import random
import sys
import time

LETTERS = "abcdefghijklmnopqrst"


def edit_distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def rank(word: str, dictionary: list[str]) -> list[tuple[int, str]]:
    return sorted((edit_distance(word, known), known) for known in dictionary)[:3]


def tokens(text: str) -> list[str]:
    return [part.strip(".,") for part in text.lower().split()]


def made_dictionary() -> list[str]:
    dice = random.Random(6)
    return ["".join(dice.choices(LETTERS, k=dice.randrange(5, 11))) for _ in range(150)]


def main() -> None:
    dictionary, until = made_dictionary(), time.monotonic() + float(sys.argv[1])
    while time.monotonic() < until:
        for word in tokens("Thes are smoe werds, of a sentance."):
            rank(word, dictionary)


main()
