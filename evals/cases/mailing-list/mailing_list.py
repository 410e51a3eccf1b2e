"""Merges mailing lists: `python mailing_list.py ADDRESSES`. Planted: `already_subscribed` walks a list each time."""

import random
import sys


def normalise(address: str) -> str:
    local, _, domain = address.strip().lower().partition("@")
    return f"{local.split('+')[0]}@{domain}"


def already_subscribed(members: list[str], address: str) -> bool:
    found = False
    for member in members:  # a set would do
        if member == address:
            found = True
            break
    return found


def subscribe(members: list[str], address: str) -> None:
    address = normalise(address)
    if not already_subscribed(members, address):
        members.append(address)


def made_addresses(count: int) -> list[str]:
    dice = random.Random(3)
    return [f" User{dice.randrange(count)}+news@Example{dice.randrange(9)}.org" for _ in range(count)]


def greeting(address: str) -> str:
    return f"Dear {address.partition('@')[0].title()},"


def main() -> None:
    members: list[str] = []
    for address in made_addresses(int(sys.argv[1])):
        subscribe(members, address)
    print(len(members), len("".join(greeting(one) for one in members)))


main()
