"""Error of a face when only the first shapes of an order of importance are evaluated.

``python -m benchmarks.papers.blendshapes.level_of_detail --write`` (about two minutes) draws error against prefix for every
order into ``docs/level_of_detail.png`` and puts the tables into docs/benchmarks; without ``--write`` it prints the
tables and draws into build. Two faces play the first performance of compskin_face_anim: the ICT
face with that data set's 72 controls and 215 constructed combinations, and MakeHuman's face with the 52 sculpted ARKit
shapes, driven by the same curves through the table of ``rigcast.faces`` (a control drives the ARKit shape of that
name; all of its body counts as vertices, so its errors compare with each other only). "RMS, as the clip uses it" knows
the clip: RMS times how much the clip uses a shape. The other orders do not.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import machine
from rigcast.crowd._importance import MEASURES
from rigcast.faces._compskin import compskin_curves, control_table
from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES
from rigcast.plot._drawing import figure, plain_numbers
from rigcast.plot._portrait import portrait_renderer

ROOT = Path(__file__).resolve().parents[3]
PERFORMANCE = slice(0, 200, 4)  # the data set cuts after row 199
CAMERA = rc.crowd.Camera(field_of_view=40.0, image_height=1080)
Orders = dict[str, NDArray[np.int32]]
METRES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)

# Carrigan 2020, table 5.12: mean rating of an action unit's difference from the neutral. A shape takes the rating of
# the first unit one of whose words its name holds.
RATINGS = (
    (("jawopen", "jawdrop"), 5.97),
    (("eyeblink", "eyesclosed"), 5.20),
    (("mouthsmile", "lipcornerpuller"), 4.18),
    (("browinnerup", "browouterup", "innerbrowraiser", "outerbrowraiser"), 3.56),
    (("mouthpucker", "lippucker", "mouthfunnel", "lipfunneler"), 3.55),
    (("cheeksuck",), 3.24),
    (("eyewide", "upperlidraiser"), 3.15),
    (("cheekpuff",), 2.77),
    (("mouthfrown", "lipcornerdepressor"), 2.56),
    (("browdown",), 2.22),
    (("nostrildilator",), 1.78),
)


@dataclass(frozen=True)
class Look:
    """An order's name on the page, and its line in the chart: geometry is drawn through, images are dashed."""

    words: str
    color: str
    style: str
    width: float = 1.4


LOOKS = {
    "as in the file": Look("as in the file", QUIET, ":"),
    "rms": Look("RMS displacement", ACCENT, "-", 1.8),
    "hausdorff": Look("Hausdorff distance", SERIES[1], "-"),
    "triangle_distortion": Look("triangle distortion", SERIES[6], "-"),
    "image_mse": Look("pictures: mean square of pixels", SERIES[5], "--"),
    "image_ssim": Look("pictures: structural similarity", "#c99a2e", "--"),
    "image_perceptual": Look("pictures: Yee's difference", SERIES[3], "--"),
    "ratings": Look("published ratings of people", INK, "-", 1.0),
    "rms in the clip": Look("RMS, as the clip uses it", ACCENT, "-."),
}
PARTS = (0.75, 0.5, 0.25)  # of the shapes
PLACES = ("level of detail", "level of detail on MakeHuman")  # on the pages, in the order of the faces
BLINKS = ("eyeblink", "eyesclosed")
MOUTH = ("mouth", "lip", "jaw", "dimpler")


@dataclass(frozen=True)
class Face:
    name: str
    rig: rc.BlendshapeRig
    weights: NDArray[np.float32]  # (T, K)

    @property
    def millimeters(self) -> float:
        return 1000.0 * float(self.rig.metadata["meters_per_unit"])

    def named(self, words: tuple[str, ...]) -> NDArray[np.bool_]:
        """(K,) whether a shape's name holds one of the words."""
        return np.array([any(word in name.lower() for word in words) for name in self.rig.shape_names])


def faces(data: Path) -> Iterator[Face]:
    rig, weights = rc.faces.ict_with_combinations(data / "ict_facekit", data / "compskin_face_anim")
    yield Face("ICT face, 72 shapes, 215 constructed combinations", rig, weights[PERFORMANCE])
    whole = rc.faces.makehuman(data / "makehuman_hm08", "arkit")
    kept = [k for k, name in enumerate(whole.shape_names) if not name.startswith("viseme")]
    names = [whole.shape_names[k] for k in kept]
    deltas = np.stack([whole.column(k) for k in kept])
    rig = rc.BlendshapeRig(whole.rest_vertices, deltas, names=names, faces=whole.faces, metadata=whole.metadata)
    controls, curves = compskin_curves(data / "compskin_face_anim")
    yield Face(f"MakeHuman face, {len(kept)} ARKit shapes", rig, arkit_weights(names, controls, curves[PERFORMANCE]))


