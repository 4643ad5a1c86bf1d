"""The face in extreme poses, to be looked at after every change."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from examples.characters.assets import asset_folder
from examples.characters.production_face.controls import QUADRANTS, controls
from examples.characters.production_face.head import Head, load_head
from examples.characters.production_face.recipe import COLORS
from rigcast._formats.blender import BlenderRig
from rigcast.plot import Image, Studio, view_of
from rigcast.plot._sheet import sheet

# A trailing * stands for Left and Right, a trailing + for the four quarters of the lips.
POSES: dict[str, dict[str, float]] = {
    "neutral": {},
    "jaw open": {"jawOpen": 1},
    "jaw open, smile": {"jawOpen": 0.8, "mouthSmile*": 1, "cheekSquint*": 0.7},
    "smile": {"mouthSmile*": 1, "cheekSquint*": 0.8, "eyeSquint*": 0.4},
    "sticky lips": {"jawOpen": 0.35, "lipsSticky*": 1},
    "sticky lips, later": {"jawOpen": 0.6, "lipsSticky*": 1},
    "lips together": {"jawOpen": 0.5, "lipsToward+": 0.5},
    "lips rolled in": {"mouthRollUpper": 1, "mouthRollLower": 1},
    "lips rolled out": {"lipOutUpper*": 1, "lipOutLower*": 1},
    "pucker": {"mouthPucker": 1},
    "pucker, jaw open": {"mouthPucker": 1, "jawOpen": 0.7},
    "funnel, jaw open": {"mouthFunnel": 1, "jawOpen": 0.6},
    "blink": {"eyeBlink*": 1},
    "blink, eyes up": {"eyeBlink*": 1, "eyeLookUp*": 1},
    "blink, eyes down": {"eyeBlink*": 1, "eyeLookDown*": 1},
    "half a blink": {"eyeBlink*": 0.5},
    "eyes down": {"eyeLookDown*": 1},
    "eyes up, wide": {"eyeLookUp*": 1, "eyeWide*": 1},
    "eyes left": {"eyeLookOutLeft": 1, "eyeLookInRight": 1},
    "squint": {"eyeSquint*": 1, "cheekSquint*": 1},
    "snarl": {"noseSneer*": 1, "mouthUpperUp*": 1, "browDown*": 1, "mouthLowerDown*": 0.5},
    "brows up": {"browInnerUp": 1, "browOuterUp*": 1},
    "brows down": {"browDown*": 1, "browSqueeze*": 1},
    "cheeks puffed": {"cheekPuff": 1},
    "cheeks sucked in": {"cheekSuck*": 1, "mouthPucker": 0.6},
    "tongue out": {"tongueOut": 1, "jawOpen": 0.45, "tongueDown": 0.3},
    "tongue up": {"tongueUp": 0.8, "tongueCurlUp": 1, "jawOpen": 0.8},
    "frown": {"mouthFrown*": 1, "mouthShrugLower": 1, "neckCords*": 1},
    "stretch": {"mouthStretch*": 1, "jawOpen": 0.3, "neckTense*": 1},
    "jaw left": {"jawLeft": 1, "jawOpen": 0.4, "mouthLeft": 0.5},
    "jaw forward": {"jawForward": 1, "chinForward": 0.5},
    "all at once": {
        "jawOpen": 1, "mouthSmile*": 1, "mouthPucker": 1, "mouthFunnel": 1, "mouthUpperUp*": 1, "mouthLowerDown*": 1,
        "eyeBlink*": 1, "browInnerUp": 1, "browDown*": 1, "noseSneer*": 1, "cheekPuff": 1, "tongueOut": 1,
    },
}  # fmt: skip
MIDDLE, REACH = np.array([0.0, -0.12, 1.578]), 0.092  # meters: what pictures show
WIDTH, HEIGHT, COLUMNS = 300, 345, 8
IRIS, PUPIL = (0.0062, (96, 70, 50)), (0.0024, (15, 15, 15))  # radius in meters, color


def draw_poses(blend: str | os.PathLike[str], turn: float = 22.0) -> Image:
    """All poses side by side, seen from ``turn`` degrees to the character's left.

    Raises
    ------
    MissingExtra
        Without Blender, the assets or PyVista.
    """
    head = load_head(asset_folder())
    colors = part_colors(head)
    with BlenderRig.open(blend) as rig:
        _, shot = rig.sample(np.array([pose_row(pose) for pose in POSES.values()]))
        faces = rig.faces
    shown = shot[0][np.linalg.norm(shot[0] - MIDDLE, axis=1) < REACH]
    view = view_of(shown, "Z", turn=turn, rise=2.0, aspect=WIDTH / HEIGHT)
    with Studio(faces, shot.shape[1], width=WIDTH, height=HEIGHT) as studio:
        pictures = [studio.picture(vertices, view, colors) for vertices in shot]
    return Image(sheet(pictures, COLUMNS, list(POSES), None))


def pose_row(pose: Mapping[str, float]) -> NDArray[np.float64]:
    """Values (C,) of all dials."""
    given: dict[str, float] = {}
    for name, amount in pose.items():
        endings = {"*": ("Left", "Right"), "+": tuple(QUADRANTS.values())}.get(name[-1], ("",))
        given |= {name.rstrip("*+") + ending: amount for ending in endings}
    return np.array([given.get(row.name, row.rest) for row in controls()])


def part_colors(head: Head) -> NDArray[np.uint8]:
    """Colors (V, 3) by part, with iris and pupil."""
    colors = np.zeros((len(head.vertices), 3), np.uint8)
    for kind, color in COLORS.items():
        colors[head.part(kind)] = (255 * np.array(color)).astype(np.uint8)
    for side, center in head.eyes.items():
        eye = head.part(f"eye{side}")
        offset = head.vertices[eye] - center
        reach = np.hypot(offset[:, 0], offset[:, 2]) + (offset[:, 1] > 0)
        for radius, color in (IRIS, PUPIL):
            colors[eye[reach < radius]] = color
    return colors
