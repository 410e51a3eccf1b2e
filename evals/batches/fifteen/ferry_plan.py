"""Plans a ferry's crossings: checks each booking against all crossings so far, and prints a log line for each."""

import io
import json


class Crossing:
    def __init__(self, number):
        self.number = number
        self.bookings = []

    def free_places(self):
        return 60 - sum(one["persons"] for one in self.bookings)

    def add(self, booking):
        self.bookings.append(booking)


def read_bookings(count):
    text = json.dumps([{"name": f"n{n}", "persons": n % 5 + 1, "car": n % 3 == 0} for n in range(count)])
    return json.loads(text)


def find_crossing(crossings, booking):
    for crossing in crossings:
        if crossing.free_places() >= booking["persons"]:
            return crossing
    crossings.append(Crossing(len(crossings)))
    return crossings[-1]


def log_line(out, booking, crossing):
    out.write("%-10s %3d on %4d\n" % (booking["name"], booking["persons"], crossing.number))


def deck_of(crossing):
    return sorted((one for one in crossing.bookings if one["car"]), key=lambda one: one["persons"])


def main():
    out = io.StringIO()
    crossings = []
    for booking in read_bookings(2500):
        crossing = find_crossing(crossings, booking)
        crossing.add(booking)
        log_line(out, booking, crossing)
    for crossing in crossings:
        deck_of(crossing)


main()