def arkit_weights(names: list[str], controls: list[str], curves: NDArray[np.float32]) -> NDArray[np.float32]:
    """Curves of ARKit shapes: of the controls that the table lets drive a shape, the strongest."""
    table, weights = control_table(), np.zeros((len(curves), len(names)), np.float32)
    for control, curve in zip(controls, curves.T, strict=True):
        for term in table[control]:
            name = term["shape"].replace("_L", "Left").replace("_R", "Right")
            name = name if name in names else name.removesuffix("Left").removesuffix("Right")
            if name in names:
                own = weights[:, names.index(name)]
                np.maximum(own, np.clip(term.get("weight", 1.0) * curve, 0.0, 1.0), out=own)
    return weights


def orders(face: Face) -> Orders:
    rig = face.rig
    found = {"as in the file": np.arange(rig.num_shapes, dtype=np.int32)}
    with portrait_renderer(rig) as picture:
        for by in MEASURES:
            if by != "displacement":  # nearly that of rms
                found[by] = rc.crowd.importance_order(rig, by, picture=picture)
    use = np.sqrt(np.square(face.weights).mean(axis=0))
    return found | {
        "ratings": rc.crowd.importance_order(rig, ratings(face)),
        "rms in the clip": rc.crowd.importance_order(rig, use * rc.crowd.importance(rig, "rms")),
    }


def ratings(face: Face) -> NDArray[np.float64]:
    """Published ratings, and for shapes without one what a line through the rated shapes' RMS gives."""
    rms = rc.crowd.importance(face.rig, "rms")
    scores = np.full(len(rms), np.nan)
    for words, rating in RATINGS:
        scores[face.named(words) & np.isnan(scores)] = rating
    rated = ~np.isnan(scores)
    slope, start = np.polyfit(rms[rated], scores[rated], 1)
    return np.where(rated, scores, start + slope * rms)


def table(face: Face, found: Orders, errors: dict[str, rc.crowd.LevelOfDetailErrors]) -> str:
    """Markdown: errors of the first shapes of each order, where the first blink stands, and mouth shapes kept."""
    count = face.rig.num_shapes
    at = [round(part * count) for part in PARTS]
    parts = ", ".join(f"{part:.0%}" for part in PARTS)
    none_rms, none_worst = (values[0] for values in over_clip(next(iter(errors.values())), face))
    lines = [
        f"| {face.name}: order | RMS error in mm at {parts} of the shapes | worst vertex, mm | motion missing "
        f"| first blink is number | mouth shapes in the first {at[-1]} |",
        "|" + " --- |" * 6,
        f"| without any shape | {none_rms:.2f} | {none_worst:.1f} | 100% | | |",
    ]
    for label, order in found.items():
        rms, worst = over_clip(errors[label], face)
        blink = int(np.flatnonzero(face.named(BLINKS)[order])[0]) + 1
        mouth = int(face.named(MOUTH)[order][: at[-1]].sum())
        name = LOOKS[label].words + (f" (`{label}`)" if label in MEASURES else "")
        cells = [", ".join(f"{value:.{digits}f}" for value in values[at]) for values, digits in ((rms, 2), (worst, 1))]
        missing = ", ".join(f"{share:.0%}" for share in rms[at] / none_rms)
        lines.append(f"| {name} | {' | '.join(cells)} | {missing} | {blink} | {mouth} |")
    return "\n".join(lines)


def about(face: Face) -> str:
    return (
        f"{len(face.weights)} frames on {face.rig.metadata['name']}. RMS over vertices and frames; the missing part is that RMS beside the RMS without any shape, which "
        f"is all the motion. {machine()}; rigcast {rc.__version__}, NumPy {np.__version__}."
    )


