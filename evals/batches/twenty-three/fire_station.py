"""Writes trace events of a simulated evening at a fire station: two engines, one ladder, a radio. Seeded."""

import json
import random
import sys

CHANCE = random.Random(17)
EVENTS = []
THREADS = {"dispatch": 1, "engine-1": 2, "engine-2": 3}


def slice_(thread, name, start, length, **args):
    EVENTS.append({"ph": "X", "pid": 1, "tid": THREADS[thread], "name": name, "ts": round(start, 1), "dur": round(length, 1), "cat": "station", "args": args})


def main():
    for name, tid in THREADS.items():
        EVENTS.append({"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}})
    EVENTS.append({"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "fire station"}})
    street = ["Mill Lane", "Dock Road", "Abbey Street", "Hay Market"]
    alarms = [{"number": n, "at": 40_000 + n * 56_000 + CHANCE.uniform(0, 9_000)} for n in range(24)]
    for alarm in alarms:
        slice_("dispatch", "take_call", alarm["at"] - 6_000, 6_000, number=alarm["number"])
        slice_("dispatch", "read_back", alarm["at"] - 2_500, 2_400)
    free = [0.0]
    # in the order of time, so that the ladder goes to who comes first
    nows = {"engine-1": 30_000.0, "engine-2": 30_000.0}
    for alarm in alarms:
        thread = "engine-1" if alarm["number"] % 2 == 0 else "engine-2"
        crew_one(thread, alarm, free, street, nows)
    for n in range(0, 30):
        EVENTS.append({"ph": "C", "pid": 1, "tid": 1, "name": "water tank", "ts": 40_000 + n * 50_000, "args": {"litres": 2400 - (n * 137 % 1900)}})
    EVENTS.append({"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": "shift change", "ts": 900_000})
    EVENTS.sort(key=lambda e: e.get("ts", 0))
    json.dump({"traceEvents": EVENTS, "displayTimeUnit": "ms"}, open(sys.argv[1], "w"))


def crew_one(thread, alarm, free, street, nows):
    dress = CHANCE.uniform(9_000, 14_000)
    drive = CHANCE.uniform(14_000, 22_000) * (7 if alarm["number"] == 13 else 1)
    begin = max(nows[thread], alarm["at"])
    at_ladder = begin + dress + drive
    wait = max(0.0, free[0] - at_ladder)
    climb, water = CHANCE.uniform(43_000, 52_000), CHANCE.uniform(11_000, 18_000)
    free[0] = at_ladder + wait + climb
    end = at_ladder + wait + climb + water
    slice_(thread, "turn_out", begin, end - begin, alarm=alarm["number"], street=street[alarm["number"] % len(street)])
    slice_(thread, "dress", begin, dress)
    slice_(thread, "drive", begin + dress, drive)
    if wait:
        slice_(thread, "wait_for_ladder", at_ladder, wait)
    slice_(thread, "climb", at_ladder + wait, climb)
    slice_(thread, "pump_water", at_ladder + wait + climb, water)
    for ph, ts in (("b", alarm["at"]), ("e", end)):
        EVENTS.append({"ph": ph, "cat": "alarm", "id": alarm["number"], "name": "alarm", "pid": 1, "tid": THREADS["dispatch"], "ts": round(ts, 1)})
    nows[thread] = end + 2_000


main()
