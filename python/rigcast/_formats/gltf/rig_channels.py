"""Which channels a glTF character has, and how far clips take them: joints and morph targets."""

from __future__ import annotations

import numpy as np

from rigcast._formats.gltf.clips import Clip
from rigcast._formats.gltf.document import unique_names
from rigcast._formats.gltf.geometry import Geometry, Owner
from rigcast._formats.gltf.nodes import Nodes
from rigcast._formats.gltf.playback import Playback, scan_times
from rigcast._rigs.description import Joints, Morph, RigChannel
from rigcast._rigs.rotations import Float64

DEFAULT_RANGE = 30.0  # degrees either way, for files without clips
# A joint that clips move less than this has no channels.
STILL_DEGREES = 0.1
STILL_SHARE = 1e-3  # of the character's size


def joint_channels(
    joints: Joints | None, playback: Playback, clips: list[Clip], ranges: float | None, size: float
) -> list[RigChannel]:
    """Translations of joints that clips shift, then rotations."""
    if joints is None:
        return []
    low, high = np.zeros((2, len(joints.names), 6))
    for clip in clips:
        angles, shift = playback.turns(playback.local(clip, scan_times(clip, len(playback.nodes))))
        both = np.concatenate([shift, angles], axis=2)
        low, high = np.minimum(low, both.min(axis=0)), np.maximum(high, both.max(axis=0))
    if ranges is not None or not clips:
        reach = DEFAULT_RANGE if ranges is None else ranges
        low[:, 3:], high[:, 3:] = -reach, reach
    channels = []
    # The reach of a shift in the world: rest axes may be scaled.
    scale = np.abs(np.linalg.det(joints.rest_globals[..., :3])) ** (1 / 3)
    for joint, name in enumerate(joints.names):
        span = (high - low)[joint]
        kinds = [("t", "translate", 0, scale[joint] * span[:3].max() > STILL_SHARE * size)]
        kinds += [("r", "rotate", 3, span[3:].max() > STILL_DEGREES)]
        for letter, kind, start, moves in kinds:
            for axis, label in enumerate("xyz" if moves else ""):
                bounds = float(low[joint, start + axis]), float(high[joint, start + axis])
                channels.append(RigChannel(f"{name}.{letter}{label}", f"{kind}_{label}", joint, *bounds))
    return channels


def morph_names(owners: list[Owner], nodes: Nodes) -> list[str]:
    """Target names; with the node's name before them where several nodes have targets."""
    several = len(owners) > 1
    return unique_names(f"{nodes.names[o.node]}.{name}" if several else name for o in owners for name in o.names)


def dials(names: list[str], owners: list[Owner], playback: Playback, clips: list[Clip]) -> list[RigChannel]:
    """Morph weights: [0, 1], wider where the file goes beyond."""
    rest = np.concatenate([np.empty(0), *(owner.weights for owner in owners)])
    low, high = np.minimum(0.0, rest), np.maximum(1.0, rest)
    for clip in clips:
        weights = playback.weights(clip, scan_times(clip, len(names)))
        low, high = np.minimum(low, weights.min(axis=0)), np.maximum(high, weights.max(axis=0))
    return [
        RigChannel(name, "dial", -1, float(a), float(b), float(value))
        for name, a, b, value in zip(names, low, high, rest, strict=True)
    ]


def morphs(names: list[str], geometry: Geometry, placement: Float64, first_dial: int) -> list[Morph]:
    """The targets in the world's axes, each driven by its dial."""
    return [
        Morph(name, vertices.astype(np.int32), deltas @ placement[:, :3].T, ((first_dial + index, 1.0),))
        for index, (name, (vertices, deltas)) in enumerate(zip(names, geometry.morphs, strict=True))
    ]
