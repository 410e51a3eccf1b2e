"""Tidies chat rooms. With 1 a full collection is asked for after every room, with 0 it is left to Python."""

import gc
import sys


class Message:
    def __init__(self, room: "Room", text: str) -> None:
        self.room, self.text = room, text


class Room:
    def __init__(self, name: str) -> None:
        self.name, self.messages = name, []


def fill_room(name: str) -> Room:
    room = Room(name)
    room.messages = [Message(room, f"{name} says {n}") for n in range(300)]
    return room


def tidy_room(room: Room) -> int:
    room.messages = [message for message in room.messages if len(message.text) % 3]
    return len(room.messages)


def sweep_up() -> None:
    gc.collect()


def tidy_all(rooms: int, sweeping: bool) -> int:
    kept, left = [fill_room(f"room {n}") for n in range(60)], 0
    for n in range(rooms):
        left += tidy_room(fill_room(f"side room {n}"))
        if sweeping:
            sweep_up()
    return left + len(kept)


tidy_all(150 if sys.argv[1] == "1" else 1500, sys.argv[1] == "1")
