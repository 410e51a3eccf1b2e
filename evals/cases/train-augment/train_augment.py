"""Trains a small network: `python train_augment.py OUT.json`. Planted: `augment_batch` turns each picture by itself on
the CPU, which takes longer than the network."""

import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function


def augment_batch(batch: torch.Tensor) -> torch.Tensor:
    with record_function("augment_batch"):
        turned = [torch.rot90(one, k=n % 4, dims=(1, 2)).flip(1).contiguous() for n, one in enumerate(batch)]
        return torch.stack([one.sort(dim=2).values for one in turned])


def forward(model: torch.nn.Module, batch: torch.Tensor) -> torch.Tensor:
    with record_function("forward"):
        return model(batch).square().mean()


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(3 * 64 * 64, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = torch.rand(4, 24, 3, 64, 64)
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        for batch in batches:
            loss = forward(model, augment_batch(batch))
            with record_function("backward"):
                optimizer.zero_grad()
                loss.backward()
            with record_function("step"):
                optimizer.step()
    print(recorded.key_averages().table(sort_by="cpu_time_total", row_limit=8))
    recorded.export_chrome_trace(sys.argv[1])


main()
