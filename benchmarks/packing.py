"""Times expression packing beside the published program, and shows what it finds on real faces.

``python benchmarks/packing.py ../shared/data`` needs the folders ``ict_facekit`` and ``makehuman_hm08``, and
``pip install pulp highspy``.

First table: the first expression beside PuLP with CBC on the program as published (one row a vertex, one a pair), and
the whole sequence beside HiGHS on the same raw rows. All sides start from the same binary shapes and importance and
must reach the same objective; "with everything" adds what turns vertices into these.
Second table: the thesis's shape of results, greedy and optimal, and how the importance's alpha changes the choice.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.metadata
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pulp

import rigwright as rw
from rigwright.bench import machine
from rigwright.packing.program import Program, optimal

BODY = 13_380  # vertices of hm08 before the helper geometry
LIMIT = 1_000_000  # nodes


@dataclass(frozen=True)
class Face:
    """A rig to pack, and another identity of the same topology for the distortion."""

    name: str
    neutral: np.ndarray
    shapes: np.ndarray
    faces: np.ndarray
    target: np.ndarray

    def plan(self, **options: Any) -> rw.transfer.Plan:
        """``pack_expressions`` for the other identity."""
        return rw.transfer.pack_expressions(self.neutral, self.shapes, self.faces, self.target, **options)


def ict(folder: Path) -> Face:
    """The 53 ARKit-style shapes; the target is 3 standard deviations along the first ten identity modes."""
    rig = rw.faces.ict(folder)
    target = rw.faces.ict(folder, identity=[3.0 * (-1) ** mode for mode in range(10)] + [0.0] * 90).rest_vertices
    keep = [k for k, name in enumerate(rig.shape_names) if not name.startswith(("cheekRaiser", "PupilDilate"))]
    return Face("ICT", rig.rest_vertices, rig.rest_vertices + rig.columns()[keep], rig.faces, target)


def makehuman(folder: Path, file: str, name: str) -> Face:
    """Shapes on the body; the target is stretched by 1.25 across and has larger eyes and mouth."""
    points, corners = [], []
    with gzip.open(folder / "base.obj.gz", "rt") as stream:
        for line in stream:
            kind, *parts = line.split() or [""]
            if kind == "v":
                points.append([float(x) for x in parts])
            elif kind == "f":
                corners.append([int(part.split("/")[0]) - 1 for part in parts])
    neutral = np.array(points, np.float32)[:BODY]
    faces = np.array([corner for corner in corners if max(corner) < BODY], np.int32)
    data = np.load(folder / file)
    delta = data["delta"] if "delta" in data else data["delta_thousandths"] / 1000.0
    offsets = np.zeros((len(data["names"]), BODY, 3), np.float32)
    for k in range(len(offsets)):
        part = slice(data["ptr"][k], data["ptr"][k + 1])
        inside = data["index"][part] < BODY
        offsets[k, data["index"][part][inside]] = delta[part][inside]
    offsets = offsets[np.abs(offsets).max(axis=(1, 2)) > 0]
    target = neutral * np.float32([1.25, 1.0, 1.1])
    middle = target[np.abs(offsets).max(axis=(0, 2)) > 0].mean(axis=0)
    near = np.exp(-((np.linalg.norm(target - middle, axis=1) / 0.5) ** 2))[:, None]
    return Face(name, neutral, neutral + offsets, faces, (target + 0.4 * near * (target - middle)).astype(np.float32))


def published(active: np.ndarray, weights: np.ndarray, pairs: list[tuple[int, int]]) -> float:
    """The first expression by PuLP and CBC, formulated as in the thesis; its objective."""
    problem = pulp.LpProblem("packing", pulp.LpMaximize)
    w = [pulp.LpVariable(f"w{k}", cat="Binary") for k in range(len(weights))]
    problem += pulp.lpSum(weight * x for weight, x in zip(weights, w, strict=True))
    for row in active.T:
        problem += pulp.lpSum(w[k] for k in np.flatnonzero(row)) <= 1
    for left, right in pairs:
        problem += w[left] - w[right] == 0
    problem.solve(pulp.PULP_CBC_CMD(msg=False, threads=1))
    return float(pulp.value(problem.objective))


def raw_sequence(active: np.ndarray, weights: np.ndarray, pairs: list[tuple[int, int]]) -> list[float]:
    """All expressions by HiGHS, one row a vertex; their objectives. The model is built once, columns are closed."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    count = len(weights)
    for k in range(count):
        solver.addVar(0.0, 1.0)
        solver.changeColCost(k, float(weights[k]))
        solver.changeColIntegrality(k, highspy.HighsVarType.kInteger)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    vertex, shape = np.nonzero(active.T)
    start = np.searchsorted(vertex, np.arange(active.shape[1]))
    ones, infinite = np.ones(active.shape[1]), np.full(active.shape[1], -highspy.kHighsInf)
    solver.addRows(
        len(ones), infinite, ones, len(shape), start.astype(np.int32), shape.astype(np.int32), np.ones(len(shape))
    )
    for left, right in pairs:
        solver.addRow(0.0, 0.0, 2, np.array([left, right], np.int32), np.array([1.0, -1.0]))
    values, left_over = [], count
    while left_over:
        solver.run()
        chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
        values.append(float(weights[chosen].sum()))
        for k in chosen:
            solver.changeColBounds(int(k), 0.0, 0.0)
        left_over -= len(chosen)
    return values


