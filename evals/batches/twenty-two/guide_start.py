"""A museum guide on the command line that describes one exhibit; most of what it loads at its start it never needs."""
import time

BEGAN = time.perf_counter()


def load_audio():
    import asyncio
    import http.server
    import wave

    return asyncio, http.server, wave


def load_maps():
    import sqlite3
    import xml.dom.minidom
    import xml.sax

    return sqlite3, xml


def load_tests():
    import pdb
    import unittest.mock

    return pdb, unittest


def load_rooms():
    return {n: {"name": f"room {n}", "words": [f"word{(n * k) % 311}" for k in range(200)]} for n in range(400)}


def find_exhibit(rooms, word):
    return [n for n, room in rooms.items() if word in room["words"]]


def describe(rooms, found):
    text = []
    for n in found:
        text.append(f"{rooms[n]['name']}: " + " ".join(sorted(rooms[n]["words"])))
    return "\n".join(text)


def main():
    load_audio()
    load_maps()
    load_tests()
    rooms = load_rooms()
    for n in range(12):
        describe(rooms, find_exhibit(rooms, f"word{n * 17}"))


main()
