"""Moves parcels between shelves. With 1 each step is logged at debug level with the caller's place; with 0 at a level
that is switched off."""

import io
import logging
import sys

log = logging.getLogger("parcels")


def set_up(verbose: bool) -> None:
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(logging.Formatter("%(asctime)s %(funcName)s:%(lineno)d %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if verbose else logging.WARNING)


def choose_shelf(parcel: int, shelves: list[int]) -> int:
    return min(range(len(shelves)), key=lambda n: (shelves[n], (n * 31 + parcel) % 17))


def move_parcel(parcel: int, shelves: list[int]) -> None:
    shelf = choose_shelf(parcel, shelves)
    log.debug("parcel %d goes to shelf %d of %d", parcel, shelf, len(shelves))
    shelves[shelf] += parcel % 5 + 1
    log.debug("shelf %d has %d now", shelf, shelves[shelf])


def move_all(parcels: int) -> list[int]:
    shelves = [0] * 12
    for parcel in range(parcels):
        move_parcel(parcel, shelves)
    return shelves


set_up(sys.argv[1] == "1")
move_all(60_000 if sys.argv[1] == "1" else 240_000)
