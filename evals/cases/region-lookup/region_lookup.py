"""Finds the region of each stop: `python region_lookup.py STOPS`. Planted: `inside` is asked for each region."""

import random
import sys

Point = tuple[float, float]


def inside(polygon: list[Point], x: float, y: float) -> bool:
    within = False
    before = polygon[-1]
    for corner in polygon:
        if (corner[1] > y) != (before[1] > y):
            edge = (before[0] - corner[0]) * (y - corner[1]) / (before[1] - corner[1]) + corner[0]
            if x < edge:
                within = not within
        before = corner
    return within


def region_of(regions: list[list[Point]], x: float, y: float) -> int | None:
    for number, polygon in enumerate(regions):
        if inside(polygon, x, y):
            return number
    return None


def make_regions(count: int) -> list[list[Point]]:
    dice = random.Random(8)
    return [[(n + dice.random(), corner * dice.random()) for corner in range(24)] for n in range(count)]


def parse_stop(line: str) -> Point:
    x, y = line.split(",")
    return float(x), float(y)


def main() -> None:
    regions, dice = make_regions(60), random.Random(9)
    lines = [f"{dice.random() * 60},{dice.random() * 20}" for _ in range(int(sys.argv[1]))]
    print(sum(region_of(regions, *parse_stop(line)) is not None for line in lines))


main()
