"""An evening in a climbing hall as trace events: each guest is looked up at the one counter in three registers, one after the
other, and two belayers mostly have nobody to belay. Writes them to the named file."""
import json
import random
import sys

random.seed(22)
events, PID = [], 310
NAMES = {1: "desk", 2: "belayer-1", 3: "belayer-2", 4: "routesetter"}


def slice_(tid, name, begins, ends, **args):
    events.append({"ph": "X", "pid": PID, "tid": tid, "name": name, "cat": "hall", "ts": round(begins), "dur": round(ends) - round(begins), "args": args})


def check_in(at, guest):
    """Returns when it ends."""
    begins = at
    for register, low, high in (("waivers", 9_000, 12_000), ("members", 14_000, 19_000), ("payments", 20_000, 27_000)):
        takes = random.uniform(low, high)
        if guest == 17 and register == "payments":
            takes = 412_000
        slice_(1, "look_up", at, at + takes, register=register, guest=guest)
        slice_(1, "await reply", at + 300, at + takes - 200)
        at += takes + random.uniform(150, 300)
    prints = random.uniform(1_800, 2_600)
    slice_(1, "print_band", at, at + prints, guest=guest)
    slice_(1, "check_in", begins, at + prints + 120, guest=guest)
    return at + prints + 120


def main():
    at, queue, done = 40_000, 30, []
    slice_(1, "open_till", 0, 38_400)
    slice_(1, "load_prices", 2_000, 30_500)
    for guest in range(1, 31):
        events.append({"ph": "C", "pid": PID, "tid": 1, "name": "queue", "ts": round(at), "args": {"guests": queue}})
        at = check_in(at, guest)
        queue -= 1
        done.append(at)
        at += 400
    free = {2: 0, 3: 0}
    for guest, ready in enumerate(done, 1):
        tid = 2 if guest % 3 else 3
        begins = max(ready + 500, free[tid])
        ends = begins + random.uniform(22_000, 31_000)
        slice_(tid, "belay", begins, ends, guest=guest)
        slice_(tid, "tie_in", begins + 100, begins + random.uniform(3_000, 5_000))
        if guest in (9, 21):
            slice_(tid, "catch_fall", ends - 4_000, ends - 200)
        free[tid] = ends
    clock = 100_000
    for route in range(6):
        takes = random.uniform(130_000, 160_000)
        slice_(4, "set_route", clock, clock + takes, route=route)
        for hold in range(12):
            slice_(4, "screw_hold", clock + 2_000 + hold * takes / 13, clock + 2_000 + hold * takes / 13 + takes / 15)
        clock += takes + 60_000
    events.append({"ph": "i", "s": "g", "pid": PID, "tid": 1, "name": "fire drill", "ts": 900_500})
    for tid, name in NAMES.items():
        events.append({"ph": "M", "pid": PID, "tid": tid, "name": "thread_name", "args": {"name": name}})
    events.append({"ph": "M", "pid": PID, "name": "process_name", "args": {"name": "climbing hall"}})
    events.sort(key=lambda one: (one.get("ts", -1), -one.get("dur", 0)))
    with open(sys.argv[1], "w") as out:
        json.dump({"traceEvents": events, "displayTimeUnit": "ms"}, out)


main()
