"""Trains on records that are parsed one by one: `python train_loading.py OUT.json`. Planted: `load_batch`."""

import json
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function

LINES = [json.dumps([n % 7 / 7 + i / 512 for i in range(512)]) for n in range(256)]


def load_batch(start: int) -> torch.Tensor:
    with record_function("load_batch"):
        return torch.stack([torch.tensor(json.loads(line)) for line in LINES[start : start + 64]])


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        for start in range(0, 256, 64):
            batch = load_batch(start)
            with record_function("forward"):
                loss = model(batch).square().mean()
            with record_function("backward"):
                optimizer.zero_grad()
                loss.backward()
            optimizer.step()
    print(recorded.key_averages().table(sort_by="cpu_time_total", row_limit=8))
    recorded.export_chrome_trace(sys.argv[1])


main()
