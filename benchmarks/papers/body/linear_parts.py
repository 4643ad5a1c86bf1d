"""Bases under the networks of a body: a rigid part, linear skinning with K joints, the rig's own weights, delta mush.

    python -m benchmarks.papers.body.linear_parts SET JUDGED [--own FILE.npz] [--steps 300] [--out build/linear_parts]
        [--write demo]

Bailey et al. 2018 take one joint per vertex and name more influences as a way to less residual. SET is what bodies
learn from, JUDGED a set of the same rig that nobody learns from, as one of its actions. FILE.npz holds the rig's own
``weights`` (V, N) and the ``names`` (N) of their joints; each name that the set does not know is left out. All rows have
the same steps, so that the load of the machine does not matter.

Delta mush under networks is measured, not a model file: linear skinning in the file is replaced by delta mush of the
same weights, in the residuals that are learned and in what is judged.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.marks import ROOT, write_between_marks
from rigcast import _core
from rigcast._extras import require
from rigcast._timing import machine
from rigcast.training._export import common_metadata, common_tensors, set_tensors
from rigcast.training._body.learned_body import Networks
from rigcast.training._body.linear_part import LinearPart, Skinnings, skinned_part, skinning_rows
from rigcast.training._budget import Budget, torch_settings
from rigcast.training._body.partition import VertexSets
from rigcast.training._body.preparation import outlined, prepare
from rigcast.training._body.settings import BodySettings

TABLES = {"demo": "linear parts of the demo body", "hero": "linear parts of a Rigify human"}
KEPT = 8  # of the rig's own joints per vertex
Known = tuple[VertexSets, LinearPart | None] | None


def skinned(ds: Any, pair: tuple[NDArray[np.int32], NDArray[np.float32]]) -> rc.Deformer:
    """Linear blend skinning of joints and weights (V, K)."""
    return rc.LinearBlendSkinning(ds.skeleton, ds.rest_vertices, ds.faces, pair, dials=list(ds.dial_names))


def own_skinning(ds: Any, file: Path) -> rc.Deformer:
    """The rig's own weights."""
    with np.load(file) as archive:
        weights, names = archive["weights"], [str(name) for name in archive["names"]]
    place = {name: index for index, name in enumerate(ds.skeleton.names)}
    known = [name in place for name in names]
    weights, target = weights[:, known], np.array([place[name] for name in names if name in place], np.int32)
    order = np.argsort(-weights, axis=1, kind="stable")[:, :KEPT]
    largest = np.take_along_axis(weights, order, axis=1)
    pair = target[order], largest / largest.sum(axis=1, keepdims=True)
    return skinned(ds, pair)


def under_delta_mush(ds: Any, skinning: rc.Deformer) -> Known:
    """The sets of linear skinning, over whose smoothed vertices networks learn."""
    sets, part = skinned_part(skinning)
    mush = rc.DeltaMush(ds.skeleton, ds.rest_vertices, ds.faces, (part.joint, part.weight), dials=list(ds.dial_names))
    return sets, LinearPart(mush, part.joint, part.weight, part.share)


def rows_of(ds: Any, holdout: float, own: Path | None) -> dict[str, Callable[[], Known]]:
    """Return the base under the networks of each row of the table; None for rigid sets."""
    skinnings = Skinnings(ds, skinning_rows(ds.split(holdout, 0)[0], 0), 1)
    found: dict[str, Callable[[], Known]] = {
        "one joint, rigid": lambda: None,
        "linear skinning, K = 2": lambda: skinned_part(skinnings.model(2)),
        "linear skinning, K = 4": lambda: skinned_part(skinnings.model(4)),
    }
    if own is not None:
        found["linear skinning, the rig's own weights"] = lambda: skinned_part(own_skinning(ds, own))
    found["delta mush, K = 4"] = lambda: under_delta_mush(ds, skinnings.model(4))
    return found


def errors(made: NDArray[np.float32], truth: NDArray[np.float32], unit: float) -> str:
    distance = unit * np.linalg.norm(made - truth, axis=2)
    return f"{distance.mean():.3g}, {np.quantile(distance, 0.99):.3g}, {distance.max():.3g}"


def measured(title: str, under: Callable[[], Known], ds: Any, judged: Any, settings: BodySettings, budget: Budget) -> dict[str, Any]:
    """Learn, and the errors on held-out rows and on the judged set: of the linear part alone, then with networks."""
    started = time.monotonic()
    known = under()
    ready = prepare(ds, settings, budget, outlined(ds, settings, budget, known))
    prepared = time.monotonic() - started
    learned, steps = Networks(ds, ready, settings, budget).train()
    tensors = common_tensors(ds, ready.poses) | set_tensors(ready.sets, learned)
    model = _core.model_from_tensors(tensors, json.dumps(common_metadata(ds, "body", {})))
    row: dict[str, Any] = {"title": title, "prepared": prepared, "spent": time.monotonic() - started, "steps": steps}
    row |= {"sets": sum(bool(part.layers) for part in learned), "inputs": int(np.mean([len(part.columns) for part in learned if part.layers]))}
    row["megabytes"] = sum(value.nbytes for value in tensors.values()) / 1e6
    _, poses, vertices = ds.take(ready.held_out)
    unit = 1000.0 * ds.meters_per_unit
    for name, x, truth in (("held out", poses, vertices), ("judged", np.asarray(judged.poses), judged.vertices)):
        made = model.evaluate(x)
        if ready.linear is not None:
            plain = ready.linear.model.evaluate(x)
            pair = ready.linear.joint, ready.linear.weight
            made += plain - skinned(ds, pair).evaluate(x)
            row[f"{name}, linear part"] = errors(plain, truth, unit)
        row[name] = errors(made, truth, unit)
    print(json.dumps(row), flush=True)
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown."""
    head = ["under the networks", "alone, judged", "held out", "judged", "MB", "sets / inputs", "prepared, trained in, s"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        cells = [row["title"], row.get("judged, linear part", "–"), row["held out"], row["judged"]]
        cells += [f"{row['megabytes']:.1f}", f"{row['sets']} / {row['inputs']}"]
        lines.append("| " + " | ".join([*cells, f"{row['prepared']:.0f}, {row['spent'] - row['prepared']:.0f}"]) + " |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("judged", type=Path)
    parser.add_argument("--own", type=Path, help="the rig's own weights and the names of their joints")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "linear_parts", help="folder of the rows")
    parser.add_argument("--write", choices=list(TABLES), help="write the table of this character into docs/benchmarks")
    given = parser.parse_args(arguments)
    ds, judged = rc.Dataset(given.set), rc.Dataset(given.judged)
    settings, budget = BodySettings(), Budget("body", steps=given.steps, threads=1)
    given.out.mkdir(parents=True, exist_ok=True)
    found = []
    with torch_settings(require("torch", extra="training", purpose="training"), 1, "cpu"):
        for title, under in rows_of(ds, settings.holdout, given.own).items():
            file = given.out / f"{ds.hash[:12]}-{given.steps}-{title.replace(' ', '_')}.json"
            if not file.exists():
                file.write_text(json.dumps(measured(title, under, ds, judged, settings, budget)), encoding="utf-8")
            found.append(json.loads(file.read_text(encoding="utf-8")))
    said = f"{len(ds):,} poses of {len(ds.rest_vertices):,} vertices, {given.steps:,} steps."
    text = f"{said}\n\n{table(found)}\n\n{machine()}; rigcast {rc.__version__}."
    print(f"\n{text}\n", flush=True)
    if given.write:
        write_between_marks(TABLES[given.write], text)


if __name__ == "__main__":
    main()
