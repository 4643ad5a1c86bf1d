"""Metadata entries of channels, and models that carry them."""

import numpy as np

from rigcast import _core
from tests.support.made.models import chain_skeleton, common_tensors, metadata

AXES = "xyz"


def channel(name, kind, joint=None, place=0, low=-170.0, high=170.0, rest=0.0, **more):
    unit = {"rotate": "degrees", "translate": "rig"}.get(kind.split("_")[0], "")
    return {
        "name": name, "kind": kind, "joint": joint, "place": place, "low": low, "high": high, "rest": rest,
        "unit": unit, **more,
    }  # fmt: skip


def rotations(joint, order, low=-80.0, high=80.0, listed=None):
    """Rotation channels of a joint, listed in another order than they multiply in."""
    places = {axis.lower(): place for place, axis in enumerate(order)}
    return [channel(f"{joint}.r{a}", f"rotate_{a}", joint, places[a], low, high) for a in listed or sorted(places)]


def entry(*channels, joints=None, followers=()):
    return {"list": list(channels), "followers": list(followers), "joints": joints or {}}


def three_joints():
    """One joint with everything, one with two axes, one with none; two dials."""
    return entry(
        channel("joint0.ty", "translate_y", "joint0"),
        *rotations("joint0", "ZXY"),
        channel("joint0.tx", "translate_x", "joint0"),
        channel("joint0.sz", "scale_z", "joint0", low=0.5, high=2.0, rest=1.0),
        channel("smile", "dial", low=0.0, high=1.0),
        *rotations("joint1", "YX"),
        channel("mode", "dial", low=0.0, high=3.0, whole=True),
    )


FOLLOWERS = [
    {"joint": "joint1", "channel": "joint0.rx", "axis": "z", "place": 2, "factor": -0.5},
    {"joint": "joint2", "channel": "joint0.rz", "axis": "x", "place": 0, "factor": 1.0},
]


def with_followers():
    """The same; the second joint's third axis and the last joint turn with the first."""
    return three_joints() | {"followers": FOLLOWERS}


def linear_blend(skeleton, numeric=(), **more):
    tensors = common_tensors(skeleton, 12, numeric=len(numeric)) | {
        "skin.joint": np.zeros((12, 1), np.int32),
        "skin.weight": np.ones((12, 1), np.float32),
    }
    return _core.model_from_tensors(tensors, metadata("linear_blend", skeleton, list(numeric), **more))


def model_of(channels, numeric=("mode", "smile"), num_joints=3):
    return linear_blend(chain_skeleton(num_joints, seed=4), numeric, channels=channels)


def random_rows(model, count=20, seed=0):
    low, high = np.array([(c.low, c.high) for c in model.channels]).T
    return np.random.default_rng(seed).uniform(low, high, (count, len(low))).astype(np.float32)
