"""Skeletons with negative scales, and those that are mirror images of the rig: left stands where right should be.

A scale with a negative factor above all joints mirrors the whole figure: it is taken away. One at some joints alone, as
programs write that mirror an arm onto the other side, mirrors nothing that is seen: those joints get axes of the usual
hand. What is mirrored without such a scale, as in files of left-handed programs, only shows by where it lies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rotations import Float64, compose, transform_of
from rigcast._similarity import is_mirrored
from rigcast.sources._joint_maps import joint_roles
from rigcast.sources._retargeting.target import Target

MIRROR = np.diag([-1.0, 1.0, 1.0])
FLAT = 0.05  # of a product of three directions: less tells no hand


def unmirrored(motion: Motion, pairs: dict[int, int]) -> tuple[Motion, bool]:
    """The motion with joints of the usual hand, and whether a mirror above all mapped joints was taken away."""
    whole = bool((_hands(motion)[list(pairs)] < 0).all())
    if whole:
        motion = _mirrored_roots(motion)
    odd = _hands(motion) < 0
    if odd.any():
        axes = np.where(odd[:, None, None], MIRROR, np.eye(3))
        above = np.concatenate([axes, np.eye(3)[None]])[np.asarray(motion.parents)]
        left, right = transform_of(above, np.zeros((len(above), 3))), transform_of(axes, np.zeros((len(axes), 3)))
        changed = [compose(compose(left, local), right) for local in (motion.rest, motion.local)]
        motion = replace(motion, rest=changed[0], local=changed[1])
    return motion, whole


def _hands(motion: Motion) -> Float64:
    """Determinants (J,) of the joints' axes at rest, in the world."""
    return np.asarray(np.linalg.det(motion.rest_globals[..., :3]))


def _mirrored_roots(motion: Motion) -> Motion:
    rest, local = motion.rest.copy(), motion.local.copy()
    roots = np.asarray(motion.parents) < 0
    rest[roots], local[:, roots] = MIRROR @ rest[roots], MIRROR @ local[:, roots]
    return replace(motion, rest=rest, local=local)


def is_mirror_image(motion: Motion, rest: Float64, target: Target, pairs: dict[int, int]) -> bool:
    """True if the motion's figure at rest is a mirror image of the rig's.

    By feet, whose toes point forward, and the line from right to left, if both figures have them; else by how well a
    reflection fits the joints' places.
    """
    source, goal = rest[list(pairs), :, 3], target.world[list(pairs.values()), :, 3]
    roles = joint_roles([motion.joint_names[joint] for joint in pairs]) or joint_roles(
        [target.names[joint] for joint in pairs.values()]
    )
    names = [motion.joint_names[joint] for joint in pairs]
    if not set(roles.values()) <= set(names):
        names = [target.names[joint] for joint in pairs.values()]
    places = {role: names.index(name) for role, name in roles.items()}
    hands = [_hand(figure, places) for figure in (source, goal)]
    if all(abs(hand) > FLAT for hand in hands):
        return hands[0] * hands[1] < 0
    return len(pairs) > 3 and is_mirrored(source, goal[None])


def _hand(points: Float64, places: dict[str, int]) -> float:
    """The product of the directions forward, to the left and from the feet to the hips; 0 where one is unknown."""
    needed = [f"{role}{side}" for role in ("upper_leg", "foot", "toe") for side in (".L", ".R")]
    if not all(role in places for role in needed):
        return 0.0
    hips, feet, toes = (points[[places[needed[2 * k]], places[needed[2 * k + 1]]]] for k in range(3))
    directions = np.array([(toes - feet).mean(axis=0), hips[0] - hips[1], (hips - feet).mean(axis=0)])
    lengths = np.linalg.norm(directions, axis=1)
    return float(np.linalg.det(directions / lengths[:, None])) if (lengths > 0).all() else 0.0
