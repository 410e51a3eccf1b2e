"""Converts orders with rates of a slow service on loopback: `python exchange_rates.py ORDERS`. Planted: `fetch_rate`
waits for one answer after another; the arithmetic is nothing."""

import socket
import socketserver
import sys
import threading
import time


class SlowRates(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        currency = self.rfile.readline().strip()
        time.sleep(0.05)
        self.wfile.write(b"%d\n" % (100 + len(currency)))


def fetch_rate(port: int, currency: str) -> int:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(currency.encode() + b"\n")
        return int(connection.recv(64))


def checksum(amounts: list[int]) -> int:
    total = 0
    for amount in amounts:
        total = (total * 31 + amount) % 1_000_003
    return total


def convert(port: int, orders: int) -> list[int]:
    currencies = ("EUR", "USD", "SEK", "JPY")
    return [order * fetch_rate(port, currencies[order % 4]) for order in range(orders)]


def main() -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), SlowRates) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(checksum(convert(server.server_address[1], int(sys.argv[1])) * 2000))
        server.shutdown()


main()
