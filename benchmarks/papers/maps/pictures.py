"""Pictures after figures 3.5 and 3.9 of Bailey 2020: training poses, and angles of normals by method.

    python -m benchmarks.papers.maps.pictures [--data ../shared/data] [--kept build/papers_maps] [--poses 8000]
        [--steps 60000] [--out docs/figures]

The frames of the second picture are those of the performance and of the constructed clips with the largest motion;
there is a column per method that is trained to its end, in the order of ``methods.py``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import rigcast as rc
from benchmarks.marks import ROOT
from benchmarks.papers.maps.methods import Judged, Method, Networks, methods
from benchmarks.papers.maps.published import Published, arguments, dense_path
from benchmarks.systems.face_maps.sets import TRAINING, production_face
from rigcast import _core

EXAMPLES, COLUMNS, WIDTH = 12, 6, 150  # pictures of poses
METHOD_WIDTH, TOP = 165, 20.0  # pixels; degrees at the end of the scale
COLORS = 255


def training_poses(training: rc.Dataset, seed: int = 0) -> rc.plot.Image:
    """Some poses of the training set, drawn by ``seed``."""
    rows = np.sort(np.random.default_rng(seed).permutation(len(training))[:EXAMPLES])
    vertices = training.take(rows)[2]
    return rc.plot.side_by_side(training, vertices, columns=COLUMNS, focus=moving(training), width=WIDTH)


def normals(training: rc.Dataset, judged: Judged, found: list[Method]) -> rc.plot.Image:
    """A row per clip: the rig, then each method, colored by the angle of the vertices' normals."""
    pictures, values, titles = [], [], []
    shown = [method for method in found if method.vertices]
    for clip, truth in judged.vertices.items():
        frame = int(np.square(truth - training.rest_vertices).sum(axis=(1, 2)).argmax())
        pictures += [truth[frame], *(method.vertices[clip][frame] for method in shown)]
        values += [None, *(angles(truth[frame], method.vertices[clip][frame], judged.faces) for method in shown)]
        titles += ["rig", *(_title(method) for method in shown)]
    return rc.plot.side_by_side(
        training, np.array(pictures), titles=titles, columns=1 + len(shown), values=values, top=TOP, unit="degrees",
        focus=moving(training), width=METHOD_WIDTH,
    )  # fmt: skip


def angles(truth: np.ndarray, made: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Degrees (V,) between the vertices' normals."""
    one, two = (_core.vertex_normals(np.asarray(v, np.float32), faces).astype(np.float64) for v in (truth, made))
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(one, two), axis=1), (one * two).sum(axis=1)))


def moving(training: rc.Dataset) -> np.ndarray:
    """Vertices that some of the first poses move: what pictures show."""
    reach = np.linalg.norm(training.take(np.arange(100))[2] - training.rest_vertices, axis=2).max(axis=0)
    return np.asarray(np.flatnonzero(reach > 0.05 * reach.max()))


def save(image: rc.plot.Image, path: Path) -> None:
    """As a PNG of few colors."""
    Image.fromarray(image.pixels).quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path)


def _title(method: Method) -> str:
    return method.name.replace("linear skinning", "LBS") + (", regressed" if "regression" in method.driven else "")


def main() -> None:
    """Draw both."""
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures")
    given = parser.parse_args()
    found = production_face(given.data, given.kept, given.poses)
    training = found.training[TRAINING]
    save(training_poses(training), given.out / "training_poses_of_a_face.png")
    published, judged = Published(training, given.kept, given.steps), Judged.of(found.judged)
    rows = methods(training, judged, published, Networks.finished(published.path, dense_path(given.kept)), given.kept)
    save(normals(training, judged, rows), given.out / "normals_by_method.png")


if __name__ == "__main__":
    main()
