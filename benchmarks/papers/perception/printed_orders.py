"""Orders of eleven action units by the five metrics of Carrigan 2020, chapter 5, on two faces, beside the printed ones.

    python -m benchmarks.papers.perception.printed_orders [--data ../shared/data] [--write]

Metrics as in section 5.1.4 (equations 5.1 to 5.3, mean square error and SSIM of pictures at 1 m), on the ICT face and
on MakeHuman's head (hm08, ARKit shapes), means over activations of 20 to 100 % as in table 5.3. Printed: the orders of
table 5.3, the mean ratings of table 5.12, and the correlations of table 5.4. In the tables of the metrics the labels of
Frown and Eyebrows Up are very likely exchanged (tables 5.11 and 5.13 contradict each other): every comparison with a
printed metric stands both ways. Ratings of single stimuli are not printed; the published line of each unit (table 5.11)
takes their place.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.support.perceived_units import ratings, spearman, unit_shapes

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.transfer.faces import part
from rigcast.metrics import triangle_distortion
from rigcast.perception._differences.compare import film
from rigcast.perception._published import ACTIVATIONS, EXCHANGED, INTERCEPT

ROOT = Path(__file__).resolve().parents[3]
Values = dict[str, NDArray[np.float64]]  # (units, activations) by metric
RISE = 0.02  # meters below the lowest vertex that moves, from which on a head is judged
# Table 5.3, the most important first, by words that name a unit.
PRINTED = {
    "RMS": "Mouth_Open Lips Puffed Smile Inhaled Closed Frown Eyebrows Mouth_Frown Opened Nostrils",
    "Hausdorff": "Mouth_Open Puffed Inhaled Lips Closed Smile Frown Eyebrows Mouth_Frown Nostrils Opened",
    "triangle distortion": "Lips Closed Smile Inhaled Puffed Frown Mouth_Open Eyebrows Mouth_Frown Opened Nostrils",
    "picture: mean square": "Mouth_Open Frown Closed Smile Eyebrows Lips Puffed Inhaled Opened Mouth_Frown Nostrils",
    "picture: 1 - SSIM": "Frown Mouth_Open Smile Inhaled Lips Closed Eyebrows Puffed Mouth_Frown Opened Nostrils",
}
WORDS = {
    "Mouth_Open": "Mouth_Open", "Lips": "Lips_Protrude", "Puffed": "Cheeks_Puffed", "Smile": "Smile_Lips_Closed",
    "Inhaled": "Cheek_Inhaled", "Closed": "Eyes_Closed", "Frown": "Frown", "Eyebrows": "Eyebrows_Up",
    "Mouth_Frown": "Mouth_Frown", "Opened": "Eyes_Opened", "Nostrils": "Nostrils_Dilated",
}  # fmt: skip
PEARSON = {"RMS": 0.76, "Hausdorff": 0.76, "triangle distortion": 0.68, "picture: mean square": 0.5,
           "picture: 1 - SSIM": 0.56}  # fmt: skip  # table 5.4; of SSIM itself -.56


@dataclass(frozen=True, eq=False)
class Head:
    """The head of a face at rest, and its units at full activation."""

    neutral: NDArray[np.float64]
    faces: NDArray[np.int32]
    units: dict[str, NDArray[np.float64]]
    meters: float
    up_axis: str

    @classmethod
    def of(cls, rig: rc.BlendshapeRig) -> Head:
        """The part that lies above the lowest vertex that a shape moves."""
        rest, shapes = rig.rest_vertices.astype(np.float64), unit_shapes(rig)
        moved = np.any([(shape != rest).any(axis=1) for shape in shapes.values()], axis=0)
        height = rest[:, "XYZ".index(rig.up_axis)]
        kept, faces = part(rig.faces, np.flatnonzero(height >= height[moved].min() - RISE / rig.meters_per_unit))
        own = {name: shapes[name][kept] for name in ratings()}
        return cls(rest[kept], faces, own, rig.meters_per_unit, rig.up_axis)


def measured(head: Head) -> Values:
    """Each metric of each unit (in the order of the ratings) at each activation."""
    camera = rc.perception.Viewing(distance=1.0).camera(head.neutral, head.meters, head.up_axis)
    (neutral,) = film(head.neutral[None], head.faces, camera)
    measures: dict[str, Callable[[NDArray[np.float64], np.ndarray], float]] = {
        "RMS": lambda mesh, _: float(np.sqrt(((mesh - head.neutral) ** 2).sum(axis=1) / 3.0).sum()),
        "Hausdorff": lambda mesh, _: rc.metrics.hausdorff(head.neutral, mesh),
        "triangle distortion": lambda mesh, _: float(triangle_distortion(head.neutral, mesh, head.faces).sum()),
        "picture: mean square": lambda _, shown: rc.metrics.image_mse(neutral, shown),
        "picture: 1 - SSIM": lambda _, shown: (
            1.0 - rc.metrics.structural_similarity(neutral, shown, window="uniform")
        ),
    }
    found: dict[str, list[list[float]]] = {name: [] for name in measures}
    for shape in head.units.values():
        meshes = [head.neutral + share * (shape - head.neutral) for share in ACTIVATIONS]
        pictures = [film(mesh[None], head.faces, camera)[0] for mesh in meshes]
        for name, measure in measures.items():
            found[name].append([measure(mesh, shown) for mesh, shown in zip(meshes, pictures, strict=True)])
    return {name: np.array(rows) for name, rows in found.items()}


def printed_ranks(metric: str, exchanged: bool) -> list[int]:
    """The printed place of each unit, larger for more important."""
    order = [WORDS[word] for word in PRINTED[metric].split()]
    if exchanged:
        first, second = EXCHANGED
        order = [{first: second, second: first}.get(name, name) for name in order]
    return [-order.index(name) for name in ratings()]


def pearson(values: NDArray[np.float64]) -> float:
    """Correlation over 60 stimuli, five neutral ones among them, with the published lines."""
    lines = np.array([
        [unit.intercept + unit.slope * share * unit.full for share in ACTIVATIONS]
        for unit in (rc.perception.UNITS[name] for name in ratings())
    ])  # fmt: skip
    neutral = np.zeros(len(ACTIVATIONS))
    answers = np.append(lines.ravel(), neutral + INTERCEPT)
    return float(np.corrcoef(np.append(values.ravel(), neutral), answers)[0, 1])


def both(values: Sequence[float], metric: str) -> str:
    """Spearman with a printed order, as printed and with the two labels exchanged."""
    return ", ".join(f"{spearman(values, printed_ranks(metric, exchanged)):.2f}" for exchanged in (False, True))


def order_of(values: NDArray[np.float64]) -> str:
    """Names of units, the most important first."""
    names = [name.replace("_", " ").lower() for name in ratings()]
    return ", ".join(names[i] for i in np.argsort(-values.mean(axis=1), kind="stable"))


def tables(faces: dict[str, Values]) -> str:
    """Markdown: correlations, then the orders themselves."""
    rated = list(ratings().values())
    titles = [f"{name} with the printed order | {name} with the ratings" for name in faces]
    pearsons = " | ".join(f"Pearson, {name}" for name in faces)
    lines = [
        f"| metric | printed order with the ratings | {' | '.join(titles)} | {' with '.join(faces)} |",
        f"| --- |{' ---: |' * (2 + 2 * len(faces))}",
    ]
    second = ["", f"| metric | Pearson, printed | {pearsons} |", f"| --- |{' ---: |' * (1 + len(faces))}"]
    for metric in PRINTED:
        means = [found[metric].mean(axis=1) for found in faces.values()]
        cells = [both(rated, metric)]
        for values in means:
            cells += [both(values.tolist(), metric), f"{spearman(values, rated):.2f}"]
        cells.append(f"{spearman(*means):.2f}")
        lines.append(f"| {metric} | {' | '.join(cells)} |")
        lengths = [f"{PEARSON[metric]:.2f}", *(f"{pearson(found[metric]):.2f}" for found in faces.values())]
        second.append(f"| {metric} | {' | '.join(lengths)} |")
    full = np.array([rc.perception.UNITS[name].full for name in ratings()])
    own = pearson(full[:, None] * np.array(ACTIVATIONS))
    lines += [*second, "", f"The thesis's own RMS of table 5.11 has a Pearson correlation of {own:.2f} with the same lines.", ""]
    lines += ["| metric | face | from the most important on |", "| --- | --- | --- |"]
    lines += [f"| {metric} | {name} | {order_of(found[metric])} |" for metric in PRINTED for name, found in faces.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks")
    options = parser.parse_args()
    rigs = {
        "ICT": rc.faces.ict(options.data / "ict_facekit"),
        "hm08": rc.faces.makehuman(options.data / "makehuman_hm08", "arkit"),
    }
    text = tables({name: measured(Head.of(rig)) for name, rig in rigs.items()})
    print(text)
    if options.write:
        write_between_marks("printed orders", text)


if __name__ == "__main__":
    main()
