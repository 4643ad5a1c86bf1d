"""Skeletons with arms and legs under the names of several programs, and a mesh on them."""

from __future__ import annotations

import numpy as np

import rigcast as rc

NAMED = {
    "plain": ["thigh_l", "calf_l", "foot_l", "upperarm_l", "lowerarm_l", "hand_l"],
    "mixamo": [
        *("mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot"),
        *("mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"),
    ],
    "SMPL": ["left_hip", "left_knee", "left_ankle", "left_shoulder", "left_elbow", "left_wrist"],
    "poser": ["lThigh", "lShin", "lFoot", "lShldr", "lForeArm", "lHand"],
    "rigify": ["thigh.L", "shin.L", "foot.L", "upper_arm.L", "forearm.L", "hand.L"],
}


def body(names):
    """A skeleton with two legs and two arms below a pelvis and a chest; joints of the right side mirror the left."""
    places = {"pelvis": [0, 1, 0], "chest": [0, 1.4, 0]}
    left = [[0.1, 0.95, 0], [0.1, 0.5, 0.03], [0.1, 0.08, 0], [0.2, 1.4, 0], [0.45, 1.4, -0.03], [0.7, 1.4, 0]]
    parents = {"pelvis": None, "chest": "pelvis"}
    for side in ("left", "right"):
        own = names if side == "left" else [other_side(name) for name in names]
        for k, (name, place) in enumerate(zip(own, left, strict=True)):
            places[name] = np.array(place) * ([1, 1, 1] if side == "left" else [-1, 1, 1])
            parents[name] = own[k - 1] if k % 3 else ("pelvis" if k == 0 else "chest")
    order = list(places)
    rest = np.tile(np.eye(3, 4), (len(order), 1, 1))
    for j, name in enumerate(order):
        rest[j, :, 3] = np.subtract(places[name], places[parents[name]] if parents[name] else [0, 0, 0])
    return rc.Skeleton(order, [-1 if parents[n] is None else order.index(parents[n]) for n in order], rest)


def other_side(name):
    pairs = [("Left", "Right"), ("left", "right"), ("_l", "_r"), (".L", ".R")]
    return next((name.replace(a, b) for a, b in pairs if a in name), f"r{name[1:]}")


def skinned(skeleton):
    """Small boxes around the joints of a skeleton, each on its joint alone."""
    corners = 0.03 * np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3)
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    count = len(skeleton.names)
    vertices = (skeleton.rest_globals[:, None, :, 3] + corners).reshape(-1, 3)
    faces = (quads + 8 * np.arange(count)[:, None, None]).reshape(-1, 4)
    return rc.LinearBlendSkinning(skeleton, vertices, faces, np.repeat(np.eye(count), 8, axis=0))
