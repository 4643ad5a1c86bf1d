"""Shared parts of this folder's scripts: the command line, refusal without a GPU, clocks, PyTorch as a peer, cells."""

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

from benchmarks.systems.cuda.gpus import Gpu, gpu_of
from rigcast._device_report import cuda_report

NO_GPU, ABSENT = 1, 3  # exit statuses
WARM_UP = 3  # runs
NOT_RUN = "not run"
Found = dict[str, Any]
Plan = dict[str, Any]


class AbsentError(Exception):
    """The subject of a measurement is absent, for the reason given: no fault of the machine or the engine."""


@dataclass(frozen=True)
class Headline:
    """One phrase on a part, as predicted and as measured; no number where nothing was measured."""

    predicted: str
    measured: str = NOT_RUN


@dataclass(frozen=True)
class Script:
    """One script: what it measures, and how its figures are shown beside floors and predictions.

    Attributes
    ----------
    doc : str
        The help.
    plan : callable
        From the parsed arguments to rows, sizes and kernels that JSON can hold. Needs no GPU.
    measure : callable
        From the parsed arguments and the plan to figures that JSON can hold, by row of the plan. Raises `AbsentError`.
    table : callable
        From the plan, the figures (None: not run) and a GPU to lines of Markdown.
    headline : callable
        From the same to a `Headline`.
    options : callable
        Adds arguments to the parser.
    """

    doc: str
    plan: Callable[[argparse.Namespace], Plan]
    measure: Callable[[argparse.Namespace, Plan], Found]
    table: Callable[[Plan, Found | None, Gpu], list[str]]
    headline: Callable[[Plan, Found | None, Gpu], Headline]
    options: Callable[[argparse.ArgumentParser], object] = lambda parser: None

    def parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(description=self.doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.options(parser)
        parser.add_argument("--json", action="store_true", help="print plan and figures as JSON")
        parser.add_argument("--floors", action="store_true", help="measure nothing; floors and predictions of an H100")
        return parser

    def default_plan(self) -> Plan:
        """The plan without arguments."""
        return self.plan(self.parser().parse_args([]))

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Print the table, or figures as JSON; 1 without a GPU, 3 if what is measured is absent."""
        given = self.parser().parse_args(argv)
        if given.floors:
            print("\n".join(self.table(self.plan(given), None, gpu_of(None))))
            return 0
        report = cuda_report()
        if not report.works:
            print(f"no GPU to measure: {report.detail}", file=sys.stderr)
            return NO_GPU
        plan = self.plan(given)
        try:
            found = {"device": report.detail, "plan": plan, "rows": self.measure(given, plan)}
        except AbsentError as error:
            print(error, file=sys.stderr)
            return ABSENT
        gpu = gpu_of({"name": report.detail.split(",")[0], "rates": {}})
        lines = [report.detail, "", *self.table(plan, found["rows"], gpu)]
        print(json.dumps(found, indent=2) if given.json else "\n".join(lines))
        return 0


def extension() -> Any:
    """``rigcast._cuda``."""
    return importlib.import_module("rigcast._cuda")


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


def milliseconds_or_why(call: Callable[[], float]) -> float | str:
    """Milliseconds of a peer, or one line that says why there are none: a peer must not end the part."""
    try:
        return call()
    except AbsentError as error:
        return str(error)
    except (RuntimeError, ValueError, TypeError, AttributeError, ImportError) as error:
        lines = str(error).strip().splitlines()
        return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def cell(value: Any, form: str) -> str:
    """A measured number, or "not run"; a text says why there is none."""
    if value is None:
        return NOT_RUN
    return value if isinstance(value, str) else format(value, form)


def value_of(found: Found | None, row: str, key: str) -> Any:
    """A figure of a row, or None if it was not measured."""
    return None if found is None else found.get(row, {}).get(key)


def share(part: float, value: Any) -> str:
    """ " (70%)" for a floor and a measured time; nothing without a time."""
    return f" ({part / value:.0%})" if isinstance(value, float) and value > 0 else ""


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