def ours(active: np.ndarray, weights: np.ndarray, groups: list[list[int]], count: int | None) -> list[float]:
    """Expressions by the own search, from the same binary shapes; their objectives."""
    program = Program(groups, active, [], 0.0, LIMIT)
    left, values = list(range(len(groups))), []
    while left and len(values) != count:
        expression = optimal(program, weights, 1.0, left)
        values.append(float(weights[program.shapes(expression.items)].sum()))
        left = [item for item in left if item not in set(expression.items)]
    return values


def seconds(function: Callable[[], Any], runs: int, warm_up: int = 1) -> tuple[float, Any]:
    """Median seconds of a call, and what it gave."""
    for _ in range(warm_up):
        result = function()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), result


def times(face: Face, symmetry: bool, runs: int, slow_runs: int) -> dict[str, Any]:
    """One row of the first table."""
    plan = face.plan(symmetry=symmetry)
    active, weights = plan.active, plan.importance
    pairs = [(pair.first, pair.second) for pair in plan.pairs]
    grouped = {k for group in plan.groups for k in group}
    groups = plan.groups + [[k] for k in range(len(weights)) if k not in grouped]
    first, value = seconds(lambda: ours(active, weights, groups, 1), runs)
    whole, values = seconds(lambda: ours(active, weights, groups, None), runs)
    total, _ = seconds(lambda: face.plan(symmetry=symmetry), min(runs, 10))
    cbc, cbc_value = seconds(lambda: published(active, weights, pairs), slow_runs, 0)
    highs, highs_values = seconds(lambda: raw_sequence(active, weights, pairs), slow_runs, 0)
    gap = max(abs(cbc_value - value[0]), abs(highs_values[0] - values[0]))
    minimal = face.plan(symmetry=symmetry, minimise=True)
    return {
        "face": face.name,
        "vertices": active.shape[1],
        "shapes": active.shape[0],
        "symmetry": symmetry,
        "first": first,
        "cbc": cbc,
        "first_ratio": cbc / first,
        "sequence": whole,
        "highs": highs,
        "sequence_ratio": highs / whole,
        "everything": total,
        "difference": gap,
        "expressions": [len(values), len(highs_values)],
        "fewest": len(minimal.expressions),
        "lower_bound": minimal.lower_bound,
        "proven_minimal": minimal.proven_minimal,
    }


def coverage(face: Face) -> list[list[Any]]:
    """Shapes covered by the first 5, 10, 20 expressions: greedy / optimal (common to both), for several choices."""
    rows = []
    for label, options in {
        "no symmetry": {"symmetry": False},
        "greedy with 10% overlap": {"symmetry": False, "overlap": 0.1},
        "symmetry": {"symmetry": True},
        **{f"no symmetry, alpha {alpha:g}": {"symmetry": False, "alpha": alpha} for alpha in (0.0, 0.25, 0.75, 1.0)},
    }.items():
        overlap = options.pop("overlap", 0.0)
        greedy = face.plan(solver="greedy", overlap=overlap, **options)
        best = face.plan(**options)
        cells = []
        for count in (5, 10, 20):
            held = [{k for entry in plan.expressions[:count] for k in entry} for plan in (greedy, best)]
            cells.append(f"{len(held[0])}/{len(held[1])} ({len(held[0] & held[1])})")
        rows.append([face.name, label, *cells, f"{len(greedy.expressions)}/{len(best.expressions)}", best.lower_bound])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of real characters")
    parser.add_argument("--runs", type=int, default=20, help="timed runs of the own search")
    parser.add_argument("--slow-runs", type=int, default=10, help="timed runs of the others")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    arguments = parser.parse_args()
    hm08 = arguments.data / "makehuman_hm08"
    faces = [
        ict(arguments.data / "ict_facekit"),
        makehuman(hm08, "expression_units_caucasian.npz", "hm08 units"),
        makehuman(hm08, "arkit_visemes_talkinghead.npz", "hm08 ARKit + visemes"),
    ]
    rows = [times(face, symmetry, arguments.runs, arguments.slow_runs) for face in faces for symmetry in (False, True)]
    table = [row for face in faces for row in coverage(face)]
    versions = {name: importlib.metadata.version(name) for name in ("pulp", "highspy", "numpy")}
    if arguments.json:
        print(json.dumps({"machine": machine(), "versions": versions, "times": rows, "coverage": table}, indent=1))
        return
    print(machine())
    print(", ".join(f"{name} {version}" for name, version in versions.items()), "; one thread each")
    print(
        "| face | V x K | symmetry | first: ours | PuLP+CBC | ratio | sequence: ours | HiGHS, raw rows | ratio |"
        " with everything | same objective to | expressions | fewest, bound |"
    )
    print("|" + " --- |" * 13)
    for row in rows:
        proof = "proven" if row["proven_minimal"] else "not proven"
        print(
            f"| {row['face']} | {row['vertices']:,} x {row['shapes']} | {'yes' if row['symmetry'] else 'no'}"
            f" | {1e3 * row['first']:.2f} ms | {row['cbc']:.2f} s | {row['first_ratio']:,.0f} x"
            f" | {1e3 * row['sequence']:.2f} ms | {1e3 * row['highs']:.0f} ms | {row['sequence_ratio']:,.0f} x"
            f" | {1e3 * row['everything']:.0f} ms | {row['difference']:.0e} | {row['expressions'][0]}"
            f" | {row['fewest']}, {row['lower_bound']} ({proof}) |"
        )
    print()
    print("| face | choice | 5 expressions: greedy/optimal (both) | 10 | 20 | expressions | lower bound |")
    print("|" + " --- |" * 7)
    for cells in table:
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
