"""Clips as joint transforms and morph weights, as channels relative to rest, and the channels that they decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.frame_rates import Frames, frames_of
from rigcast._formats.gltf.clips import GltfClip
from rigcast._formats.gltf.document import unique_names
from rigcast._formats.gltf.geometry import GltfGeometry, Owner
from rigcast._formats.gltf.nodes import Animated, Nodes
from rigcast._rigs.description import Factor, Joints, Morph, RigChannel, Skin
from rigcast._rigs.rotations import Float64, continuous_euler, inverse_linear, nearest_rotation
from rigcast._validate import FPS, MOST_FRAMES, Arguments, bad_argument

SLACK = 0.01  # of a frame: files hold the seconds of keys as float32, which may fall short of the last one
SCAN_FPS, SCAN_FRAMES, SCAN_SIZE = 30.0, 5_000, 1 << 20
DEFAULT_RANGE = 30.0  # degrees either way, for files without clips
# A joint that clips move less than this has no channels.
STILL_DEGREES = 0.1
STILL_SHARE = 1e-3  # of the character's size


@dataclass(frozen=True)
class GltfPlayback:
    """The nodes of a file that a clip moves, as a rig has them: its joints, and the owners of morph weights."""

    nodes: Nodes
    joints: list[int]
    owners: list[Owner]
    rest: Float64

    def local(self, clip: GltfClip, times: NDArray[np.float64]) -> Float64:
        """Transforms (T, J, 3, 4) relative to the parent joint; a root joint's is its world transform."""
        relative = self.nodes.relative(self.joints, _moving(clip, times))
        result = np.empty((len(times), len(self.joints), 3, 4))
        for place, node in enumerate(self.joints):
            result[:, place] = relative[node]
        return result

    def weights(self, clip: GltfClip, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Morph weights (T, M)."""
        animated = clip.at(times)
        columns = [
            np.broadcast_to(animated.get((o.node, "weights"), o.weights), (len(times), len(o.names)))
            for o in self.owners
        ]
        return np.concatenate([np.empty((len(times), 0)), *columns], axis=1)

    def turns(self, local: Float64) -> tuple[Float64, Float64]:
        """Angles of ``R_X R_Y R_Z`` in degrees (T, J, 3) and translations (T, J, 3), in the joints' rest axes."""
        inverse = inverse_linear(self.rest[..., :3])
        angles = continuous_euler(nearest_rotation(inverse @ local[..., :3]), "XYZ")
        shift = inverse @ (local[..., 3:] - self.rest[..., 3:])
        return angles, np.asarray(shift[..., 0])


def _moving(clip: GltfClip, times: NDArray[np.float64]) -> Animated:
    return {key: values for key, values in clip.at(times).items() if key[1] != "weights"}


def clip_frames(clip: GltfClip, fps: float | None) -> Frames:
    """Frames of a clip: its own keys, or from 0 to its end at a rate.

    Raises
    ------
    ValueError
        If the rate is not above 0, or there would be a million frames.
    """
    if fps is not None:
        return Frames(frame_times(clip, fps), fps)
    if not clip.tracks:
        return Frames(np.zeros(1), FPS)
    frames = frames_of(np.unique(np.concatenate([track.times for track in clip.tracks])), MOST_FRAMES)
    if frames is None:
        raise _too_long(clip, FPS)
    return frames


def _too_long(clip: GltfClip, fps: float) -> ValueError:
    expected = f"such that the {clip.duration:.4g} seconds of {clip.name} have fewer than {MOST_FRAMES} frames"
    return bad_argument("GltfRig", "fps", repr(fps), expected)


def frame_times(clip: GltfClip, fps: float) -> NDArray[np.float64]:
    """Seconds of the frames of a clip, from 0 to its end."""
    Arguments("GltfRig").rate("fps", fps)
    count = clip.duration * fps + SLACK
    if not count < MOST_FRAMES:
        raise _too_long(clip, fps)
    return np.arange(int(count) + 1) / fps


def scan_times(clip: GltfClip, width: int) -> NDArray[np.float64]:
    """Evenly spaced seconds to look for extremes of ``width`` things, few enough for memory whatever a file claims."""
    most = max(2, min(SCAN_FRAMES, SCAN_SIZE // max(1, width)))
    return np.linspace(0.0, clip.duration, int(min(most, clip.duration * SCAN_FPS + 2)))


def joint_channels(
    joints: Joints | None,
    skin: Skin | None,
    playback: GltfPlayback,
    clips: list[GltfClip],
    ranges: float | None,
    size: float,
) -> list[RigChannel]:
    """Translations of joints that clips shift, then rotations; and of the joints that carry a body in any case.

    Those that no clip moves are held: their range is the rest value alone, which a motion of another skeleton exceeds.
    """
    if joints is None or skin is None:
        return []
    carriers, roots = carriers_of(joints, skin), np.asarray(joints.parents) < 0
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
        carries = joint in carriers
        kinds = [("t", "translate", 0, scale[joint] * span[:3].max() > STILL_SHARE * size, carries and roots[joint])]
        kinds += [("r", "rotate", 3, span[3:].max() > STILL_DEGREES, carries)]
        for letter, kind, start, moves, held in kinds:
            for axis, label in enumerate("xyz" if moves or held else ""):
                bounds = (float(low[joint, start + axis]), float(high[joint, start + axis])) if moves else (0.0, 0.0)
                channels.append(RigChannel(f"{name}.{letter}{label}", f"{kind}_{label}", joint, *bounds))
    return channels


def carriers_of(joints: Joints, skin: Skin) -> list[int]:
    """The joints that carry a body: each root down to the first one that branches into parts of the skin, as the hips.

    A branch moves vertices itself or by a joint below. A skeleton without branches carries no body.
    """
    moves = np.zeros(len(joints.names), np.bool_)
    moves[np.unique(skin.joint[skin.weight > 0])] = True
    for joint in range(len(moves) - 1, -1, -1):  # parents come first
        if joints.parents[joint] >= 0:
            moves[joints.parents[joint]] |= moves[joint]
    found: list[int] = []
    for root in np.flatnonzero((joints.parents < 0) & moves):
        chain, below = [int(root)], np.flatnonzero((joints.parents == root) & moves)
        while len(below) == 1:
            chain.append(int(below[0]))
            below = np.flatnonzero((joints.parents == chain[-1]) & moves)
        found += chain if len(below) else []
    return found


def held_of(channels: list[RigChannel], carriers: list[int]) -> list[str]:
    """Names of the translations and rotations of some joints that no clip and no range moves at all."""
    groups: dict[tuple[int, str], list[RigChannel]] = {}
    for channel in channels:
        groups.setdefault((channel.joint, channel.kind[0]), []).append(channel)
    still = [group for group in groups.values() if all(channel.low == channel.high for channel in group)]
    return [channel.name for group in still for channel in group if channel.joint in carriers]


def morph_names(owners: list[Owner], nodes: Nodes) -> list[str]:
    """Target names; with the node's name before them where several nodes have targets."""
    several = len(owners) > 1
    return unique_names(f"{nodes.names[o.node]}.{name}" if several else name for o in owners for name in o.names)


def dials(names: list[str], owners: list[Owner], playback: GltfPlayback, clips: list[GltfClip]) -> list[RigChannel]:
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


def within(dial: RigChannel, bounds: Mapping[str, tuple[float, float]]) -> RigChannel:
    """A dial with the range that the file notes, if it notes any."""
    if dial.name not in bounds:
        return dial
    low, high = bounds[dial.name]
    return replace(dial, low=low, high=high, rest=float(np.clip(dial.rest, low, high)))


def merge_parts(geometry: GltfGeometry) -> None:
    """Make targets of several parts one, if all parts have the same, as the parts of a face of this package have."""
    if len(geometry.owners) < 2 or any(owner.names != geometry.owners[0].names for owner in geometry.owners):
        return
    first = geometry.owners[0]
    count = len(first.names)
    by_part = [geometry.morphs[start : start + count] for start in range(0, len(geometry.morphs), count)]
    geometry.morphs = [
        (np.concatenate([vertices for vertices, _ in target]), np.concatenate([deltas for _, deltas in target]))
        for target in zip(*by_part, strict=True)
    ]
    geometry.owners = [first]


def morphs(
    names: list[str],
    geometry: GltfGeometry,
    placement: Float64,
    first_dial: int,
    correctives: Mapping[str, Sequence[Factor]],
) -> list[Morph]:
    """The targets in the world's axes, each driven by its dial; correctives by the dials that they belong to."""
    found, dial = [], first_dial
    for name, (vertices, deltas) in zip(names, geometry.morphs, strict=True):
        moved = vertices.astype(np.int32), deltas @ placement[:, :3].T
        if name in correctives:
            factors = tuple((first_dial + place, tent) for place, tent in correctives[name])
            found.append(Morph(name, *moved, constant=1.0, factors=factors))
        else:
            found.append(Morph(name, *moved, ((dial, 1.0),)))
            dial += 1
    return found
