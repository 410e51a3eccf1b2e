"""A sailing regatta: corrects the times of yachts by their ratings, sorts the classes, checks protests, writes the table."""

import json
import threading
import time

LINES = [{"sail": 100 + at, "leg": [at % 7 + one for one in range(9)], "rating": 0.8 + at % 40 / 100} for at in range(220)]


def corrected_time(entry):
    total = 0.0
    for leg in entry["leg"]:
        for gust in range(22):
            total += (leg * gust) % 13 * entry["rating"]
    return total


def tidal_drift(entry):
    drift = 0
    for minute in range(60):
        drift = (drift + entry["sail"] * minute) % 3607
    return drift


def score_class(entries):
    scored = []
    for entry in entries:
        scored.append((corrected_time(entry) + tidal_drift(entry), entry["sail"]))
        insert_by_rank(scored)
    return scored


def insert_by_rank(scored):
    at = len(scored) - 1
    while at > 0 and scored[at - 1] > scored[at]:
        scored[at - 1], scored[at] = scored[at], scored[at - 1]
        at -= 1


def publish_table(scored):
    return json.dumps([{"sail": sail, "time": total} for total, sail in scored], indent=1)


def race_office(until):
    while time.monotonic() < until:
        publish_table(score_class(LINES))


def finish_line_camera(until):
    while time.monotonic() < until:
        wait_for_boat()
        read_sail_number(300)


def wait_for_boat():
    time.sleep(0.05)


def read_sail_number(rows):
    return [sum((row * column) % 251 for column in range(900)) for row in range(rows)]


def main():
    until = time.monotonic() + 5
    camera = threading.Thread(target=finish_line_camera, args=(until,), name="camera")
    camera.start()
    race_office(until)
    camera.join()


main()
