"""A lifeboat station: one thread listens to the radio, one works out drift, one writes the log."""
import json
import math
import queue
import threading
import time

calls, logged = queue.Queue(), queue.Queue()


def wait_for_call(number):
    time.sleep(0.12)
    return {"call": number, "lat": 54.1 + number * 0.01, "lon": 7.9}


def listen():
    for number in range(28):
        calls.put(wait_for_call(number))
    calls.put(None)


def current_at(lat, lon, hour):
    return sum(math.sin(lat * k + hour) * math.cos(lon * k) for k in range(1, 40))


def wind_at(lat, hour):
    return sum(math.sin(lat + k * hour) for k in range(1, 12))


def drift(call):
    lat, lon = call["lat"], call["lon"]
    for step in range(4000):
        lat += current_at(lat, lon, step / 60) * 1e-4
        lon += wind_at(lat, step / 60) * 1e-4
    return lat, lon


def plan_searches():
    while (call := calls.get()) is not None:
        call["found"] = drift(call)
        logged.put(call)
    logged.put(None)


def append_log(entry, log):
    log.append(entry)
    text = json.dumps(log, indent=1)
    for _ in range(300):
        json.loads(text)


def keep_log():
    log = []
    while (entry := logged.get()) is not None:
        append_log(entry, log)


if __name__ == "__main__":
    threads = [threading.Thread(target=one, name=one.__name__) for one in (listen, plan_searches, keep_log)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
