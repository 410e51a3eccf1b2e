"""A glacier survey: reads stakes, fills gaps in the readings, computes the mass balance and writes the tables."""

import csv
import io
import json
import time


def read_station(name):
    time.sleep(0.06)
    return [{"stake": f"{name}-{at}", "depth": (at * 37 % 190) / 10, "day": at % 120} for at in range(900)]


def smooth(readings):
    return [window_mean(readings, at) for at in range(len(readings))]


def window_mean(readings, at):
    near = readings[max(0, at - 45) : at + 45]
    return sum(one["depth"] for one in near) / len(near)


def melt_rate(depths):
    rate = 0.0
    for depth in depths:
        for layer in range(130):
            rate = (rate * 0.98 + depth * layer) % 17.3
    return rate


def mass_balance(readings):
    depths = smooth(readings)
    return melt_rate(depths)


def write_table(readings):
    page = io.StringIO()
    rows = csv.DictWriter(page, fieldnames=["stake", "depth", "day"])
    rows.writeheader()
    for _ in range(8):
        rows.writerows(readings)
    return page.getvalue()


def archive(readings):
    return [json.loads(json.dumps(readings)) for _ in range(12)]


def survey(stations):
    found = {}
    for name in stations:
        readings = read_station(name)
        found[name] = mass_balance(readings)
        write_table(readings)
        archive(readings)
    upload(found)


def upload(found):
    time.sleep(0.35)


survey(["upper", "middle", "tongue", "snout", "cirque"])
