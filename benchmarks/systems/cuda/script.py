"""Shared parts of this folder's scripts: the command line, refusal without a GPU, clocks, PyTorch as a peer."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rigcast._device_report import cuda_report

NO_GPU, ABSENT = 1, 3  # exit statuses
WARM_UP = 3  # runs
Found = dict[str, Any]


class AbsentError(Exception):
    """The subject of a measurement is absent, for the reason given: no fault of the machine or the engine."""


@dataclass(frozen=True)
class Script:
    """One script: what it measures, and how its figures are shown.

    Attributes
    ----------
    doc : str
        The help.
    measure : callable
        From the parsed arguments to figures that JSON can hold. Raises `AbsentError`.
    table : callable
        From the figures to lines of Markdown.
    headline : callable
        From the figures to one phrase.
    options : callable
        Adds arguments to the parser.
    """

    doc: str
    measure: Callable[[argparse.Namespace], Found]
    table: Callable[[Found], list[str]]
    headline: Callable[[Found], str]
    options: Callable[[argparse.ArgumentParser], object] = lambda parser: None

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Print the table, or figures as JSON; 1 without a GPU, 3 if what is measured is absent."""
        parser = argparse.ArgumentParser(description=self.doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.options(parser)
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        given = parser.parse_args(argv)
        report = cuda_report()
        if not report.works:
            print(f"no GPU to measure: {report.detail}", file=sys.stderr)
            return NO_GPU
        try:
            found = {"device": report.detail} | self.measure(given)
        except AbsentError as error:
            print(error, file=sys.stderr)
            return ABSENT
        print(json.dumps(found, indent=2) if given.json else "\n".join([report.detail, "", *self.table(found)]))
        return 0


def extension() -> Any:
    """``rigcast._cuda``."""
    return importlib.import_module("rigcast._cuda")


def copy_rate() -> float:
    """Bytes per second that the device copies inside its memory, read and written together."""
    return 1e9 * float(extension().copy_rate(1 << 30, 20))


def wall(function: Callable[[], Any], repeats: int = 10) -> float:
    """Median milliseconds of a call, after two to warm up."""
    times = []
    for i in range(repeats + 2):
        begin = time.perf_counter()
        function()
        if i >= 2:
            times.append(1e3 * (time.perf_counter() - begin))
    return median(times)


def torch_on_gpu() -> Any:
    """The module torch. Raises `AbsentError` if it is not installed or finds no GPU."""
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        raise AbsentError("PyTorch is not installed") from None
    if not torch.cuda.is_available():
        raise AbsentError("PyTorch finds no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch


def device_milliseconds(torch: Any, call: Callable[[int], object], repeats: int) -> float:
    """Median milliseconds between two events around ``call(i)``, after runs to warm up."""
    times = []
    for i in range(repeats + WARM_UP):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call(i)
        stop.record()
        stop.synchronize()
        if i >= WARM_UP:
            times.append(start.elapsed_time(stop))
    return median(times)


def matrix_rate() -> Found:
    """``rate``: float32 operations per second of a large product of cuBLAS, or None, and ``missing``: why."""
    try:
        torch = torch_on_gpu()
    except AbsentError as error:
        return {"rate": None, "missing": str(error)}
    size = 8192
    a, b = (torch.randn(size, size, device="cuda") for _ in range(2))
    return {"rate": 2e3 * size**3 / device_milliseconds(torch, lambda _: torch.mm(a, b), 10), "missing": ""}


def limits_line(found: Found) -> str:
    """The device's measured rates as a sentence; ``found`` has ``copy_rate`` and ``matrix``."""
    rate, missing = found["matrix"]["rate"], found["matrix"]["missing"]
    product = f"{rate / 1e12:.1f} TFLOP/s" if rate else f"not measured ({missing})"
    return f"Copies: {found['copy_rate'] / 1e9:,.0f} GB/s; float32 product of cuBLAS: {product}."


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
