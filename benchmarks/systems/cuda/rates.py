"""Rates of a GPU, for the floors of the other tables: ``python -m benchmarks.systems.cuda.rates``.

The rate of copies inside the device (read and written together), of large products by cuBLAS through PyTorch (TF32
with float32 sums, float32 without TF32, float64), the time from one short kernel of a graph to the next, and the link
from pinned memory. What cannot be measured (no PyTorch) stays as built in.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.systems.cuda.gpus import BUILT_IN, HEAD, TEXTS, Gpu, gpu_of, like
from benchmarks.systems.cuda.script import (
    AbsentError,
    Found,
    Headline,
    Plan,
    Script,
    device_milliseconds,
    extension,
    markdown,
    torch_on_gpu,
    wall,
)
from rigcast._device_report import cuda_report

SIZE = 8192  # of a product
GRAPH = 200  # kernels
LINK = 1 << 30  # bytes


def product_rate(torch: Any, kind: Any, *, tf32: bool = False) -> float:
    """Operations per second of a large product."""
    a, b = (torch.randn(SIZE, SIZE, device="cuda").to(kind) for _ in range(2))
    torch.backends.cuda.matmul.allow_tf32 = tf32
    try:
        return 2e3 * SIZE**3 / device_milliseconds(torch, lambda _: torch.mm(a, b), 10)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def launch_seconds(torch: Any) -> float:
    """Seconds per kernel of a graph of short kernels, each of which depends on the one before."""
    one = torch.zeros(1, device="cuda")
    one.add_(1)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH):
            one.add_(1)
    return device_milliseconds(torch, lambda _: graph.replay(), 20) / 1e3 / GRAPH


def link_rate(torch: Any) -> float:
    """Bytes per second from the host's pinned memory."""
    there = torch.empty(LINK, dtype=torch.uint8, device="cuda")
    here = torch.zeros(LINK, dtype=torch.uint8, pin_memory=True)

    def copy() -> None:
        there.copy_(here)
        torch.cuda.synchronize()

    return 1e3 * LINK / wall(copy, 5)


def with_torch() -> dict[str, Callable[[Any], float]]:
    return {
        "tf32": lambda torch: product_rate(torch, torch.float32, tf32=True),
        "float64": lambda torch: product_rate(torch, torch.float64),
        "float32": lambda torch: product_rate(torch, torch.float32),
        "launch": launch_seconds,
        "pinned": lambda torch: link_rate(torch),
    }


def plan(given: argparse.Namespace) -> Plan:
    return {}


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """The name and the rates; None for those that were not measured, and why."""
    rates: dict[str, float | None] = dict.fromkeys(TEXTS)
    rates["copy"] = 1e9 * float(extension().copy_rate(1 << 30, 20))
    missing = ""
    try:
        torch = torch_on_gpu()
        rates |= {key: rate(torch) for key, rate in with_torch().items()}
    except AbsentError as error:
        missing = str(error)
    return {"name": cuda_report().detail.split(",")[0], "rates": rates, "missing": missing}


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown: the built-in GPUs, and the one that was measured."""
    rows = [known.cells() for known in BUILT_IN]
    if found is None:
        return markdown(HEAD, rows)
    stands = f"those of {like(found['name']).name} stand for what has no star"
    why = ["", f"Not all rates are measured: {found['missing']}; {stands}."] if found["missing"] else []
    return [*markdown(HEAD, [*rows, gpu_of(found).cells()]), *why]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The rates that decide floors."""

    def phrase(of: Gpu) -> str:
        return f"copies {of.copy / 1e9:,.0f} GB/s, TF32 {of.tf32 / 1e12:,.0f} TFLOP/s"

    return Headline(phrase(gpu_of(None))) if found is None else Headline(phrase(gpu_of(None)), phrase(gpu_of(found)))


SCRIPT = Script(__doc__, plan, measure, table, headline)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
