"""The rig that heads are evaluated on: the ICT face, or a generated one, with constructed combinations."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rigcast as rc

ICT = Path(__file__).resolve().parents[4] / "shared" / "data" / "ict_facekit" / "expressions.npz"


def face(path: Path, seed: int = 0) -> tuple[str, np.ndarray, np.ndarray]:
    """A name, neutral (V, 3) and offsets (K, V, 3): the ICT face's, or generated ones that move patches of a sphere.

    The ICT neutral is noise here: times and differences hang on the offsets alone.
    """
    rng = np.random.default_rng(seed)
    if path.exists():
        with np.load(path) as arrays:
            deltas = np.array(arrays["deltas"], np.float32)
        return "ICT FaceKit", rng.standard_normal(deltas.shape[1:]).astype(np.float32), deltas
    turn = np.arange(26719) * np.pi * (3 - np.sqrt(5))  # neighbors on the spiral are near each other
    height = np.linspace(1, -1, len(turn))
    ring = np.sqrt(1 - height**2)
    neutral = np.stack([ring * np.cos(turn), height, ring * np.sin(turn)], axis=1)
    centers = rng.standard_normal((57, 3))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    deltas = np.maximum(neutral @ centers.T - rng.uniform(-0.4, 0.9, 57), 0).T[:, :, None] * centers[:, None]
    return "generated face", neutral.astype(np.float32), deltas.astype(np.float32)


def rig(path: Path, corrections: int, storage: str, seed: int = 0) -> tuple[str, rc.BlendshapeRig]:
    """The face with corrections for random products of two to four shapes, constructed where all of them move it."""
    rng = np.random.default_rng(seed)
    name, neutral, deltas = face(path, seed)
    moved = (deltas != 0).any(axis=2)
    combinations: list[tuple[tuple[int, ...], np.ndarray]] = []
    while len(combinations) < corrections:
        factors = tuple(int(k) for k in rng.permutation(len(deltas))[: rng.integers(2, 5)])
        common = moved[list(factors)].all(axis=0)
        if common.sum() > 100:
            combinations.append((factors, 0.3 * deltas[factors[0]] * common[:, None]))
    return name, rc.BlendshapeRig(neutral, deltas, combinations, storage=storage)
