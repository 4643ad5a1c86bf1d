"""Damaged files through every reader: ``python -m tests.fuzz [--seconds N | --cases N] [--seed N] [--only NAME]``.

Case n of a seed is the same in every run. What breaks the rules of ``tests/fuzz/worker.py`` is printed, and the file
kept in ``build/fuzz/files``; the exit status is 1 if there was any.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.fuzz.mutations import damaged
from tests.fuzz.parent import PATIENCE, Worker
from tests.fuzz.readers import damaged_copy, readers_of
from tests.fuzz.seeds import write_seeds

KEPT = Path("build/fuzz/files")
KILLED = f"died with status {-signal.SIGSEGV}"
CRASHING = (".usd",)  # OpenUSD 26.11 reads crate files of wrong places without a check


@dataclass
class Findings:
    """One example of each kind of finding, and how often it was met."""

    kept: Path
    counts: dict[str, int] = field(default_factory=dict)
    foreign: int = 0  # files that a library of others crashes on

    def add(self, case: int, file: Path, reader: str, said: str) -> None:
        if file.suffix in CRASHING and said == KILLED:
            self.foreign += 1
            return
        place = re.search(r"\((\w+\.py:\d+)\)$", said)
        about = f"{said.split(':')[0]} ({place[1]})" if place else re.sub(r"\d+|/[^ ]*/|'[^']*'", "*", said)[:100]
        kind = f"{reader} of {file.suffix}: {about}"
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] > 1:
            return
        self.kept.mkdir(parents=True, exist_ok=True)
        (self.kept / f"{case}.{file.name}").write_bytes(file.read_bytes())
        print(f"case {case}, {file.name}, {reader}: {said}", flush=True)


def run(seed: int, seconds: float, cases: int, *, only: str = "", kept: Path = KEPT) -> tuple[int, Findings]:
    """Number of cases, and what was found."""
    findings, case, begin = Findings(kept), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as place, Worker() as worker:
        good = [(path, path.read_bytes()) for path in write_seeds(Path(place) / "good") if only in path.name]
        for path, content in good:
            for reader, said in worker.opened(damaged_copy(path, content, Path(place) / "case")).items():
                if said.startswith("no file in the message") or not said.startswith("ValueError"):
                    findings.add(-1, path, reader, said)
        while case < cases and time.monotonic() - begin < seconds:
            path, content = good[case % len(good)]
            random = np.random.default_rng([seed, case])
            file = damaged_copy(path, damaged(path.name, content, random), Path(place) / "case")
            for reader, said in worker.opened(file, PATIENCE * len(readers_of(file))).items():
                findings.add(case, file, reader, said)
            case += 1
    return case, findings


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose name holds this")
    args = parser.parse_args()
    begin = time.monotonic()
    cases, findings = run(args.seed, args.seconds, args.cases, only=args.only)
    seconds = time.monotonic() - begin
    print(f"{cases:,} files in {seconds:.0f} s: {len(findings.counts)} kinds of findings")
    print(f"{findings.foreign:,} binary USD files that OpenUSD crashes on")
    for kind, count in sorted(findings.counts.items(), key=lambda entry: -entry[1]):
        print(f"{count:7,} x {kind}")
    return 1 if findings.counts else 0


if __name__ == "__main__":
    sys.exit(main())
