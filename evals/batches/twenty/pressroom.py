"""A print shop as trace events: three presses need the one plate cabinet, which is locked while a plate is engraved in it."""
import json
import random
import sys

random.seed(20)
events, PID = [], 71
NAMES = {1: "foreman", 2: "press-1", 3: "press-2", 4: "press-3", 5: "binder"}


def slice_(tid, name, begins, ends, **args):
    events.append({"ph": "X", "pid": PID, "tid": tid, "name": name, "cat": "shop", "ts": round(begins), "dur": round(ends) - round(begins), "args": args})


def sheet(tid, at, free, order):
    """One sheet of a press: waits for the cabinet, engraves in it, prints. Returns when it ends and when the cabinet is free."""
    gets = max(at + 300, free)
    engraves = random.uniform(13_000, 21_000)
    prints = random.uniform(7_000, 11_000)
    holds_until = gets + engraves
    ends = holds_until + prints
    slice_(tid, "print_order", at, ends + 400, order=order)
    slice_(tid, "open_cabinet", at + 200, holds_until, order=order)
    if gets > at + 301:
        slice_(tid, "wait plate_cabinet lock", at + 300, gets, lock="plate_cabinet")
    slice_(tid, "engrave_plate", gets, holds_until - 50)
    slice_(tid, "print_sheet", holds_until, ends)
    slice_(tid, "lay_ink", holds_until + 200, holds_until + prints * 0.55)
    return ends + 400, holds_until


def presses():
    at, free, order = {2: 230_000, 3: 232_000, 4: 235_000}, 230_000, 1000
    left = {2: 42, 3: 42, 4: 36}
    while any(left.values()):
        tid = min((one for one in at if left[one]), key=at.get)
        at[tid], free = sheet(tid, at[tid], free, order)
        left[tid] -= 1
        order += 1
    return max(at.values())


def binder(end):
    at, book = 400_000, 1
    while at < end:
        pages = 4800 if book == 14 else random.randrange(90, 140)
        sews = pages * random.uniform(118, 126)
        slice_(5, "bind_book", at, at + sews + 3_000, book=book, pages=pages)
        slice_(5, "sew_pages", at + 500, at + 500 + sews, pages=pages)
        slice_(5, "glue_cover", at + 700 + sews, at + 2_900 + sews)
        at += sews + 3_000 + random.uniform(20_000, 60_000)
        book += 1


def foreman(end):
    slice_(1, "plan_day", 0, 221_000)
    slice_(1, "read_orders", 1_000, 58_000, file="orders.csv")
    for n in range(9):
        slice_(1, "sort_trays", 60_000 + n * 17_500, 60_000 + n * 17_500 + random.uniform(14_000, 17_000))
    at = 400_000
    while at < end:
        slice_(1, "check_orders", at, at + random.uniform(2_000, 4_000))
        events.append({"ph": "C", "pid": PID, "tid": 1, "name": "paper_left", "ts": round(at), "args": {"sheets": max(0, 900 - round(at / 4_000))}})
        at += 250_000
    events.append({"ph": "i", "s": "p", "pid": PID, "tid": 1, "name": "paper jam", "ts": 1_312_000})


end = presses()
binder(end)
foreman(end)
named = [{"ph": "M", "pid": PID, "tid": tid, "name": "thread_name", "args": {"name": name}} for tid, name in NAMES.items()]
named.append({"ph": "M", "pid": PID, "tid": 1, "name": "process_name", "args": {"name": "pressroom"}})
json.dump({"traceEvents": named + sorted(events, key=lambda one: (one["ts"], -one.get("dur", 0))), "displayTimeUnit": "ms"}, open(sys.argv[1], "w"))
