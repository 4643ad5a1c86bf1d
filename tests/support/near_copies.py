"""A head patch whose shapes all have a copy, up to a sign and float noise: rigs merged from two sources look so."""

from __future__ import annotations

import numpy as np

import rigcast as rc

WIDTH = 18.0  # of the patch, in centimeters: that of a head
SCAN_NOISE = 0.01  # 0.1 mm
COPY_NOISE = 1e-7  # of each number of a shape


def head_patch(vertices: int) -> np.ndarray:
    """At least ``vertices`` points (V, 3) of a bulged grid, ``WIDTH`` wide."""
    side = int(np.ceil(np.sqrt(vertices)))
    across, up = np.meshgrid(*2 * [np.linspace(-0.5, 0.5, side)])
    return WIDTH * np.stack([across, up, 0.4 * np.cos(2 * across) * np.cos(2 * up)], axis=-1).reshape(-1, 3)


def local_shapes(neutral: np.ndarray, shapes: int, rng: np.random.Generator) -> np.ndarray:
    """Offsets (K, V, 3): three bumps beside each other, 0 beyond them."""
    result = np.zeros((shapes, *neutral.shape))
    for shape in result:
        middle = neutral[rng.integers(len(neutral))]
        for center in middle + rng.normal(size=(3, 3)):
            distance = np.linalg.norm(neutral - center, axis=1)
            bump = np.exp(-0.5 * np.square(distance / rng.uniform(1.0, 3.0)))
            shape += 0.6 * np.where(bump < 0.02, 0.0, bump)[:, None] * rng.normal(size=3)
    return result


def near_copies_rig(
    seed: int, *, vertices: int, shapes: int = 74, meters_per_unit: float = 0.01, pairs: int = 0
) -> rc.BlendshapeRig:
    """``shapes`` shapes and as many copies, multiplied by 1 or -1 and changed in their last digits; corrections of
    ``pairs`` of the first ones. A rig in another unit has the same size in meters."""
    rng = np.random.default_rng(seed)
    unit = 0.01 / meters_per_unit
    neutral = unit * head_patch(vertices)
    own = (unit * local_shapes(head_patch(vertices), shapes, rng)).astype(np.float32)
    sign = rng.choice([-1.0, 1.0], size=(shapes, 1, 1))
    copies = sign * own * (1.0 + COPY_NOISE * rng.normal(size=own.shape))
    combinations = []
    for _ in range(pairs):
        first, second = rng.choice(shapes, 2, replace=False)
        combinations.append(((int(first), int(second)), 0.3 * unit * local_shapes(head_patch(vertices), 1, rng)[0]))
    return rc.BlendshapeRig(
        neutral, np.concatenate([own, copies]), combinations=combinations, metadata={"meters_per_unit": meters_per_unit}
    )


def scans(rig: rc.BlendshapeRig, frames: int, seed: int) -> np.ndarray:
    """Targets (T, V, 3) of weights that come and go, about a third of them at a time, with scan noise."""
    rng = np.random.default_rng(seed)
    seconds = np.arange(frames)[:, None] / 24
    waves = np.sin(2 * np.pi * rng.uniform(0.1, 0.6, rig.num_shapes) * seconds + rng.uniform(0, 6.3, rig.num_shapes))
    targets = rig.evaluate(np.clip(1.2 * waves - rng.uniform(0.2, 0.9, rig.num_shapes), 0, 1))
    noise = SCAN_NOISE * 0.01 / float(rig.meters_per_unit)
    return targets + noise * rng.standard_normal(targets.shape, np.float32)
