"""Imports photos: a scanner, two hashers and an uploader."""
import hashlib, queue, random, threading, time
def read_block(n, rng):
    return bytes(rng.randrange(256) for _ in range(4000))
def strip_exif(data):
    out = bytearray()
    for b in data:
        if b != 255:
            out.append(b)
    return bytes(out)
def digest(data):
    h = hashlib.sha256()
    for _ in range(60):
        h.update(data)
    return h.hexdigest()
def known(name, seen):
    return name in seen
def scan(out):
    rng = random.Random(3)
    for n in range(700):
        out.put(read_block(n, rng))
    out.put(None); out.put(None)
def hash_worker(inp, out, seen):
    while (data := inp.get()) is not None:
        clean = strip_exif(data)
        name = digest(clean)
        if not known(name, seen):
            seen.append(name)
            out.put(name)
    out.put(None)
def post_batch(names):
    time.sleep(0.05)
def upload(inp):
    left, batch = 2, []
    while left:
        name = inp.get()
        if name is None: left -= 1; continue
        batch.append(name)
        if len(batch) == 25: post_batch(batch); batch = []
def main():
    a, b, seen = queue.Queue(20), queue.Queue(), []
    t = [threading.Thread(target=scan, args=(a,), name="scanner"), *[threading.Thread(target=hash_worker, args=(a, b, seen), name=f"hasher-{i}") for i in (1, 2)], threading.Thread(target=upload, args=(b,), name="uploader")]
    for x in t: x.start()
    for x in t: x.join()
main()
