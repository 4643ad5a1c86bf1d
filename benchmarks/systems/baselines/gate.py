"""The gate of a benchmark, kept: what simple methods reach from each training set on each judged clip."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import rigcast as rc
from benchmarks.systems.baselines.sets import Subject
from rigcast import _regression
from rigcast._atomic_files import atomic_write
from rigcast._resume.fingerprints import fingerprint

# What the gate is computed by: its records are made anew when that changes.
SOURCES = [*Path(_regression.__file__).parent.glob("*.py"), *Path(rc.metrics.__file__).parent.glob("_difficulty.py")]
MARK = fingerprint(*(path.read_text(encoding="utf-8") for path in sorted(SOURCES)))
Gates = dict[str, dict[str, rc.metrics.Difficulty]]


def gates(found: Subject, out: Path) -> Gates:
    """The errors of simple methods: by training set, then by judged clip. Kept."""
    result: Gates = {}
    for title, training in found.training.items():
        for clip, judged in found.judged.items():
            record = out / "rows" / f"gate-{fingerprint(training.hash, judged.hash, MARK)}.json"
            if not record.exists():
                record.parent.mkdir(exist_ok=True)
                atomic_write(record, json.dumps(asdict(rc.metrics.difficulty(training, judged))).encode())
            known = json.loads(record.read_text())
            known["methods"] = [rc.metrics.SimpleMethod(**method) for method in known["methods"]]
            result.setdefault(title, {})[clip] = rc.metrics.Difficulty(**known)
    return result
