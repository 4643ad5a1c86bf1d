"""The inverse rig where the fitted model did not make the targets: ``python -m benchmarks.papers.inverse.mismatch``.

Seven tables and three pictures, each row made once and kept in ``--kept`` until its settings change: an interrupted run
goes on. The order-4 ICT face makes the targets and judges the weights; its truncations are fitted by all methods
(Rackovic et al. 2022, tables 1 to 5, figures 5, 8 and 9), the interior-point method on a part of the frames, which the
others solve again; the paper's figures stand beside ours. One objective's solvers are compared (does sparsity belong to
a method?). Rigs that were transferred to another identity are fitted to it. Scan-like targets are fitted with squared
and with robust losses. Seconds are processor time of one thread. About 40 minutes on a quiet machine, nearly all of it
the interior-point method; minutes with ``--quick``.

Example: ``python -m benchmarks.papers.inverse.mismatch --data ../shared/data --write``
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy

import rigcast as rc
from benchmarks.papers.inverse.mismatched import identities, methods, pictures, published, scans, sparsity, strong
from benchmarks.papers.inverse.mismatched.kept import Kept, digits, table
from benchmarks.papers.inverse.mismatched.scene import Scene, face_scene
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

ROOT = Path(__file__).resolve().parents[3]
TABLES = {  # method of Tables: place in the docs
    "methods": "inverse mismatch",
    "interior_point": "inverse interior point",
    "published": "inverse published",
    "strong": "inverse strong",
    "sparsity": "inverse sparsity",
    "identities": "inverse identities",
    "scans": "inverse scans",
}
TOLD = {  # what rows of before had otherwise
    "smoothness": "sum over the frames",
    "mm": "to convergence, and as released frame by frame",
    "cet_loc": "core of a tenth",
    "by_frame": "kept",
}
INTERIOR_BEGINS = 60  # judged frame: the performance is under way


class Tables:
    """The parts of the page, each made when it is asked for.

    Parameters
    ----------
    arguments : namespace
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.scene: Scene = face_scene(arguments.data, arguments.kept, arguments.frames, arguments.vertices)
        end = min(INTERIOR_BEGINS + arguments.interior, arguments.frames)
        self.interior = slice(max(end - arguments.interior, 0), end)
        told = TOLD
        kept = self.kept("methods", **told), self.kept("interior", "interior", **told)
        self.bench = methods.Bench(self.scene, self.interior, *kept, {})

    def kept(self, name: str, *decides: str, **meaning: str) -> Kept:
        """The rows of a table, which frames, vertices, these arguments and what a figure means decide."""
        settings = {key: vars(self.arguments)[key] for key in ("frames", "vertices", *decides)}
        folder = self.arguments.kept / "quick" if self.arguments.quick else self.arguments.kept
        return Kept(folder / name, {"table": name} | settings | meaning)

    def methods(self) -> str:
        """Tables 1 to 5, and figures 5, 8 and 9."""
        curves = pictures.approximations(self.scene)
        rows = self.bench.rows()
        if self.arguments.write:
            pictures.draw_approximations(curves, self.scene.cut)
            pictures.draw_elbows([*rows, self.bench.interior_curve()])
        text = f"{self.about()}\n\nAt the true weights. {pictures.forward_sentence(curves)}"
        return text + "\n\n" + table(methods.HEAD, [methods.cells(row) for row in rows])

    def about(self) -> str:
        scene = self.scene
        return (
            f"{len(scene.vertices):,} vertices that move, {scene.rig.num_shapes} controls; targets and judge: "
            f"{scene.rig.num_columns - scene.rig.num_shapes} combinations and in-betweens up to order 4. Judged: "
            f"{scene.cut} frames of performance and {len(scene.judged) - scene.cut} of range of motion; alpha by the "
            f"elbow on {len(scene.training)} frames of another take. {self.true_weights(slice(None))}"
        )

    def true_weights(self, frames: slice) -> str:
        """The figures, in the columns of weights, of a method that finds the weights of the targets."""
        weights = self.scene.judged[frames]
        return (
            f"The true weights: {(weights > 0).sum(axis=1).mean():.1f} > 0, {(weights > 1e-3).sum(axis=1).mean():.1f} "
            f"> 0.001, L1 {digits(float(weights.sum(axis=1).mean()))}, "
            f"smoothness {digits(self.bench.smoothness(weights, frames))}."
        )

    def interior_point(self) -> str:
        """The frames of the interior-point method, by all."""
        frames = self.interior
        text = f"Judged frames {frames.start} to {frames.stop - 1}. {self.true_weights(frames)}"
        return text + "\n\n" + table(methods.HEAD, [methods.cells(row) for row in self.bench.interior_rows()])

    def strong(self) -> str:
        """The face with constructed corrections."""
        scene = strong.strong(self.scene)
        kept = self.kept("strong", factor=str(strong.FACTOR), **TOLD)
        rows = strong.rows(methods.Bench(scene, self.interior, kept, kept, {}))
        curves = pictures.approximations(scene)
        text = f"Corrections x {strong.FACTOR}, constructed. At the true weights. {pictures.forward_sentence(curves)}"
        return text + "\n\n" + table(methods.HEAD, [methods.cells(row) for row in rows])

    def published(self) -> str:
        """The paper's figures beside ours, and figures 10, 11, 13, 15 and 16 of the interior frames."""
        if self.arguments.write:
            pictures.draw_boxes(self.bench.interior_rows())
        return published.Beside(self.bench.rows(), self.bench.interior_rows(), self.scene.rig.num_shapes).text()

    def sparsity(self) -> str:
        alpha = float(self.bench.made("pairs", methods.OURS)["alpha"])
        found = sparsity.rows(self.bench, self.kept("sparsity", "compared"), alpha, self.arguments.compared)
        text = f"{self.arguments.compared} frames, alpha {alpha:g}."
        return text + "\n\n" + table(sparsity.HEAD, sparsity.cells(found))

    def identities(self) -> str:
        data, kept = self.arguments.data, self.kept("identities")
        sizes = len(self.scene.judged), len(self.scene.vertices)
        makers = [lambda: identities.makehuman(data, *sizes), lambda: identities.ict(self.scene, data)]
        rows = [row for make in makers for row in make().rows(kept)]
        text = f"{min(sizes[0], identities.FRAMES):,} judged frames of each, {sizes[1]:,} vertices that move."
        return text + "\n\n" + table(identities.HEAD, [identities.cells(row) for row in rows])

    def scans(self) -> str:
        alpha = float(self.bench.made("full", methods.OURS)["alpha"])
        shots = scans.Scans(self.scene, self.arguments.scanned, alpha, self.kept("scans", "scanned"))
        rows, gram = shots.rows(), shots.gram_seconds()
        quiet = rows[0]["weights"]
        text = (
            f"{len(shots.frames)} frames, alpha {alpha:g}. A Gram matrix takes {1e3 * gram['chosen']:,.0f} ms on "
            f"{len(self.scene.vertices):,} vertices, {1e3 * gram['all']:,.0f} ms on all "
            f"{len(self.scene.rig.rest_vertices):,}: weighted vertices would cost one per frame and round."
        )
        return text + "\n\n" + table(scans.HEAD, [scans.cells(row, quiet) for row in rows])


