"""The order of tests that pytest-xdist shares out by files: the longest first, so that no worker idles at the end.

The seconds that files took are in pytest's cache, one table per choice of marks; ``tests/durations.json`` stands in
where there is none.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

SEED = Path(__file__).parents[1] / "durations.json"


def kept_as(config: pytest.Config) -> str:
    return "rigcast/durations/" + re.sub(r"\W+", "_", config.getoption("markexpr"))


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def order(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the tests of a worker by the seconds of their files; every worker finds the same order."""
    cache = getattr(config, "cache", None)
    kept = cache.get(kept_as(config), None) if cache is not None else None
    seconds = json.loads(SEED.read_text(encoding="utf-8")) | (kept or {})
    items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), 0.0))


class Durations:
    """Adds up how long each file took, in the process that hands files out, and keeps it after a run of whole files."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self.config, "cache", None)
        parts = self.config.getoption("keyword") or any("::" in word for word in self.config.args)
        if cache is not None and not parts and self.seconds:
            known = cache.get(kept_as(self.config), None) or {}
            cache.set(kept_as(self.config), known | {file: round(s, 2) for file, s in self.seconds.items()})
