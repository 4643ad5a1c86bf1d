"""Draws packed expressions: ``python docs/figures/draw_packing.py DATA``.

DATA is the folder with ``ict_facekit``. After figures 3.9, 3.13 and 3.18 of Carrigan 2020, on the ICT face in place of
the thesis's characters; the target is a random identity (seed 0). The published program: no anatomy.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import rigcast as rc

FOLDER = Path(__file__).resolve().parent
WIDTH, COLORS = 130, 128
NOT_ARKIT = ("cheekRaiser_L", "cheekRaiser_R", "PupilDilate_L", "PupilDilate_R")
UNIQUENESS = (0.0, 0.5)  # beta
THRESHOLDS = (0.1, 0.25, 0.3, 0.4)


class Packed:
    """The face, and its first expressions by any settings."""

    def __init__(self, data: Path) -> None:
        self.face = rc.faces.ict(data / "ict_facekit")
        self.target = rc.faces.ict(data / "ict_facekit", identity=np.random.default_rng(0).standard_normal(100))
        self.chosen = [k for k, name in enumerate(self.face.shape_names) if name not in NOT_ARKIT]
        self.shapes = self.face.rest_vertices + self.face.columns()[self.chosen]

    def rows(self, count: int, **options: Any) -> tuple[NDArray[np.float32], list[int]]:
        """Weights (count, K) of the first expressions, and how many shapes each has."""
        plan = rc.transfer.pack_expressions(
            self.face.rest_vertices,
            self.shapes,
            self.face.faces,
            target_neutral=self.target.rest_vertices,
            names=[self.face.shape_names[k] for k in self.chosen],
            anatomy=False,
            limit=count,
            **options,
        )
        weights = np.zeros((count, self.face.num_shapes), np.float32)
        for row, shapes in zip(weights, plan.expressions, strict=False):
            row[[self.chosen[k] for k in shapes]] = 1.0
        return weights, [len(shapes) for shapes in plan.expressions[:count]]

    def sheet(self, name: str, settings: dict[str, dict[str, Any]], count: int) -> None:
        """Write a picture with a row per setting."""
        weights, titles = [], []
        for title, options in settings.items():
            own, sizes = self.rows(count, **options)
            weights.append(own)
            titles += [f"{title}: {size}" for size in sizes]
        sheet = rc.plot.contact_sheet(self.face, np.concatenate(weights), titles, columns=count, width=WIDTH)
        image = Image.fromarray(np.asarray(sheet, np.uint8)[..., :3])
        image.quantize(COLORS, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)


def main() -> None:
    """Write packing_uniqueness.png, packing_thresholds.png and packing_importance.png."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    packed = Packed(parser.parse_args().data)
    packed.sheet("packing_uniqueness.png", {f"beta {b:g}": {"beta": b, "symmetry": False} for b in UNIQUENESS}, 5)
    thresholds = {f"threshold {mu:g}": {"threshold": mu, "symmetry": False} for mu in THRESHOLDS}
    packed.sheet("packing_thresholds.png", thresholds, 4)
    packed.sheet("packing_importance.png", {"importance": {"symmetry": False}, "and symmetry": {}}, 3)


if __name__ == "__main__":
    main()
