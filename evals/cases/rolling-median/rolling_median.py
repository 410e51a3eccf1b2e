"""Smooths a series: `python rolling_median.py SAMPLES`. Planted: `median_of` sorts the window each time."""

import random
import sys


def median_of(window: list[float]) -> float:
    ordered: list[float] = []
    for value in window:  # insertion sort, as if nobody had told
        at = len(ordered)
        while at and ordered[at - 1] > value:
            at -= 1
        ordered.insert(at, value)
    return ordered[len(ordered) // 2]


def smooth(series: list[float], width: int) -> list[float]:
    return [median_of(series[at : at + width]) for at in range(len(series) - width)]


def scale(series: list[float]) -> list[float]:
    top = max(series)
    return [value / top for value in series]


def read_series(count: int) -> list[float]:
    dice = random.Random(12)
    return [dice.gauss(20, 4) for _ in range(count)]


def main() -> None:
    print(f"{sum(scale(smooth(read_series(int(sys.argv[1])), 80))):.3f}")


main()
