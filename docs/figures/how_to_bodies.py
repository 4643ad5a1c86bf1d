"""Pictures of the how-to pages about bodies, drawn on the built-in arm and on legs of joints alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

import rigcast as rc
from rigcast.plot._colors import ACCENT, QUIET

BENT = (10.0, 20.0, 110.0, 0.0, 0.0, 1.0)  # channels of the arm
WIDTH = 150  # pixels of one panel
TURN = 70.0
FPS = 30


@cache
def arm_data() -> rc.Dataset:
    """Random poses of the arm; the folder of the samples goes with the process."""
    kept = tempfile.TemporaryDirectory()
    data = rc.sampling.sample(rc.sources.example_body(), Path(kept.name) / "arm.rwdata", count=300, seed=0)
    _folders.append(kept)
    return data


@cache
def skinning() -> rc.LinearBlendSkinning:
    """Linear skinning, fitted to the samples."""
    return rc.baselines.linear_blend(arm_data(), influences=4)


def millimeters(found: NDArray[np.float32], truth: NDArray[np.float32]) -> NDArray[np.float64]:
    """(T, V): distances of vertices, of a figure in meters."""
    return np.asarray(1e3 * np.linalg.norm(found - truth, axis=2), np.float64)


def blend_rig() -> rc.plot.Image:
    """Poses that sampling draws."""
    arm = rc.sources.example_body()
    shown = arm_data().vertices[[3, 8, 17, 21, 40]]
    return rc.plot.side_by_side(arm, shown, titles=[f"pose {n}" for n in range(1, 6)], turn=TURN, width=WIDTH)


def bvh() -> rc.plot.Image:
    """Frames of a motion by the rig and by skinning, with its error."""
    arm = rc.sources.example_body()
    poses, truth = arm.sample(np.linspace(0.2, 1.0, 5)[:, None] * BENT)
    found = skinning().evaluate(poses)
    return rc.plot.side_by_side(
        arm,
        np.concatenate([truth, found]),
        titles=[f"rig, frame {n}" for n in (5, 10, 15, 20, 24)] + ["skinning"] * 5,
        columns=5,
        values=[None] * 5 + list(millimeters(found, truth)),
        unit="mm",
        turn=TURN,
        width=WIDTH,
    )


def pose_a_character() -> rc.plot.Image:
    """One point of the skin, pulled to three places."""
    model = skinning()
    tip = int(model.rest_vertices[:, 1].argmax())
    goals = model.rest_vertices[tip] + np.array(
        [[0.0, 0.0, 0.0], [0.15, -0.2, 0.05], [0.3, -0.45, 0.1], [-0.1, -0.3, 0.3]]
    )
    found = rc.ik.solve(model, goals[:, None], [tip])
    titles = ["at rest", *(f"tip pulled by {100 * np.linalg.norm(goal - goals[0]):.0f} cm" for goal in goals[1:])]
    return rc.plot.side_by_side(model, model.evaluate(found.poses), titles=titles, turn=TURN, width=190)


def derivatives() -> rc.plot.Image:
    """Speeds of the vertices under a turn of each joint."""
    arm = rc.sources.example_body()
    model, names = skinning(), arm.channel_names[:4]
    steps = np.concatenate([np.zeros((1, len(BENT))), np.eye(len(BENT))[:4]])
    moved = model.evaluate(arm.sample(np.array(BENT) * 0.5 + steps)[0])
    values = list(np.asarray(1e3 * np.linalg.norm(moved[1:] - moved[0], axis=2), np.float64))
    states = np.repeat(moved[:1], len(names), axis=0)
    return rc.plot.side_by_side(arm, states, titles=list(names), values=values, unit="mm", turn=TURN, width=190)


def clean_feet(axes: Axes) -> None:
    """Places of a toe across the floor, before and after."""
    skeleton, poses, feet = walking_legs()
    clean = rc.ik.foot_lock(skeleton, poses, feet, fps=FPS)
    toe = skeleton.names.index("toe.L")
    for shown, color, label in ((poses, QUIET, "as captured"), (clean.poses, ACCENT, "feet locked")):
        place = skeleton.globals(shown)[:, toe, :, 3]
        axes.plot(np.arange(len(place)) / FPS, 100 * (place[:, 0] - place[0, 0]), color=color, label=label)
    axes.set(xlabel="seconds", ylabel="left toe, sideways (cm)")
    axes.legend(frameon=False)


def walking_legs() -> tuple[rc.Skeleton, NDArray[np.float64], list[list[str]]]:
    """Legs that walk on the spot, with feet that slide: those of the page."""

    def at(x: float, y: float, z: float) -> list[list[float]]:
        return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z]]

    def leg(x: float) -> list[list[list[float]]]:
        return [at(x, 0, 0), at(0, -0.45, 0), at(0, -0.45, 0), at(0, -0.1, 0.12)]

    feet = [[f"{part}.{side}" for part in ("hip", "knee", "ankle", "toe")] for side in "LR"]
    rest = [at(0, 0.92, 0), *leg(0.1), *leg(-0.1)]
    skeleton = rc.Skeleton(["pelvis", *feet[0], *feet[1]], [-1, 0, 1, 2, 3, 0, 5, 6, 7], rest)
    phase = np.arange(3 * FPS) / FPS
    poses = np.tile(skeleton.rest.reshape(-1), (len(phase), 1))
    for foot, x, start in zip(feet, [0.1, -0.1], [0.0, 0.5], strict=True):
        lift = 0.12 * np.maximum(np.sin(2 * np.pi * (phase + start)), 0) ** 2
        ankles = np.stack([np.full(len(phase), x), 0.1 + lift, np.zeros(len(phase))], axis=1)
        poses = rc.ik.Limb(skeleton, foot[:3], hinge=[1, 0, 0]).solve(poses, ankles).poses
    poses[:, 3] += 0.05 * np.sin(2 * phase)
    poses[:, 11] += 0.05 * np.cos(2 * phase)
    return skeleton, poses, feet


_folders: list[tempfile.TemporaryDirectory[str]] = []
PICTURES: tuple[Callable[[], rc.plot.Image], ...] = (blend_rig, bvh, pose_a_character, derivatives)
CHARTS: tuple[Callable[[Axes], None], ...] = (clean_feet,)
