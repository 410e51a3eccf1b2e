"""Sorts parcels of a depot: threads read manifests, one thread prices, one writes labels."""
import json, queue, random, sys, threading, time

RATES = {zone: 1.2 + zone * 0.3 for zone in range(40)}

def parse_manifest(text):
    return [json.loads(line) for line in text.splitlines()]

def checksum(code):
    total = 0
    for ch in code:
        total = (total * 31 + ord(ch)) % 97
    return total

def validate(parcel):
    if checksum(parcel["code"]) == 96:
        raise ValueError(parcel["code"])
    return parcel

def zone_of(parcel):
    return walk_tree(TREE, parcel["km"])

def walk_tree(node, km):
    if node[1] is None:
        return node[0]
    return walk_tree(node[1] if km < node[0] else node[2], km)

def build(low, high, depth):
    if depth == 0:
        return (low % 40, None, None)
    mid = (low + high) // 2
    return (mid, build(low, mid, depth - 1), build(mid, high, depth - 1))

TREE = build(0, 4000, 6)

def price(parcel):
    zone = zone_of(parcel)
    return round(RATES[zone] * parcel["kg"], 2)

def load_tariff():
    time.sleep(0.004)
    return RATES

def render_label(parcel, amount):
    return f"{parcel['code']:>12} {parcel['kg']:6.2f} {amount:8.2f}"

def flush(lines):
    time.sleep(0.012)
    return len("\n".join(lines))

def manifest(number, size):
    rng = random.Random(number)
    return "\n".join(json.dumps({"code": f"P{rng.randrange(10**8):08d}", "kg": rng.random() * 20, "km": rng.randrange(4000)}) for _ in range(size))

def reader(todo, out):
    while (number := todo.get()) is not None:
        good = []
        for parcel in parse_manifest(manifest(number, 40)):
            try:
                good.append(validate(parcel))
            except ValueError:
                pass
        out.put(good)
    out.put(None)

def pricer(inp, out, readers):
    left = readers
    while left:
        batch = inp.get()
        if batch is None:
            left -= 1
            continue
        load_tariff()
        out.put([(p, price(p)) for p in batch])
    out.put(None)

def writer(inp):
    lines = []
    while (batch := inp.get()) is not None:
        for p, amount in batch:
            lines.append(render_label(p, amount))
        if len(lines) > 400:
            flush(lines); lines = []
    flush(lines)

def main():
    todo, parsed, priced = queue.Queue(), queue.Queue(), queue.Queue()
    for n in range(30):
        todo.put(n)
    threads = [threading.Thread(target=reader, args=(todo, parsed), name=f"reader-{i}") for i in range(3)]
    for _ in threads: todo.put(None)
    threads += [threading.Thread(target=pricer, args=(parsed, priced, 3), name="pricer"), threading.Thread(target=writer, args=(priced,), name="label-writer")]
    for t in threads: t.start()
    for t in threads: t.join()

main()
