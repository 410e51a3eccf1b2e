"""A car wash: cars come in, are soaped, brushed, rinsed and dried, and get a receipt."""
import time


def read_plate(car):
    value = car
    for step in range(600):
        value = (value * 33 + step) % 65521
    return f"W{value:05d}"


def check_pressure(car):
    time.sleep(0.001)
    return 80 + car % 7


def soap(car):
    return sum(check_pressure(car) for _ in range(2))


def brush_side(car, side):
    total = 0
    for row in range(1500 if car % 9 else 24000):
        total += row * side % 7
    return total


def brush(car):
    return sum(brush_side(car, side) for side in range(4))


def rinse(car):
    time.sleep(0.004)


def dry(car):
    time.sleep(0.018 if car == 20 else 0.006)


def print_receipt(car, plate):
    lines = [f"{plate} step {step}: {step * 1.5:.2f}" for step in range(60)]
    return "\n".join(lines)


def wash(car):
    plate = read_plate(car)
    soap(car)
    brush(car)
    rinse(car)
    dry(car)
    return print_receipt(car, plate)


def open_day():
    return [wash(car) for car in range(1, 41)]


if __name__ == "__main__":
    open_day()
