"""The least errors of deformation maps on two faces: ICT's face tile, and the production face.

    python -m benchmarks.systems.face_maps.floors [--data ../shared/data] [--face build/face_maps] [--only ict
        production]
        [--pictures FOLDER]

ICT: the first texture tile over all 57 shapes, mended for maps of 32 x 32 and of 64 x 64 texels; each figure stands
beside its goal and the artist's layout. Production face: the layout of ``rc.training.face_layout`` from the training
clips (``--face`` is the folder of ``benchmarks.systems.face_maps.sets``), its floors on the judged clips at 32 x 32, at
64 x 64, and at 32 x 32 with refined rectangles. Distances are in millimeters over vertices that move.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.training.map_floors import refined_floor

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.baselines.sets import ROOT
from rigcast import _core
from rigcast.training._face_maps._layout.rigid import RIGID, MovingFace, distances, rigid_motions

GOALS = {32: (0.07, 2.6), 64: (0.02, 0.9)}
FIELDS = 20
MOVES = 1e-3  # mm
CLIPS = ("performance", "held out")
CLIP_STEP = 4  # judged frames are evenly spaced


def ict_face_tile(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Texture coordinates, neutral, faces and offsets of the first texture tile of ICT's face; lengths in mm."""
    topology, expressions = np.load(folder / "topology_neutral.npz"), np.load(folder / "expressions.npz")
    uvs = np.full((9409, 2), np.nan)
    corners = (topology["faces"] >= 0) & (topology["faces"] < 9409)
    vertices, given = topology["faces"][corners], topology["uv"][topology["face_uv"][corners]]
    first = (np.floor(given) == 0.0).all(axis=1)
    uvs[vertices[first]] = given[first]
    kept = np.flatnonzero(np.isfinite(uvs[:, 0]))
    place = np.full(len(topology["neutral"]), -1)
    place[kept] = np.arange(len(kept))
    faces = np.where(topology["faces"] >= 0, place[topology["faces"]], -1)
    faces = faces[((faces >= 0) | (topology["faces"] < 0)).all(axis=1)]
    return uvs[kept], 10.0 * topology["neutral"][kept], faces, 10.0 * expressions["deltas"][:, kept]


def figures(left: np.ndarray, offsets: np.ndarray) -> tuple[float, float]:
    """Mean and largest distance over vertices that move."""
    moved = np.linalg.norm(offsets, axis=2) > MOVES
    return float(left[moved].mean()), float(left.max())


def ict(folder: Path) -> str:
    """The face tile: goals, the artist's layout, ours."""
    uvs, rest, faces, offsets = ict_face_tile(folder)
    stretched = (uvs - uvs.min(axis=0)) / np.ptp(uvs, axis=0)
    lines = [f"ICT's face tile, {len(uvs):,} vertices, {len(offsets)} shapes; mean / max in mm", ""]
    lines += ["| texels | goal | artist | mended | | folded | overlapped | s |", "| --- " * 8 + "|"]
    for resolution, goal in GOALS.items():
        started = time.monotonic()
        mended = _core.mend_uvs(uvs, rest, faces, offsets, resolution, FIELDS)
        spent = time.monotonic() - started
        before, after = (
            figures(rc.metrics.map_floor(at, offsets, resolution), offsets) for at in (stretched, mended["uvs"])
        )
        verdict = "reached" if after[0] <= goal[0] and after[1] <= goal[1] else "MISSED"
        words = " | ".join("{:.3f} / {:.2f}".format(*pair) for pair in (goal, before, after))
        overlaps = _core.num_overlapped(mended["uvs"], faces)
        figure = f"{verdict} | {mended['folded_after']} | {overlaps} | {spent:.0f}"
        lines.append(f"| {resolution}^2 | {words} | {figure} |")
    return "\n".join(lines)


def production(folder: Path, pictures: Path | None) -> str:
    """The production face: its layout, and floors on the judged clips."""
    training = rc.Dataset(sorted(folder.glob("mixed-*.rwdata"))[-1])
    started = time.monotonic()
    layout = rc.training.face_layout(training)
    spent = time.monotonic() - started
    lines = [f"Production face, laid out in {spent:.0f} s", "", "```text", str(layout), "```", ""]
    coarse = layout.refined([])
    finer = replace(coarse, segments=[replace(segment, resolution=64) for segment in coarse.segments])
    lines += ["| judged clip | maps | mean / max, mm |", "| --- | --- | --- |"]
    unit = 1e3 * training.meters_per_unit
    for clip in CLIPS:
        judged = rc.Dataset(folder / f"{clip}.rwdata")
        offsets = ((judged.vertices[::CLIP_STEP] - judged.rest_vertices) * unit).astype(np.float32)
        refined = len(layout.segments) - len(coarse.segments)
        for words, item in (("32^2", coarse), ("64^2", finer), (f"32^2 and {refined} rectangles of 64^2", layout)):
            mean, most = figures(refined_floor(item, offsets), offsets)
            lines.append(f"| {clip} | {words} | {mean:.3f} / {most:.2f} |")
        moving = MovingFace(unit * np.asarray(judged.rest_vertices, np.float64), offsets)
        for part in layout.parts:
            posed = moving.posed(part.vertices)
            motion = rigid_motions(moving.rest[part.followers], moving.posed(part.followers))
            left = distances(moving.rest[part.vertices], posed, *motion)
            rms = np.sqrt(np.square(left).mean())
            verdict = "reached" if rms < RIGID else "MISSED"
            figure = f"{rms:.4f} RMS / {left.max():.4f}, {verdict}"
            lines.append(f"| {clip} | rigid: {part.name}, goal {RIGID} RMS | {figure} |")
        if pictures is not None:
            left = refined_floor(coarse, offsets)
            axes = rc.plot.map_layout(layout, faces=training.faces, error=np.sqrt(np.square(left).mean(axis=0)))
            axes[0].figure.savefig(pictures / f"layout, {clip}.png", dpi=110)
    return "\n".join(lines)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--face", type=Path, default=ROOT / "build" / "face_maps")
    parser.add_argument("--only", nargs="+", choices=["ict", "production"], default=["ict", "production"])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the layout")
    given = parser.parse_args()
    parts = [ict(given.data / "ict_facekit")] if "ict" in given.only else []
    if "production" in given.only:
        parts.append(production(given.face, given.pictures))
    text = "\n\n".join(parts)
    print(text)
    if given.write:
        write_between_marks("floors of deformation maps", text)


if __name__ == "__main__":
    main()
