"""Every baseline on the production face, the demo body, Antonia and a skinned glb, in both protocols; the gate first.

    python -m benchmarks.systems.baselines.table [--only NAME ...] [--poses COUNT] [--model WHICH=FILE ...]
        [--method WORD ...]
        [--small] [--kept] [--no-page] [--data ../shared/data] [--out build/baselines]

The data is that of ``sets.py``. Protocols: fitted on the training poses, as learned models are, and judged on
every clip; fitted on the first judged clip and judged on it. Each fitted model and each row of a table is kept in the
folder and used again for the same data and options, so that an interrupted run goes on where it stopped. As soon as a
character is done, its tables are written into its page of docs/benchmarks/experiments, its rows at a glance into
docs/benchmarks/baselines.md.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tests.support import trainings

import rigcast as rc
from benchmarks.marks import read_between_marks, write_between_marks
from benchmarks.systems.baselines.analytic import delta_mush, dual_quaternion
from benchmarks.systems.baselines.gate import gates
from benchmarks.systems.baselines.layout import CLIP, TRAINING, Row, at_a_glance, section, table
from benchmarks.systems.baselines.sets import ROOT, SUBJECTS, Subject, subject
from rigcast._atomic_files import atomic_write
from rigcast._hashing import file_hash
from rigcast._resume.fingerprints import fingerprint

MINUTES = 4.0  # of a network
GLANCE = "baselines at a glance"
PLACES = {  # on the pages
    "face": "baselines of the face",
    "body": "baselines of the body",
    "antonia": "baselines of Antonia",
    "glb": "baselines of the glb",
}
POSES = {"face": 1000, "body": 3000, "antonia": 3000, "glb": 3000}  # to learn from
MOST_FRAMES = 250  # that SSDR decomposes


@dataclass(frozen=True)
class Method:
    """A baseline of the table.

    Attributes
    ----------
    name : str
    fit : callable
        Of a data set; gives a model.
    options : dict
    joints : bool
        Whether it needs joints: a rig of dials has none.
    protocols : tuple of str
    learned : bool
        Whether the gate's verdict is about it.
    """

    name: str
    fit: Callable[..., rc.Deformer]
    options: dict[str, Any]
    joints: bool = False
    protocols: tuple[str, ...] = (TRAINING, CLIP)
    learned: bool = False


def linear_blend(influences: int | None) -> Method:
    name = f"linear blend, K = {influences or 'all'}"
    return Method(name, rc.baselines.linear_blend, {"influences": influences}, joints=True)


def ssdr(bones: int) -> Method:
    options = {"bones": bones, "influences": 8, "rounds": 10, "most_frames": MOST_FRAMES}
    return Method(f"SSDR, {bones} bones", rc.baselines.ssdr, options)


def pose_space(examples: int) -> Method:
    return Method(f"pose space, {examples} examples", rc.baselines.pose_space_deformation, {"count": examples})


def learned_body(name: str, method: str) -> Method:
    options = {"minutes": MINUTES, "method": method}
    return Method(f"{name}, 4 minutes", trainings.body, options, True, (TRAINING,), learned=True)


def rotational(influences: int) -> Method:
    options = {"influences": influences}
    return Method(f"rotational regression, K = {influences}", rc.baselines.rotational_regression, options, joints=True)


# One line per baseline. A new one stands here and nowhere else; numbers that a set cannot give are cut to what it can.
METHODS = [
    *(linear_blend(influences) for influences in (1, 4, None)),
    Method("dual quaternions, K = 4", dual_quaternion, {"influences": 4}, joints=True),
    Method("delta mush, K = 4", delta_mush, {"influences": 4}, joints=True),
    Method("direct delta mush", rc.baselines.direct_delta_mush, {"influences": 4}, joints=True),
    *(rotational(influences) for influences in (2, 15)),
    *(pose_space(examples) for examples in (10, 50, 100)),
    Method("PCA + linear regression", rc.baselines.pca_regression, {"components": 128}),
    Method("PCA + quadratic regression", rc.baselines.pca_regression, {"components": 128, "features": "quadratic"}),
    *(ssdr(bones) for bones in (16, 24, 32)),
    Method("KPSA, 274 points", rc.baselines.kpsa, {"points": 274, "vectors": 200}),
    Method("dense network, 4 minutes", rc.baselines.dense_network, {"minutes": MINUTES}, protocols=(TRAINING,)),
    learned_body("learned body", "blended"),
    learned_body("learned body, the paper's recipe", "paper"),
    Method(
        "differential subspace, 4 minutes",
        trainings.differential,
        {"minutes": MINUTES, "threads": 1},
        protocols=(TRAINING,),
        learned=True,
    ),
]
SMALL = {
    "influences": 4,
    "count": 5,
    "components": 8,
    "bones": 4,
    "most_frames": 20,
    "points": 8,
    "vectors": 8,
    "minutes": 0.05,
}


@dataclass
class Bench:
    """One character's run.

    Attributes
    ----------
    subject : Subject
    out : Path
        A folder of its own.
    small : bool
    kept : bool
        Fit nothing: rows of models that are there; ``missing`` names the others.
    """

    subject: Subject
    out: Path
    small: bool = False
    kept: bool = False
    rows: list[Row] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def run(self, methods: list[Method], given: dict[str, Path]) -> list[Row]:
        """All rows of the table: given models first."""
        self.rows = []
        for name, path in given.items():
            self._judge(name, TRAINING, path, 0.0, 0.0, learned=True, clips=list(self.subject.judged))
        for method, protocol in self._jobs(methods):
            if self.kept and not all(path.exists() for path in self._files(method, protocol)):
                self.missing.append(f"{method.name} ({protocol})")
                continue
            try:
                path, seconds, load = self._fitted(method, protocol)
            except ValueError as error:  # the method asks for another mesh
                self.missing.append(f"{method.name} ({protocol}: {error})")
                continue
            clips = list(self.subject.judged)
            self._judge(
                method.name, protocol, path, seconds, load, method.learned, clips if protocol == TRAINING else clips[:1]
            )
            print(self.rows[-1], flush=True)
        return self.rows

    def _jobs(self, methods: list[Method]) -> Iterator[tuple[Method, str]]:
        has_joints = self.training.skeleton is not None
        for method in methods:
            if has_joints or not method.joints:
                yield from ((method, protocol) for protocol in method.protocols)

    @property
    def training(self) -> rc.Dataset:
        return next(iter(self.subject.training.values()))

    @property
    def clip(self) -> rc.Dataset:
        """The judged clip of the second protocol."""
        return next(iter(self.subject.judged.values()))

    def _fitted(self, method: Method, protocol: str) -> tuple[Path, float, float]:
        """Model file, seconds that fitting took, and the machine's load at its end."""
        source = self.training if protocol == TRAINING else self.clip
        options = self._allowed(method, source)
        path, record = self._files(method, protocol)
        if not (path.exists() and record.exists()):
            begin = time.perf_counter()
            extra = {} if protocol == TRAINING else {"fit_on": source}
            method.fit(self.training, **options, **extra).save(path)
            known = {"seconds": time.perf_counter() - begin, "load": os.getloadavg()[0]}
            atomic_write(record, json.dumps(known).encode())
        found = json.loads(record.read_text())
        return path, found["seconds"], found["load"]

    def _files(self, method: Method, protocol: str) -> tuple[Path, Path]:
        """The files in which a model and the record of its fitting are kept."""
        source = self.training if protocol == TRAINING else self.clip
        mark = fingerprint(self.training.hash, source.hash, method.fit.__name__, self._allowed(method, source))[:16]
        path = self.out / f"{method.fit.__name__}-{mark}.safetensors"
        return path, path.with_suffix(".json")

    def _allowed(self, method: Method, source: rc.Dataset) -> dict[str, Any]:
        """The options, cut to what the poses and vertices allow."""
        limits = {"count": len(source), "components": len(source) - 1, "vectors": len(source) - 1}
        options = dict(method.options)
        for name, value in options.items():
            if isinstance(value, int | float):
                value = min(value, SMALL.get(name, value)) if self.small else value
                options[name] = min(value, limits.get(name, value))
        return options

    def _judge(
        self, name: str, protocol: str, path: Path, seconds: float, load: float, learned: bool, clips: list[str]
    ) -> None:
        errors = {}
        for clip in clips:
            dataset = self.subject.judged[clip]
            record = self.out / "rows" / f"{fingerprint(file_hash(path), dataset.hash, 'with enveloping')}.json"
            if not record.exists():
                record.parent.mkdir(exist_ok=True)
                atomic_write(record, json.dumps(judged(rc.load(path), dataset)).encode())
            errors[clip] = json.loads(record.read_text())
        self.rows.append(Row(name, protocol, errors, path.stat().st_size / 1e6, seconds, load, learned))


