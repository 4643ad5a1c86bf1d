"""Tables 3.1 to 3.3 of Bailey 2020 for the production face, with the paper's rows.

    python -m benchmarks.papers.maps.tables [--data ../shared/data] [--kept build/papers_maps] [--poses 8000]
        [--steps 60000] [--time-rig] [--write]

``--time-rig`` only times the rig in Blender, in an environment that has it, and keeps the result. The models are those
of ``published.py`` and ``methods.py``; one that is not trained to its end has no errors, and the
size and times of one that is after a few steps. Times are processor times on one thread: the machine has other work.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.maps.methods import Judged, Method, Networks, methods, milliseconds
from benchmarks.papers.maps.published import FEW_STEPS, PAPER_POSES, Published, arguments, dense_path, train_dense
from benchmarks.systems.face_maps.sets import TRAINING, production_face
from rigcast._timing import load_average, machine

TIMED = 100  # poses in Blender
PAPER_SIZES = (
    ("Hiccup", "12,510", 258, 10, 4, 26, 8.66, 25.96),
    ("Valka", "12,828", 265, 9, 3, 24, 7.39, 27.32),
    ("Toothless", "14,080", 286, 18, 4, 110, 12.97, 31.66),
    ("Ray", "4,922", 99, 6, 3, 2, 5.08, 24.19),
)
PAPER_ERRORS = {  # Hiccup, Valka, Toothless, Ray
    "coarse": ((0.36, 0.43, 2.01, 1.00), (1.6, 1.7, 3.1, 3.8)),
    "refined": ((0.27, 0.37, 1.81, 0.40), (0.9, 1.1, 2.4, 1.5)),
    "dense": ((0.37, 0.98, 1.55, 5.00), (1.9, 5.5, 1.9, 8.9)),
    "linear skinning, 16 bones": ((0.49, 0.33, 4.36, 0.64), (2.0, 1.9, 5.2, 4.2)),
    "linear skinning, 24 bones": ((0.35, 0.25, 2.77, 0.46), (1.9, 1.8, 4.3, 3.7)),
    "linear skinning, 32 bones": ((0.24, 0.21, 2.35, 0.44), (1.6, 1.6, 4.5, 4.1)),
}
PAPER_TIMES = (("Hiccup", 75, 2.9, 4.2, 2.1), ("Valka", 66, 2.7, 3.8, 2.2), ("Toothless", 30, 4.4, 5.6, 2.9))
GIVEN = "given the truth"


def sizes(training: rc.Dataset, networks: Networks, *paths: Path) -> str:
    """Table 3.1; ``paths`` are the files of the published and the dense network."""
    segments: list[object] = ["–"] * 3
    if networks.maps is not None:
        tensors = networks.maps.tensors()
        levels = tensors["segments.level"]
        segments = [int((levels == 0).sum()), int((levels == 1).sum()), len(tensors["parts.follower"])]
    megabytes = [f"{path.stat().st_size / 1e6:.2f}" if path.exists() else "–" for path in paths]
    own = ["production face", f"{len(training.rest_vertices):,}", training.poses.shape[1], *segments, *megabytes]
    head = "| | vertices | parameters | coarse segments | refined segments | rigid segments | model, MB | dense, MB |"
    rows = [own, *((f"paper: {name}", *others) for name, *others in PAPER_SIZES)]
    return "\n".join([head, "| --- |" + " ---: |" * 7, *(_row(row) for row in rows)])


def errors(judged: Judged, rows: list[Method]) -> str:
    """Table 3.2."""
    clips = list(judged.vertices)
    head = ["method", "driven by", "budget", *(f"{clip}: mm / degrees" for clip in clips)]
    lines = [_row(head), "|" + " --- |" * 3 + " ---: |" * (len(clips) + 1)]
    lines[0] += " paper: mm / degrees, Hiccup, Valka, Toothless, Ray |"
    for method in rows:
        found = []
        for clip in clips:
            known = clip in method.vertices
            found.append("{:.3f} / {:.2f}".format(*mean_errors(judged, method, clip)) if known else "–")
        published = zip(*PAPER_ERRORS[method.name], strict=True)
        theirs = ", ".join(f"{mm:.2f} / {degrees:.1f}" for mm, degrees in published)
        if method.driven != "controls" and GIVEN not in method.driven:
            theirs = "–"
        lines.append(_row([method.name, method.driven, method.budget, *found, theirs]))
    return "\n".join(lines)


def mean_errors(judged: Judged, method: Method, clip: str) -> tuple[float, float]:
    """Mean distance in mm over all vertices and mean angle of the face normals in degrees (equation 3.6)."""
    truth, made = judged.vertices[clip], method.vertices[clip]
    distance = judged.unit * np.linalg.norm(made.astype(np.float64) - truth, axis=2).mean()
    return float(distance), rc.metrics.normal_angle(truth, made, judged.faces).mean


def times(networks: Networks, poses: np.ndarray, rig: float | None) -> str:
    """Table 3.3 on the CPU."""
    calls = networks.calls()
    names = ("coarse", "refined", "dense")
    found = [f"{milliseconds(calls[name], poses):.2f}" if name in calls else "–" for name in names]
    rows = [["production face", "–" if rig is None else f"{rig:.1f}", *found]]
    rows += [[f"paper: {name}", *others] for name, *others in PAPER_TIMES]
    head = ["ms per pose, CPU", "rig", "coarse", "full", "dense"]
    return "\n".join([_row(head), "| --- |" + " ---: |" * 4, *(_row(row) for row in rows)])


def ends(published: Published) -> str:
    """Lines on the budget and on how the held-out error ended per level."""
    lines = []
    for stage, curve in published.curve().items():
        half = [entry for entry in curve if entry["part"] <= 0.5] or curve[:1]
        first, middle, last = curve[0]["mm"], half[-1]["mm"], curve[-1]["mm"]
        lines.append(
            f"- {stage}: held-out error {first:.3f} mm after {curve[0]['part']:.0%} of its steps, {middle:.3f} after half, "
            f"{last:.3f} at the end; {(curve[-1]['at'] - curve[0]['at']) / 60:.0f} minutes beside other work."
        )
    return "\n".join(lines)


def sized(training: rc.Dataset, published: Published, folder: Path) -> list[Path]:
    """The files of both networks, after a few steps where a training is not at its end: size and time are those."""
    paths = [published.path, dense_path(folder)]
    if not paths[0].exists():
        begun = Published(training, folder, FEW_STEPS)
        begun.trained()
        paths[0] = begun.path
    if not paths[1].exists():
        train_dense(training, folder, FEW_STEPS)
        paths[1] = dense_path(folder, FEW_STEPS)
    return paths


def time_rig(folder: Path, training: rc.Dataset) -> None:
    """Keep the milliseconds of the fastest pose of the dials in Blender, since the machine has other work; the load."""
    with rc.sources.load(folder / "face.blend") as bones:
        rig = rc.sources.dials_only(bones)
        seconds = rig.time_pose(np.asarray(training.channels)[:TIMED])
    found = {"milliseconds": float(1e3 * np.min(seconds)), "load": load_average()}
    (folder / "rig_time.json").write_text(json.dumps(found), encoding="utf-8")
    print(found)


def _row(cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"  # type: ignore[attr-defined]


def main() -> None:
    """Make what is missing, and print."""
    parser = arguments(__doc__)
    parser.add_argument("--time-rig", action="store_true")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/faces")
    given = parser.parse_args()
    found = production_face(given.data, given.kept, given.poses)
    training, folder = found.training[TRAINING], given.kept
    if given.time_rig:
        return time_rig(folder, training)
    published, judged = Published(training, folder, given.steps), Judged.of(found.judged)
    networks = Networks.finished(published.path, dense_path(folder))
    paths = sized(training, published, folder)
    rows = methods(training, judged, published, networks, folder)
    known = folder / "rig_time.json"
    rig = json.loads(known.read_text(encoding="utf-8"))["milliseconds"] if known.exists() else None
    counts = {clip: len(frames) for clip, frames in judged.vertices.items()}
    frames = ", ".join(f"{count} frames of {clip}" for clip, count in counts.items())
    text = "\n\n".join(
        [
            sizes(training, Networks.finished(*paths), *paths),
            errors(judged, rows),
            f"Judged by {frames}. Learned from {len(training):,} poses (paper: {PAPER_POSES:,}).",
            ends(published) or "The published network is not trained to its end.",
            times(Networks.finished(*paths), next(iter(judged.poses.values())), rig),
            f"The rig: Blender, the fastest of {TIMED} poses. Models: one thread, processor time, mean of 1,000 poses; load {load_average():.1f}; {machine()}",
        ]
    )
    print(text)
    if given.write:
        write_between_marks("published deformation maps", text)
    return None


if __name__ == "__main__":
    main()
