"""Finds stack traces in a log. With 1 by a pattern with nested repetition, with 0 by one that has none."""

import re
import sys

NESTED = re.compile(r"^(?:[a-z]+\.?)+\([A-Z]\w+\.java:\d+\)$")
FLAT = re.compile(r"^[a-z.]+\([A-Z]\w+\.java:\d+\)$")


def is_frame(line: str, pattern: re.Pattern[str]) -> bool:
    return pattern.match(line) is not None


def level_of(line: str) -> str:
    return line.partition(" ")[0]


def make_log(lines: int) -> list[str]:
    log = [f"INFO request {n} took {n * 7 % 300} ms" for n in range(lines)]
    log[:: lines // 12] = ["org.example.shop.service" for _ in log[:: lines // 12]]
    return log


def scan(lines: list[str], pattern: re.Pattern[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        kind = "frame" if is_frame(line, pattern) else level_of(line)
        counts[kind] = counts.get(kind, 0) + 1
    return counts


scan(make_log(4000), NESTED if sys.argv[1] == "1" else FLAT)