def over_clip(errors: rc.crowd.LevelOfDetailErrors, face: Face) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(K + 1,) RMS over vertices and frames, and the largest of both, in millimeters."""
    return face.millimeters * np.sqrt(np.square(errors.rms).mean(axis=0)), face.millimeters * errors.max.max(axis=0)


def print_detail(face: Face, order: NDArray[np.int32]) -> None:
    measured = rc.crowd.LevelOfDetail(face.rig, order, face.weights)
    bound = rc.crowd.LevelOfDetail(face.rig, order)
    distance = np.array(METRES) / float(face.rig.metadata["meters_per_unit"])
    print(f"shapes for an error of one pixel, {CAMERA.image_height} lines, {CAMERA.field_of_view:g} degrees, order rms")
    print("meters    " + " ".join(f"{meters:5g}" for meters in METRES))
    for label, lod in (("measured", measured), ("bound", bound)):
        print(f"{label:<9} " + " ".join(f"{n:5d}" for n in lod.prefix(distance, CAMERA)))


def print_times(face: Face, order: NDArray[np.int32], heads: int = 100) -> None:
    """Print the time of prefixes and shared heads, relative to distinct heads with all shapes, on one thread."""
    rng = np.random.default_rng(0)
    crowd = rc.crowd.Crowd(face.rig, [face.weights], order)
    own = np.linspace(0, len(face.weights) - 1, heads)
    shared = rng.choice(own, 10)[rng.integers(0, 10, heads)]
    out = np.empty((heads, *face.rig.rest_vertices.shape), np.float32)
    calls: dict[str, Callable[[], object]] = {}
    for part in (1.0, 0.75, 0.5, 0.25):
        length = round(part * face.rig.num_shapes)
        calls[f"{part:.0%} of the shapes"] = partial(crowd.evaluate, 0, own, length, out=out, threads=1)
    calls["10 distinct heads, copied to all"] = lambda: crowd.evaluate(0, shared, out=out, threads=1)
    calls["10 distinct heads, instanced"] = lambda: crowd.instances(0, shared, threads=1)
    taken: dict[str, list[float]] = {label: [] for label in calls}
    for _ in range(11):  # in turns, so that all see the same machine; the first round warms up
        for label, call in calls.items():
            begin = time.perf_counter()
            call()
            taken[label].append(time.perf_counter() - begin)
    medians = {label: statistics.median(times[1:]) for label, times in taken.items()}
    whole = next(iter(medians.values()))
    print(f"time of {heads} heads on one thread, relative to all shapes of distinct heads ({1000 * whole:.1f} ms)")
    for label, seconds in medians.items():
        print(f"  {label:<33} {seconds / whole:5.2f}")


def draw(results: list[tuple[Face, dict[str, rc.crowd.LevelOfDetailErrors]]], path: Path) -> None:
    canvas, axes = figure(2, len(results), (10.4, 7.2), sharex=True)
    for column, (face, errors) in enumerate(results):
        share = 100.0 * np.arange(face.rig.num_shapes + 1) / face.rig.num_shapes
        for row, unit in enumerate(("RMS error, mm", "error of the worst vertex, mm")):
            axis = axes[row * len(results) + column]
            for label, own in errors.items():
                values, look = over_clip(own, face)[row], LOOKS[label]
                axis.plot(share, values, color=look.color, linestyle=look.style, lw=look.width, label=look.words)
                highest = values[0]
            axis.set(yscale="log", xlim=(0, 100), ylim=(0.01 * highest, 1.2 * highest), ylabel=unit)
            plain_numbers(axis.yaxis)
        axes[column].set_title(face.name, loc="left", fontsize=10, color=QUIET)
        axes[len(results) + column].set_xlabel("shapes evaluated, %")
    canvas.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(path, dpi=85, facecolor="white", pil_kwargs={"optimize": True})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the faces")
    parser.add_argument("--out", type=Path, help="the picture (default: in build, with --write in docs)")
    parser.add_argument("--write", action="store_true", help="put the tables and the picture into docs")
    arguments = parser.parse_args()
    picture = arguments.out or ROOT / ("docs" if arguments.write else "build") / "level_of_detail.png"
    results, parts = [], []
    for face in faces(arguments.data):
        found = orders(face)
        errors = {
            label: rc.crowd.level_of_detail_errors(face.rig, order, face.weights) for label, order in found.items()
        }
        parts.append(table(face, found, errors))
        print(f"\n{parts[-1]}\n", flush=True)
        print_detail(face, found["rms"])
        print_times(face, found["rms"])
        results.append((face, errors))
    draw(results, picture)
    print(f"\n{picture}")
    if arguments.write:
        for place, part, (face, _) in zip(PLACES, parts, results, strict=True):
            write_between_marks(place, f"{part}\n\n{about(face)}")


if __name__ == "__main__":
    main()
