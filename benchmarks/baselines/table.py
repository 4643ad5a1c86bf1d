"""Fits every baseline to one data set, judges it on another, and prints one table with the gate in its first line.

    python -m benchmarks.baselines.table TRAINING.rwdata JUDGED.rwdata [--model FILE ...] [--out FOLDER] [--bones N ...]
        [--small]

Both protocols stand in the table: fitted on the training poses, as learned models are, and fitted on the judged clip.
SSDR and KPSA stand there once more as published: with the bones' own motions, and with the rig's own key points.
Each fitted model is kept in the folder and used again for the same data and options. Writes ``baselines.json`` there.
``--small`` fits smaller baselines to fewer poses.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

import rigwright as rw
from rigwright._atomic_files import atomic_write
from rigwright._resume.fingerprints import fingerprint
from rigwright.metrics import Difficulty

Data = rw.Dataset
PROTOCOLS = ("training poses", "judged clip")


@dataclass(frozen=True)
class Sizes:
    """How large the baselines are, and the poses that they are fitted to at most."""

    bones: tuple[int, ...] = (16, 24, 32)
    influences: int = 8
    components: int = 128
    points: int = 274
    vectors: int = 200
    examples: int = 50
    most_poses: int = 3000
    most_frames: int = 500  # that SSDR decomposes
    rounds: int = 30


SMALL = Sizes(
    bones=(4,), influences=2, components=8, points=8, vectors=8, examples=5, most_poses=200, most_frames=40, rounds=3
)


@dataclass(frozen=True)
class Row:
    """One line of the table, in millimeters; ``seconds`` is 0 for a model that was kept."""

    name: str
    protocol: str
    mean: float
    max: float
    megabytes: float
    seconds: float


Fit = Callable[..., rw.Deformer]


def methods(data: Data, sizes: Sizes) -> dict[str, tuple[Fit, dict[str, object]]]:
    """The baselines that the data allows: name, function, options."""
    vectors = min(sizes.vectors, len(data.rest_vertices) // 2)
    found: dict[str, tuple[Fit, dict[str, object]]] = {}
    if data.skeleton is not None:
        for influences in (1, 4, None):
            name = f"linear blend, K = {influences or 'all'}"
            found[name] = (rw.baselines.linear_blend, {"influences": influences})
        found["direct delta mush"] = (rw.baselines.direct_delta_mush, {"influences": 4})
    found[f"pose space, {sizes.examples} examples"] = (
        rw.baselines.pose_space_deformation,
        {"count": min(sizes.examples, len(data))},
    )
    found["PCA + linear regression"] = (rw.baselines.pca_regression, {"components": sizes.components})
    found["PCA + quadratic regression"] = (
        rw.baselines.pca_regression,
        {"components": sizes.components, "features": "quadratic"},
    )
    for bones in sizes.bones:
        options = {"bones": bones, "influences": sizes.influences, "rounds": sizes.rounds}
        found[f"SSDR, {bones} bones"] = (rw.baselines.ssdr, {**options, "most_frames": sizes.most_frames})
    found[f"KPSA, {sizes.points} points"] = (rw.baselines.kpsa, {"points": sizes.points, "vectors": vectors})
    return found


def fitted(train: Data, judged: Data, sizes: Sizes, out: Path) -> Iterator[tuple[str, str, rw.Deformer, float]]:
    """Name, protocol, model and seconds of every baseline; models in the folder are used again."""
    for name, (function, options) in methods(train, sizes).items():
        for protocol in PROTOCOLS:
            source = train if protocol == PROTOCOLS[0] else judged
            limits = dict(options)
            if function is rw.baselines.pca_regression:
                limits["components"] = min(sizes.components, len(source) - 1)
            if function is rw.baselines.pose_space_deformation:
                limits["count"] = min(sizes.examples, len(source))
            if function is rw.baselines.kpsa:
                limits["vectors"] = min(int(str(limits["vectors"])), len(source) - 1)
            rows = np.unique(np.linspace(0, len(source) - 1, min(len(source), sizes.most_poses)).round().astype(int))
            mark = fingerprint(train.hash, source.hash, function.__name__, limits, rows)
            path = out / f"{function.__name__}-{mark[:16]}.safetensors"
            begin = time.perf_counter()
            if not path.exists():
                extra = {} if protocol == PROTOCOLS[0] else {"fit_on": judged}
                function(train, rows=rows, **limits, **extra).save(path)
                yield name, protocol, rw.load(path), time.perf_counter() - begin
            else:
                yield name, protocol, rw.load(path), 0.0


def published(judged: Data, sizes: Sizes, vertices: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, truth and vertices of SSDR with its own bone motions, and of KPSA with key points that the rig gives."""
    frames = np.unique(np.linspace(0, len(judged) - 1, min(len(judged), sizes.most_frames)).round().astype(int))
    for bones in sizes.bones:
        found = rw.baselines.skinning_decomposition(
            judged.rest_vertices, vertices[frames], bones, sizes.influences, rounds=sizes.rounds
        )
        yield f"SSDR, {bones} bones, own motions", vertices[frames], found.evaluate()
    vectors = min(sizes.vectors, len(judged) - 1, len(judged.rest_vertices) // 2)
    subspace = rw.baselines.key_point_subspace(vertices, sizes.points, vectors)
    yield f"KPSA, {sizes.points} points given", vertices, subspace.reconstruct(vertices[:, subspace.points])


def measured(train: Data, judged: Data, learned: list[Path], sizes: Sizes, out: Path) -> list[Row]:
    """All rows of the table."""
    _, poses, vertices = judged.take(np.arange(len(judged)))
    millimeters = 1e3 * judged.meters_per_unit

    def row(name: str, protocol: str, truth: np.ndarray, found: np.ndarray, size: float, seconds: float) -> Row:
        error = rw.metrics.vertex_error(truth, found)
        return Row(name, protocol, millimeters * error.mean, millimeters * error.max, size, seconds)

    rows = []
    for path in learned:
        size = path.stat().st_size / 1e6
        rows.append(row(path.stem, "learned", vertices, rw.load(path).evaluate(poses), size, 0.0))
    for name, protocol, model, seconds in fitted(train, judged, sizes, out):
        size = sum(array.nbytes for array in model.tensors().values()) / 1e6
        rows.append(row(name, protocol, vertices, model.evaluate(poses), size, seconds))
    begin = time.perf_counter()
    for name, truth, found in published(judged, sizes, vertices):
        rows.append(row(name, "as published, judged clip", truth, found, 0.0, time.perf_counter() - begin))
        begin = time.perf_counter()
    return rows


def table(gate: Difficulty, rows: list[Row], judged: Data) -> str:
    """The verdict on the best learned model (else on the best baseline), the gate, and one line per model."""
    candidates = [row for row in rows if row.protocol == "learned"]
    candidates = candidates or [row for row in rows if row.protocol == PROTOCOLS[0]]
    best = min(candidates, key=lambda row: row.mean)
    verdict = gate.verdict(best.mean / (1e3 * judged.meters_per_unit))
    lines = [f"{best.name}: {verdict}", str(gate), ""]
    lines.append(f"{'model':34}{'fitted on':28}{'mean, mm':>10}{'max, mm':>10}{'MB':>8}{'seconds':>9}")
    for row in rows:
        seconds = f"{row.seconds:.0f}" if row.seconds else ""
        figures = f"{row.mean:10.3f}{row.max:10.2f}{row.megabytes:8.1f}{seconds:>9}"
        lines.append(f"{row.name:34}{row.protocol:28}{figures}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("training", type=Path)
    parser.add_argument("judged", type=Path)
    parser.add_argument("--model", type=Path, nargs="*", default=[], help="learned models to stand beside them")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "build" / "baselines")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--bones", type=int, nargs="+", help="numbers of bones of SSDR; 16 24 32 by default")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    sizes = SMALL if given.small else Sizes()
    if given.bones:
        sizes = replace(sizes, bones=tuple(given.bones))
    train, judged = Data(given.training), Data(given.judged)
    gate = rw.metrics.difficulty(train, judged, most_rows=sizes.most_poses)
    rows = measured(train, judged, given.model, sizes, given.out)
    print(table(gate, rows, judged))
    content = {"training": train.hash, "judged": judged.hash, "rows": [asdict(row) for row in rows]}
    atomic_write(given.out / "baselines.json", json.dumps(content, indent=1).encode())


if __name__ == "__main__":
    main()
