"""Rigs to learn from: the protocol, one loader per file format, and motion to play on them."""

from rigwright.sources.blendshapes import load_blendshapes, load_weights
from rigwright.sources.bvh import load_bvh
from rigwright.sources.joint_maps import joint_map
from rigwright.sources.loading import load
from rigwright.sources.motion import Motion
from rigwright.sources.npz import load_npz_rig, save_npz_rig
from rigwright.sources.retarget import Retargeted, retarget
from rigwright.sources.rig import FollowerRotations, Rig, RotationChannels, ScaleChannels, TranslationChannels
from rigwright.sources.shots import Shot, load_shot
from rigwright.sources.skinned import SkinnedRig

__all__ = [
    "FollowerRotations",
    "Motion",
    "Retargeted",
    "Rig",
    "RotationChannels",
    "ScaleChannels",
    "Shot",
    "SkinnedRig",
    "TranslationChannels",
    "joint_map",
    "load",
    "load_blendshapes",
    "load_bvh",
    "load_npz_rig",
    "load_shot",
    "load_weights",
    "retarget",
    "save_npz_rig",
]