def versions() -> str:
    return (
        f"{machine()}; rigcast {rc.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}. One thread, "
        "processor time."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the faces")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "mismatch", help="folder of finished rows")
    parser.add_argument("--only", nargs="+", choices=list(TABLES), help="tables")
    parser.add_argument("--frames", type=int, default=500, help="judged frames")
    parser.add_argument("--vertices", type=int, default=4000, help="vertices, drawn from those that move")
    parser.add_argument("--interior", type=int, default=50, help="frames that the interior-point method solves")
    parser.add_argument("--compared", type=int, default=20, help="frames that solvers of one objective share")
    parser.add_argument("--scanned", type=int, default=100, help="frames of scan-like targets")
    parser.add_argument("--quick", action="store_true", help="few frames and vertices: does it all run?")
    parser.add_argument("--write", action="store_true", help="put tables and pictures into docs")
    arguments = parser.parse_args()
    if arguments.quick and arguments.write:
        parser.error("--quick writes no tables")
    if arguments.quick:
        small: dict[str, Any] = {"frames": 12, "vertices": 300, "interior": 2, "compared": 2, "scanned": 8}
        vars(arguments).update(small)
    print(f"load average {load_average():.1f}\n{versions()}", flush=True)
    made = Tables(arguments)
    for name in arguments.only or TABLES:
        text = getattr(made, name)()
        print(f"\n{text}\n", flush=True)
        if arguments.write:
            write_between_marks(TABLES[name], f"{text}\n\n{versions()}")


if __name__ == "__main__":
    main()
