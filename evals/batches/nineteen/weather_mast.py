"""Reads weather masts: readings come over the wire one at a time, one mast answers late, maps are drawn in a thread."""

import math
import threading
import time


def fetch_reading(mast):
    time.sleep(0.3 if mast == 13 else 0.012)
    return [(mast * 31 + hour * 7) % 45 for hour in range(24)]


def smooth(values):
    return [sum(values[max(0, n - 2) : n + 3]) / 5 for n in range(len(values))]


def wind_rose(values):
    total = 0.0
    for degree in range(360):
        total += math.sin(degree) * values[degree % len(values)]
    return total


def report(mast):
    values = fetch_reading(mast)
    for _ in range(4):
        values = smooth(values)
    return wind_rose(values)


def draw_tile(x, y):
    total = 0
    k = 0
    while k < 900:
        total += (x * k + y) % 255
        k += 1
    return total


def draw_map(size):
    return [draw_tile(x, y) for x in range(size) for y in range(size)]


def round_trip():
    for mast in range(24):
        report(mast)


def main():
    painter = threading.Thread(target=draw_map, args=(40,), name="painter")
    painter.start()
    for _ in range(3):
        round_trip()
    painter.join()


main()
