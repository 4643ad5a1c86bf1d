"""Times the inverse rig beside general solvers and the published formulations.

    python -m benchmarks.systems.inverse.rig

Two rigs are timed: a constructed one of the paper's size, and the ICT face with the combinations and the real curves
of compskin_face_anim (left out, and said so, without the data); MakeHuman's macro rig joins them where it is compared
whose objective is lowest. Every row gives the objective it reached relative to
ours; a peer's time ends when it is within 1e-6 of ours, or at ``--limit`` (marked ``>``: at least). Seconds are
processor time of one thread, so that other work on the machine counts little. ``--write`` puts the tables into
docs/benchmarks: single frames of the constructed rig on the page of the inverse rig, the others among the experiments.
About 12 minutes on a quiet machine, a minute with ``--quick``.

Example: ``python -m benchmarks.systems.inverse.rig --data ../shared/data --write``
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.inverse.accuracy import compare, recover
from benchmarks.systems.inverse.rows import OneFrame, Row, Settings, joint_rows
from benchmarks.systems.inverse.scenes import Scene, ict_face, macro_body, paper_size
from rigcast._timing import load_average, machine

ROOT = Path(__file__).resolve().parents[3]


def table(head: list[str], rows: list[Row]) -> str:
    columns = len(head) - 4  # of ratios
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + [row.cells(columns) for row in rows])


def one_frame(scene: Scene, settings: Settings) -> str:
    """Alpha by the elbow, and the table of single frames."""
    curve = scene.trade_off()
    alphas = ", ".join(f"{alpha:g}" for alpha in curve.alphas)
    measured = OneFrame(scene, curve.alpha, settings)
    text = (
        f"**{scene.about}.** Noise {scene.noise:g} cm. alpha {curve.alpha:g}, the elbow over {{{alphas}}} "
        f"on {len(scene.training)} training frames."
    )
    if not measured.only_pairs:
        text += " The published MM is defined for products of two weights only and has no row here."
    head = [f"one frame, {scene.name}", "time", "ours in a shot is faster", "ours alone is faster", "objective", "goal"]
    return text + "\n\n" + table(head, measured.rows())


def accuracy(scene: Scene, alpha: float, frames: int) -> str:
    """Two sentences: against the best of all others, and how close noise-free shots come back."""
    found, back = compare(scene, alpha, frames), recover(scene)
    worse = ", ".join(f"{name} on {count}" for name, count in found.below.items())
    return (
        f"{scene.name}: {found.frames} frames against the best of all other methods' starts: ours above by more than "
        f"1e-6 on {found.above}, lower on {found.lower} (largest excess {found.worst:+.0e}); "
        f"taken singly, ours is lower than {worse}. Noise-free shots, {back.frames:,} frames, "
        f"{back.identifiable} of {back.shapes} shapes identifiable: mean absolute error of weights {back.mean:.0e}, "
        f"of the worst shape {back.worst_shape:.0e}, largest error {back.largest:.0e}."
    )


def versions() -> str:
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return (
        f"{machine()}; rigcast {rc.__version__}, NumPy {np.__version__} with {blas['name']} {blas['version']} "
        f"(OPENBLAS_CORETYPE {os.environ.get('OPENBLAS_CORETYPE', 'not set')}), SciPy {scipy.__version__}."
    )


def protocol(settings: Settings) -> str:
    return (
        f"One thread "
        f"everywhere, processor time. Ours: medians of {settings.runs} runs after a warm-up; peers: one run on each of "
        f"{settings.peer_frames} frames and the median of these, the published MM on one frame, joint peers one run. "
        f"Objective: relative to ours in a shot, the largest of the frames. Peers run until "
        f"they are within 1e-6 of it; "
        f"> marks those that were stopped above it, after {settings.limit:g} s ({settings.joint_limit:g} s the joint "
        f"peer at its best) or by themselves. Rows of 10,000 steps and of a stopping rule end there: ours is lower. "
        f"Where frames are compared with the best of all others, these are L-BFGS-B from three starts, `sqp` and "
        f"`mm_cet`, all in Gram space, which is the same objective sooner, and judged on the vertices. "
        f"Goals are of ours in a shot, and of shots with smoothness at an equal objective."
    )


def sections(arguments: argparse.Namespace, settings: Settings) -> list[str]:
    size = (400, 30, 60, 200) if arguments.quick else (4000, 130, 300, 1000)
    constructed = paper_size(*size)
    alpha = constructed.trade_off().alpha
    parts = [one_frame(constructed, settings)]
    show(parts)
    head = [
        f"joint solve, {constructed.name}, smoothness {settings.smoothness:g}",
        "time",
        "ours is faster",
        "objective",
        "goal",
    ]
    parts.append(table(head, joint_rows(constructed, alpha, settings)))
    show(parts)
    face = ict_face(arguments.data)
    parts.append("ICT face: not measured, its data is missing." if face is None else one_frame(face, settings))
    show(parts)
    frames = arguments.frames
    parts.append(accuracy(constructed, alpha, frames))
    show(parts)
    for scene in (face, macro_body(arguments.data)):
        if scene is not None:
            parts.append(accuracy(scene, scene.trade_off().alpha, frames))
            show(parts)
    return parts


def show(parts: list[str]) -> None:
    print(parts[-1] + "\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the faces")
    parser.add_argument("--runs", type=int, default=10, help="timed runs of ours")
    parser.add_argument("--limit", type=float, default=20.0, help="processor seconds that a peer may take")
    parser.add_argument("--joint-limit", type=float, default=300.0, help="and the joint peer at its best")
    parser.add_argument("--frames", type=int, default=100, help="frames compared with the best of all others")
    parser.add_argument("--quick", action="store_true", help="a small rig, short limits: does it all run?")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    arguments = parser.parse_args()
    settings = Settings(runs=arguments.runs, limit=arguments.limit, joint_limit=arguments.joint_limit)
    if arguments.quick:
        settings = Settings(
            runs=3, peer_frames=1, limit=3.0, joint_limit=10.0, smooth_frames=(100, 30), released_frames=6
        )
        arguments.frames = 4
    print(f"load average {load_average():.1f}\n{versions()}\n{protocol(settings)}\n", flush=True)
    parts = sections(arguments, settings)
    if arguments.write:
        single, *details = parts
        write_between_marks("inverse figures", f"{single}\n\n{versions()}")
        write_between_marks("inverse details", "\n\n".join([*details, protocol(settings)]))


if __name__ == "__main__":
    main()