def judged(model: rc.Deformer, dataset: rc.Dataset) -> dict[str, float]:
    """Mean and largest error in millimeters; with joints the enveloping error in percent."""
    _, poses, vertices = dataset.take(np.arange(len(dataset)))
    answer, millimeters = model.evaluate(poses), 1e3 * dataset.meters_per_unit
    error = rc.metrics.vertex_error(vertices, answer)
    found = {"mean": millimeters * error.mean, "max": millimeters * error.max}
    if dataset.skeleton is not None:
        known = {"poses": poses, "skeleton": dataset.skeleton, "rest_vertices": dataset.rest_vertices}
        found["enveloping"] = rc.metrics.enveloping_error(vertices, answer, **known)
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "baselines")
    parser.add_argument("--poses", type=int, help="to learn from (default 1000 of the face, 3000 of the others)")
    parser.add_argument("--only", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS))
    parser.add_argument(
        "--model", action="append", default=[], metavar="FACE|BODY|ANTONIA|GLB=FILE", help="learned models"
    )
    parser.add_argument("--method", action="append", default=[], metavar="WORD", help="only names with it; no page")
    parser.add_argument("--small", action="store_true", help="smaller baselines, to see that it works")
    parser.add_argument("--kept", action="store_true", help="fit nothing: tables of what is there, naming the rest")
    parser.add_argument("--no-page", action="store_true", help="print, and leave the page as it is")
    given = parser.parse_args(arguments)
    learned = [item.partition("=") for item in given.model]
    chosen = [method for method in METHODS if not given.method or any(word in method.name for word in given.method)]
    for name in given.only:
        found, out = subject(name, given.data, given.out, given.poses or POSES[name]), given.out / name
        gate = gates(found, out)
        models = {Path(path).stem: Path(path) for which, _, path in learned if which == name}
        bench = Bench(found, out, given.small, given.kept)
        rows = bench.run(chosen, models)
        text = section(table(found, gate, rows, bench.missing))
        print(f"\n{text}\n", flush=True)
        if not (given.no_page or given.method or given.small):
            write_between_marks(PLACES[name], text)
            write_between_marks(GLANCE, at_a_glance(found, gate, rows, read_between_marks(GLANCE)))


if __name__ == "__main__":
    main()
