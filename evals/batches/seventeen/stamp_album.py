"""Sorts a stamp album: dates are parsed again and again, errors are raised for every damaged stamp."""

import datetime
import hashlib


class Damaged(Exception):
    pass


def stamps(count):
    return [(f"{(n * 37) % 28 + 1:02d}.{n % 12 + 1:02d}.{1900 + n % 99}", f"land {n % 41}", n % 5) for n in range(count)]


def parsed(text):
    return datetime.datetime.strptime(text, "%d.%m.%Y")


def age_key(stamp):
    return parsed(stamp[0])


def check(stamp):
    if stamp[2] == 0:
        raise Damaged(stamp[1])
    return stamp


def undamaged(album):
    kept = []
    for stamp in album:
        try:
            kept.append(check(stamp))
        except Damaged:
            pass
    return kept


def fingerprint(stamp):
    digest = stamp[1].encode()
    for _ in range(12):
        digest = hashlib.md5(digest).digest()
    return digest


def oldest_of(album, land):
    ours = [stamp for stamp in album if stamp[1] == land]
    return sorted(ours, key=age_key)[:3]


def by_decade(album):
    found = {}
    for stamp in album:
        found.setdefault(parsed(stamp[0]).year // 10, []).append(fingerprint(stamp))
    return found


def main():
    album = stamps(8000)
    for _ in range(5):
        good = undamaged(album)
        for land in range(41):
            oldest_of(good, f"land {land}")
        by_decade(good)


main()
