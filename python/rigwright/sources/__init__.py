"""Rigs to learn from: the protocol, one loader per file format, and motion to play on them."""

from rigwright._formats.bvh import load_bvh
from rigwright._formats.npz.rig import load_npz_rig, save_npz_rig
from rigwright._rigs.mesh import Mesh
from rigwright._rigs.motion import Motion
from rigwright._rigs.rig import FollowerRotations, Rig, RotationChannels, ScaleChannels, TranslationChannels
from rigwright._rigs.skinned import SkinnedRig
from rigwright.sources._blendshapes import load_blendshapes, load_weights
from rigwright.sources._example_body import example_body
from rigwright.sources._joint_maps import joint_map
from rigwright.sources._loading import load
from rigwright.sources._meshes import load_mesh, load_meshes
from rigwright.sources._renaming import rename_shapes
from rigwright.sources._retarget import Retargeted, retarget
from rigwright.sources._shots import Shot, load_shot
from rigwright.sources._vertex_lists import load_landmarks, load_markers, load_vertices

__all__ = [
    "FollowerRotations",
    "Mesh",
    "Motion",
    "Retargeted",
    "Rig",
    "RotationChannels",
    "ScaleChannels",
    "Shot",
    "SkinnedRig",
    "TranslationChannels",
    "example_body",
    "joint_map",
    "load",
    "load_blendshapes",
    "load_bvh",
    "load_landmarks",
    "load_markers",
    "load_mesh",
    "load_meshes",
    "load_npz_rig",
    "load_shot",
    "load_vertices",
    "load_weights",
    "rename_shapes",
    "retarget",
    "save_npz_rig",
]
