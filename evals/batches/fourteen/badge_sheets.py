"""Prints the badges of a fair: sorts guests again for every sheet, and shortens names with a generator."""

import time


def guests(count):
    return [{"name": f"guest {(n * 7919) % count:05d}", "company": f"firm {n % 97}", "hall": n % 12} for n in range(count)]


def short(name):
    return "".join(part[0].upper() + part[1:3] for part in name.split())


def sheet_of(everybody, hall):
    ordered = sorted(everybody, key=lambda one: (one["company"], one["name"]))
    return [one for one in ordered if one["hall"] == hall]


def printed(sheet):
    return "\n".join(f"{short(one['name'])} / {one['company']}" for one in sheet)


def qr_code(text):
    seed = 17
    for letter in text:
        seed = (seed * 31 + ord(letter)) % 1_000_003
    return [(seed >> bit) & 1 for bit in range(20)]


def fetch_logo(hall):
    time.sleep(0.12)
    return b"logo" * hall


def main():
    everybody = guests(9000)
    for night in range(4):
        for hall in range(12):
            sheet = sheet_of(everybody, hall)
            printed(sheet)
            fetch_logo(hall)
            for one in sheet:
                qr_code(one["name"])


main()
