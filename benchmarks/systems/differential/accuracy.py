"""Accuracy of the differential subspace: each figure beside its goal and the gate; ablations beside the paper's signs.

    python -m benchmarks.systems.differential.accuracy [--only face antonia body ablations] [--minutes 10] [--seed 0]
        [--data ../shared/data] [--sets build] [--out build/differential] [--set NAME=VALUE ...] [--small] [--write]

The production face is that of ``benchmarks/systems/face_maps/sets.py`` (judged on rows 0 to 199 of compskin_face_anim
and on two constructed clips), the bodies are those of ``benchmarks/systems/baselines/sets.py`` (Antonia: motion
capture as captured). All sets, models and figures are kept: the same command goes on where it stopped. ``--small``
shows that it works, ``--write`` writes what it measured into docs/benchmarks/differential_subspace.md and its
experiments.

Goals on the face: at most half of what the best simple method leaves, in mean and in max; below .1 % of its size in the
mean and 2 % at worst; below Local, PCA + regression, KPSA and linear skinning. On Antonia as captured: below the FDDA
variant in mean, max and at the seams of its vertex sets. Sizes are the longest side of the box around the mesh at rest.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.baselines.gate import gates
from benchmarks.systems.baselines.sets import ROOT, Subject, subject
from benchmarks.systems.body.antonia import antonia
from benchmarks.systems.differential.ablations import ablations
from benchmarks.systems.differential.contenders import FDDA, LOCAL, OURS, Kept, contenders, kept
from benchmarks.systems.face_maps.sets import POSES, production_face
from rigcast._atomic_files import atomic_write
from rigcast._timing import machine
from rigcast.report._body.measure import vertex_sets

FACE_MEAN, FACE_MAX = 0.1, 2.0  # percent of the face
JUDGED_BODY = "motion capture, as captured"

Figures = dict[str, float]


def figures(model: Any, data: rc.Dataset, labels: np.ndarray | None = None) -> Figures:
    """Mean and max in millimeters and in percent of the mesh, normals, and angles at seams, in degrees."""
    _, poses, truth = data.take(np.arange(len(data)))
    found = model.evaluate(poses)
    unit, size = 1e3 * data.meters_per_unit, float(np.ptp(data.rest_vertices, axis=0).max())
    error = rc.metrics.vertex_error(truth, found)
    result = {
        "mean": unit * error.mean,
        "max": unit * error.max,
        "mean_percent": 100.0 * error.mean / size,
        "max_percent": 100.0 * error.max / size,
        "normals": rc.metrics.normal_angle(truth, found, data.faces).mean,
    }
    if labels is not None:
        result["seams"] = rc.metrics.seam_error(truth, found, data.faces, labels=labels).across.normal
    return result


def judge(title: str, found: Subject, models: dict[str, Kept], out: Path) -> dict[str, dict[str, Figures]]:
    """The figures of all models on all clips, printed and kept."""
    fdda = models.get(FDDA)
    labels = None if fdda is None else vertex_sets(fdda.model)
    result: dict[str, dict[str, Figures]] = {}
    for clip, data in found.judged.items():
        print(f"\n{title}, {clip}: {len(data)} frames of {len(data.rest_vertices):,} vertices")
        result[clip] = {name: figures(entry.model, data, labels) for name, entry in models.items()}
        for name, row in result[clip].items():
            seams = f", seams {row['seams']:.3f}°" if "seams" in row else ""
            entry = models[name]
            print(
                f"  {name:34} {row['mean']:.4f} mm mean ({row['mean_percent']:.3f} %), {row['max']:.2f} max "
                f"({row['max_percent']:.2f} %), normals {row['normals']:.2f}°{seams}; {entry.megabytes:.1f} MB, "
                f"{entry.seconds / 60:.1f} min, load {entry.load:.0f}"
            )
    record = {
        "title": found.title,
        "clips": result,
        "models": {
            name: {"file": entry.path.name, "megabytes": entry.megabytes, "minutes": entry.seconds / 60}
            for name, entry in models.items()
        },
    }
    atomic_write(out / "figures.json", json.dumps(record, indent=1).encode())
    return result


def line(what: str, value: float, goal: float, aim: str = "") -> str:
    """A figure beside its goal, printed; a row of a table."""
    verdict = "holds" if value <= goal else f"MISSED by {value / goal:.2f} x"
    print(f"    {what:44} {value:9.4f}  goal {goal:9.4f}{aim}  {verdict}")
    return f"| {what} | {value:.4f} | {goal:.4f}{aim} | {verdict} |"


def written(result: dict[str, dict[str, Figures]], models: dict[str, Kept], goals: str = "") -> str:
    """A character as tables: all models, then the goals, if there are any."""
    seams = any("seams" in row for rows in result.values() for row in rows.values())
    head, rule = (" seams, ° |", " ---: |") if seams else ("", "")
    lines = ["", f"| clip | method | mean, mm | max, mm | normals, ° |{head} file, MB | trained or fitted, min |"]
    lines += [f"| --- | --- | ---: | ---: | ---: |{rule} ---: | ---: |"]
    for clip, rows in result.items():
        for name, row in rows.items():
            entry = models[name]
            across = f" {row['seams']:.2f} |" if seams else ""
            lines.append(
                f"| {clip} | {name} | {row['mean']:.3f} | {row['max']:.2f} | {row['normals']:.2f} |{across} "
                f"{entry.megabytes:.1f} | {entry.seconds / 60:.1f} |"
            )
    lines += ["", goals] if goals else []
    load = max(entry.load for entry in models.values())
    return "\n".join([*lines, "", f"Machine: {machine()}; load up to {load:.0f}; rigcast {rc.__version__}.", ""])


def goal_tables(goals: dict[str, list[str]]) -> str:
    """A table of goals per clip."""
    tables = [[f"| {clip} | this | goal | |", "| --- | ---: | ---: | --- |", *rows] for clip, rows in goals.items()]
    return "\n\n".join("\n".join(table) for table in tables)


def against_gate(found: Subject, result: dict[str, dict[str, Figures]], sets: Path) -> dict[str, list[str]]:
    """Ours beside half of what the best simple method leaves, and of the least maximum of all of them, by clip."""
    gate = next(iter(gates(found, sets).values()))
    rows = {}
    for clip, figure in result.items():
        unit, ours = 1e3 * found.judged[clip].meters_per_unit, figure[OURS]
        best, most = unit * gate[clip].best.mean, unit * min(method.max for method in gate[clip].methods)
        print(f"  {clip}: gate: {gate[clip].best.name} {best:.3f} mm mean, least max {most:.2f} mm")
        rows[clip] = [
            line("mean, mm (half of the gate)", ours["mean"], best / 2, f" (aim {best / 4:.4f})"),
            line("max, mm (half of the gate)", ours["max"], most / 2, f" (aim {most / 4:.4f})"),
        ]
    return rows


def face(given: argparse.Namespace, settings: dict[str, Any]) -> None:
    """The production face."""
    found = production_face(given.data, given.sets / "face_maps", given.poses, given.seed)
    training = next(iter(found.training.values()))
    out = given.out / "face"
    listed = contenders(training, given.minutes, given.minutes, None, settings, given.small)
    models = {entry.name: kept(entry, training, out, given.seed) for entry in listed}
    result = judge("Production face", found, models, out)
    goals = against_gate(found, result, given.sets / "face_maps")
    for clip, rows in result.items():
        print(f"  {clip}: goals of the face, and the other methods")
        ours = rows[OURS]
        goals[clip].append(line("mean, % of the face", ours["mean_percent"], FACE_MEAN))
        goals[clip].append(line("max, % of the face", ours["max_percent"], FACE_MAX))
        for name, row in rows.items():
            if name != OURS:
                goals[clip].append(line(f"mean, mm, below {name}", ours["mean"], row["mean"]))
                goals[clip].append(line(f"max, mm, below {name}", ours["max"], row["max"]))
    if given.write:
        write_between_marks("accuracy of differential subspaces", written(result, models))
        write_between_marks("goals of differential subspaces", goal_tables(goals))


def antonia_body(given: argparse.Namespace, settings: dict[str, Any]) -> None:
    """Antonia: below the FDDA variant as captured, our own body model beside."""
    found = subject("antonia", given.data, given.sets / "baselines", given.body_poses)
    training = next(iter(found.training.values()))
    out = given.out / "antonia"
    skin = antonia(given.data / "antonia_body")
    listed = contenders(training, given.minutes, given.minutes, skin, settings, given.small)
    models = {entry.name: kept(entry, training, out, given.seed) for entry in listed}
    result = judge("Antonia", found, models, out)
    rows = result[JUDGED_BODY]
    print(f"  {JUDGED_BODY}: below the FDDA variant")
    goals = [
        line(f"{name}, {unit}, below the FDDA variant", rows[OURS][name], rows[FDDA][name])
        for name, unit in (("mean", "mm"), ("max", "mm"), ("seams", "degrees"))
    ]
    goals.append(line("mean, mm, below Local", rows[OURS]["mean"], rows[LOCAL]["mean"]))
    if given.write:
        write_between_marks(
            "Antonia by differential subspaces", written(result, models, goal_tables({JUDGED_BODY: goals}))
        )


def demo_body(given: argparse.Namespace, settings: dict[str, Any]) -> None:
    """The demo body, for the table that compares kinds of models."""
    found = subject("body", given.data, given.sets / "baselines", given.body_poses)
    training = next(iter(found.training.values()))
    out = given.out / "body"
    listed = contenders(training, given.minutes, given.minutes, None, settings, given.small)
    models = {entry.name: kept(entry, training, out, given.seed) for entry in listed}
    result = judge("Demo body", found, models, out)
    if given.write:
        write_between_marks("demo body by differential subspaces", written(result, models))


def ablated(given: argparse.Namespace, settings: dict[str, Any]) -> None:
    """The ablations, on part of the production face."""
    found = production_face(given.data, given.sets / "face_maps", given.poses, given.seed)
    text = ablations(found, given.out / "ablations", given.ablation_steps, given.seed, given.small)
    if given.write:
        write_between_marks("ablations of differential subspaces", f"\n{text}\n")


PARTS = {"face": face, "antonia": antonia_body, "body": demo_body, "ablations": ablated}


def main() -> None:
    """Train, or go on, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", type=Path, default=ROOT / "build", help="folder of face_maps and baselines")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "differential")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--poses", type=int, default=POSES, help=f"of the face to learn from (default {POSES})")
    parser.add_argument("--body-poses", type=int, default=5000, help="of a body to learn from (default 5000)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of every training (default 10)")
    parser.add_argument("--ablation-steps", type=int, default=12000, help="of each ablation (default 12000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of differential")
    parser.add_argument("--write", action="store_true", help="write what was measured into the page")
    parser.add_argument("--small", action="store_true", help="few poses, seconds of training: shows that it works")
    given = parser.parse_args()
    if given.small:
        given.poses, given.body_poses, given.minutes, given.ablation_steps = 300, 200, 0.05, 50
        given.out = given.out / "small"
    settings = {name: _value(text) for name, text in (entry.split("=", 1) for entry in given.set)}
    print(f"{given.minutes:g} minutes each; settings {settings}; load {os.getloadavg()[0]:.0f}")
    for name in given.only:
        PARTS[name](given, settings)


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


if __name__ == "__main__":
    main()
