"""The built-in body: an arm with joints, smooth skinning and muscles, made of formulas."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.description import Facts, Joints, Morph, RigChannel, Skin
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.tubes import closed_tube

Array = NDArray[np.float64]

SHOULDER, ELBOW, WRIST, TIP = 0.0, 0.30, 0.56, 0.74  # heights of the joints and the finger tips, meters
RINGS, SIDES = 56, 20
BLEND = 0.08  # meters in which one joint takes over from the next
BENT = 130.0  # degrees: the elbow's full bend


def example_body() -> SkinnedRig:
    """Make the built-in body: an arm of three joints with 1,122 vertices, six channels and three correctives.

    It stands upright in meters, y up, the palm facing z, and needs NumPy alone. Joints are skinned smoothly; the
    biceps and the elbow swell with the bend of the elbow, which linear skinning cannot follow, and the dial
    ``tension`` swells the whole upper arm. Nothing was scanned or sculpted: all of it is made of formulas.

    Returns
    -------
    SkinnedRig
        The same on every call.

    Examples
    --------
    >>> import rigcast as rc
    >>> arm = rc.sources.example_body()
    >>> arm.channel_names
    ['shoulder.rz', 'shoulder.rx', 'elbow.rx', 'wrist.rx', 'wrist.ry', 'tension']
    >>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])
    >>> poses.shape, vertices.shape
    ((1, 37), (1, 1122, 3))
    """
    vertices, faces = _arm()
    height = vertices[:, 1]
    rest = np.zeros((3, 3, 4))
    rest[:, :, :3] = np.eye(3)
    rest[1, 1, 3], rest[2, 1, 3] = ELBOW - SHOULDER, WRIST - ELBOW
    joints = Joints(["shoulder", "elbow", "wrist"], np.array([-1, 0, 1], np.int32), rest)
    reach = [np.clip((height - at) / BLEND + 0.5, 0.0, 1.0) for at in (ELBOW, WRIST)]
    reach = [share * share * (3.0 - 2.0 * share) for share in reach]
    weights = np.stack([1.0 - reach[0], reach[0] * (1.0 - reach[1]), reach[0] * reach[1]], axis=1)
    skin = Skin(np.tile(np.arange(3, dtype=np.int32), (len(vertices), 1)), weights)
    channels = [
        RigChannel("shoulder.rz", "rotate_z", 0, -60.0, 60.0),
        RigChannel("shoulder.rx", "rotate_x", 0, -40.0, 90.0),
        RigChannel("elbow.rx", "rotate_x", 1, 0.0, BENT),
        RigChannel("wrist.rx", "rotate_x", 2, -60.0, 60.0),
        RigChannel("wrist.ry", "rotate_y", 2, -80.0, 80.0),
        RigChannel("tension", "dial", -1, 0.0, 1.0),
    ]
    facts = Facts("example arm", 1.0, "Y", "CC0 1.0", "constructed by rigcast from formulas")
    return SkinnedRig(vertices, faces, joints, skin=skin, channels=channels, morphs=_muscles(vertices), facts=facts)


def _muscles(vertices: Array) -> list[Morph]:
    """Correctives that the elbow and the dial drive."""
    x, y, z = vertices.T
    outward = np.stack([x, np.zeros_like(y), z], axis=1)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
    front, back = np.clip(outward[:, 2:], 0.0, 1.0), np.clip(-outward[:, 2:], 0.0, 1.0)

    def around(at: float, reach: float) -> Array:
        near = np.exp(-(((y - at) / reach) ** 2))[:, None]
        near[near < 1e-3] = 0.0
        return np.asarray(near)

    biceps = 0.026 * around(0.16, 0.06) * front**2 * outward
    point = 0.016 * around(ELBOW, 0.03) * back**2 * outward
    tense = 0.010 * around(0.16, 0.08) * outward
    bend = ((2, 1.0 / BENT),)
    return [
        Morph.dense("biceps", biceps, bend, clamp=(0.0, 1.0)),
        Morph.dense("elbow point", point, bend, clamp=(0.0, 1.0)),
        Morph.dense("tension", tense, ((5, 1.0),), clamp=(0.0, 1.0)),
    ]


def _arm() -> tuple[Array, NDArray[np.int32]]:
    """Vertices and faces of a limb that tapers to a wrist and ends in a mitten: rings of quads, closed at both ends."""
    y = np.linspace(SHOULDER - 0.06, TIP, RINGS)
    stations = [-0.06, 0.0, 0.14, ELBOW, 0.36, WRIST, 0.60, 0.68, TIP]
    deep = np.interp(y, stations, [0.030, 0.052, 0.050, 0.040, 0.042, 0.024, 0.019, 0.015, 0.006])
    wide = np.interp(y, stations, [0.030, 0.052, 0.048, 0.039, 0.041, 0.027, 0.040, 0.042, 0.014])
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.stack([np.sin(angle), np.zeros(SIDES), np.cos(angle)], axis=1)
    size = np.stack([_smooth(wide), np.zeros(RINGS), _smooth(deep)], axis=1)
    tube = size[:, None, :] * ring + y[:, None, None] * np.array([0.0, 1.0, 0.0])
    ends = [[0.0, y[0] - 0.012, 0.0], [0.0, y[-1] + 0.004, 0.0]]
    return np.concatenate([tube.reshape(-1, 3), ends]), closed_tube(RINGS, SIDES)


def _smooth(radius: Array) -> Array:
    """Radii without corners between the stations."""
    for _ in range(3):
        radius = np.concatenate([radius[:1], 0.25 * radius[:-2] + 0.5 * radius[1:-1] + 0.25 * radius[2:], radius[-1:]])
    return radius
