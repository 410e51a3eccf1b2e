"""Season report of an apiary from its visits. `first` scans all visits for each hive, `second` keeps an index."""
import json
import math
import sys
from collections import defaultdict
from datetime import date, timedelta

HIVES, WEEKS = 190, 30


def make_visits():
    start = date(2025, 4, 1)
    lines = []
    for week in range(WEEKS):
        for hive in range(HIVES):
            turn = hive * 31 + week * 17
            frames = [{"brood": turn * n % 81, "honey": turn * (n + 3) % 91} for n in range(10)]
            day = start + timedelta(days=7 * week)
            lines.append(json.dumps({"hive": hive, "day": day.isoformat(), "mites": turn % 10, "frames": frames}))
    return lines


def parse_visit(line):
    visit = json.loads(line)
    visit["day"] = date.fromisoformat(visit["day"])
    return visit


def visits_of(visits, hive):
    return [one for one in visits if same_hive(one, hive)]


def same_hive(visit, hive):
    return visit["hive"] == hive


def index_visits(visits):
    index = defaultdict(list)
    for one in visits:
        index[one["hive"]].append(one)
    return index


def frame_score(frame):
    return math.sqrt(frame["brood"]) * 3 + frame["honey"] / 4


def colony_score(visit):
    return sum(frame_score(frame) for frame in visit["frames"])


def mite_trend(history, window):
    points = []
    for end in range(window, len(history) + 1):
        part = history[end - window:end]
        points.append(slope([one["mites"] for one in part]))
    return points


def slope(values):
    mean_x = (len(values) - 1) / 2
    mean_y = sum(values) / len(values)
    over = sum((x - mean_x) * (y - mean_y) for x, y in enumerate(values))
    return over / sum((x - mean_x) ** 2 for x in range(len(values)))


def hive_report(hive, history, windows):
    scores = [colony_score(one) for one in history]
    trends = [mite_trend(history, window) for window in windows]
    return format_report(hive, scores, trends)


def format_report(hive, scores, trends):
    rows = [f"hive {hive:03d}"]
    rows += [f"  week {week:2d}: {score:7.2f}" for week, score in enumerate(scores)]
    rows += ["  mites " + " ".join(f"{point:+.2f}" for point in trend) for trend in trends]
    return "\n".join(rows)


def season(edition):
    visits = [parse_visit(line) for line in make_visits()]
    if edition == "first":
        return [hive_report(hive, visits_of(visits, hive), (4,)) for hive in range(HIVES)]
    index = index_visits(visits)
    return [hive_report(hive, index[hive], (3, 4, 6, 8)) for hive in range(HIVES)]


if __name__ == "__main__":
    print(len(season(sys.argv[1])))
