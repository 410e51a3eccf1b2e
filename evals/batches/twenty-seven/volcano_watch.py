"""A volcano observatory: two stations read tremors in threads, a third thread writes bulletins after an alarm check."""

import queue
import threading
import time

QUEUE = queue.Queue()
STATION_LOCK = threading.Lock()


def read_tremor(station, second):
    time.sleep(0.004)
    return [(station * 31 + second * 17 + at * at) % 211 for at in range(60)]


def smooth(wave):
    return [sum(wave[max(0, at - 3) : at + 4]) / 7 for at in range(len(wave))]


def calibrate(station):
    with STATION_LOCK:
        time.sleep(0.09)


def locate_source(wave):
    best = 0
    for depth in range(40):
        misfit = 0.0
        for value in wave:
            misfit += abs(value - depth * 3)
        best = max(best, misfit)
    return best


def watch_station(station, seconds):
    for second in range(seconds):
        if second % 15 == 0:
            calibrate(station)
        wave = smooth(read_tremor(station, second))
        QUEUE.put((station, second, wave))
    QUEUE.put(None)


def is_alarm(wave, second):
    return second % 10 == 9


def send_bulletin(station, second):
    time.sleep(0.28 if second == 29 else 0.012)


def write_bulletins():
    ended = 0
    while ended < 2:
        item = QUEUE.get()
        if item is None:
            ended += 1
            continue
        station, second, wave = item
        locate_source(wave)
        if is_alarm(wave, second):
            send_bulletin(station, second)


def main():
    threads = [threading.Thread(target=watch_station, args=(one, 50), name=f"station-{one}") for one in (1, 2)]
    threads.append(threading.Thread(target=write_bulletins, name="bulletins"))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
