"""A collection of fossils: reads labels of finds, makes outlines of shells, keeps a register by layer."""

import sys


class Find:
    def __init__(self, number, layer, label):
        self.number, self.layer, self.label = number, layer, label
        self.outline = []


def read_label(number):
    return f"find {number:06d}, layer {number % 14}, box {number // 40}: " + "ammonite " * (number % 5 + 1)


def trace_outline(find, points):
    find.outline = [(find.number * 0.5 + at, at * 1.25) for at in range(points)]


def scan_image(number, side):
    return bytearray(side * side)


def measure(image):
    return sum(image[::997])


def load_finds(count):
    return [Find(number, number % 14, read_label(number)) for number in range(count)]


def build_register(finds):
    register = {}
    for find in finds:
        register.setdefault(find.layer, []).append({"number": find.number, "label": find.label.upper()})
    return register


def photograph(finds):
    total = 0
    for find in finds[:60]:
        total += measure(scan_image(find.number, 1200))
    return total


def main():
    finds = load_finds(9000)
    for find in finds[:2500]:
        trace_outline(find, 45)
    register = build_register(finds)
    print(len(register), photograph(finds), file=sys.stderr)


main()
