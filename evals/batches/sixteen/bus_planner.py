"""Plans bus lines with four workers: two long night lines are searched in a list, and the fares of one line come late."""

import queue
import threading
import time

JOBS = queue.Queue()
TOTALS_LOCK = threading.Lock()
TOTALS = {}


def stops_of(line, count):
    return [f"stop {(line * 7919 + n * 31) % 4001}" for n in range(count)]


def distinct_stops(stops):
    seen = []
    for stop in stops:
        if stop not in seen:
            seen.append(stop)
    return seen


def timetable(line, stops):
    return {stop: [(line * 3 + n * 7 + hour * 60) % 1440 for hour in range(5, 23)] for n, stop in enumerate(stops)}


def load_fares(line):
    time.sleep(0.9 if line == 30 else 0.06)
    return {zone: 180 + zone * 40 for zone in range(line % 7 + 1)}


def book_total(line, table):
    with TOTALS_LOCK:
        TOTALS[line] = sum(sum(times) for times in table.values())
        time.sleep(0.01)


def plan_line(line, count):
    fares = load_fares(line)
    stops = distinct_stops(stops_of(line, count))
    table = timetable(line, stops)
    book_total(line, table)
    return len(fares)


def worker():
    while True:
        job = JOBS.get()
        if job is None:
            return
        plan_line(*job)


def main():
    threads = [threading.Thread(target=worker, name=f"planner-{n}") for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for line in range(40):
        JOBS.put((line, 200))
    JOBS.put((40, 14000))
    JOBS.put((41, 9000))
    for line in range(42, 110):
        JOBS.put((line, 200))
    for _ in threads:
        JOBS.put(None)
    for thread in threads:
        thread.join()


main()
