"""Matches words against a text: `distance` takes about a quarter of it, and the argument in percent more."""

import sys

ROUNDS = 60
LENGTH = 2_400
LETTERS = "etaoinshrdlubcfg"


def write(seed: int, length: int) -> str:
    letters = []
    for _ in range(length):
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
        letters += [LETTERS[seed // 65_536 % 16]]
    return "".join(letters)


def index(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for size in (2, 3, 4):
        for at in range(LENGTH - size):
            part = text[at : at + size]
            counts[part] = counts[part] + 1 if part in counts else 1
    return counts


def distance(word: str, text: str, steps: int) -> int:
    differing = 0
    for step in range(steps):
        if word[step % 12] != text[step % LENGTH]:
            differing += 1
    return differing


def score(counts: dict[str, int]) -> int:
    best = 0
    for part, count in counts.items():
        value = count * 31
        for letter in part:
            value = (value * 33 + (letter == "e")) % 1_009
        if value > best:
            best = value
    return best


def main() -> None:
    steps = 90 * (100 + int(sys.argv[1]))
    total = 0
    for number in range(ROUNDS):
        text = write(number, LENGTH)
        total += score(index(text)) + distance(write(number + 1, 12), text, steps)
    print(total)  # noqa: T201 - the result, so that the work is not left out


main()
