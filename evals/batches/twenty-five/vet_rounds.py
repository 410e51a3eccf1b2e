"""Evening rounds of an animal clinic: a reader, three dose workers that share one formulary, and a printer."""
import hashlib
import queue
import threading
import time

formulary = threading.Lock()
charts = queue.Queue(maxsize=6)
labels = queue.Queue()
ANIMALS = 420


def read_chart(number):
    time.sleep(0.004)
    return {"animal": number, "grams": 200 + number * 37 % 9000, "drug": number % 11}


def chart_reader():
    for number in range(ANIMALS):
        charts.put(read_chart(number))
    for _ in range(3):
        charts.put(None)


def look_up_limit(drug, grams):
    with formulary:
        return interpolate_table(drug, grams)


def interpolate_table(drug, grams):
    total = 0.0
    for step in range(60_000):
        total += (drug + 1) * grams / (step + 1)
    time.sleep(0.006)
    return total


def dose_worker():
    while (chart := charts.get()) is not None:
        limit = look_up_limit(chart["drug"], chart["grams"])
        labels.put(sign_label(chart, limit))
    labels.put(None)


def sign_label(chart, limit):
    digest = repr((chart, limit)).encode()
    for _ in range(1500):
        digest = hashlib.sha256(digest).digest()
    return digest.hex()


def print_labels():
    done = 0
    while done < 3:
        label = labels.get()
        if label is None:
            done += 1
        else:
            feed_paper(label)


def feed_paper(label):
    time.sleep(0.001)


def main():
    threads = [threading.Thread(target=chart_reader, name="chart-reader"), threading.Thread(target=print_labels, name="label-printer")]
    threads += [threading.Thread(target=dose_worker, name=f"dose-{n}") for n in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
