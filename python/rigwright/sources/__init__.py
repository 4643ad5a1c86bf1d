"""Reading files: rigs to learn from, blendshape rigs and their curves, meshes still and moving, skeletal motion.

Rigs are read by :func:`load`, put together by :class:`SkinnedRig` from arrays, or any object that is a :class:`Rig`.
"""

from rigwright._formats.blender.rig import BlenderRig
from rigwright._formats.bvh import Bvh, load_bvh
from rigwright._formats.gltf.rig import GltfRig
from rigwright._formats.npz.rig import load_npz_rig, save_npz_rig
from rigwright._rigs.action import Action
from rigwright._rigs.description import Facts, Joints, Morph, RigChannel, Skin
from rigwright._rigs.dials_only import dials_only
from rigwright._rigs.mesh import Mesh
from rigwright._rigs.motion import Motion
from rigwright._rigs.rig import FollowerRotations, Rig, RotationChannels, ScaleChannels, TranslationChannels
from rigwright._rigs.skinned import SkinnedRig
from rigwright._rigs.surface import Surface
from rigwright.sources._blendshapes import load_blendshape_weights, load_blendshapes
from rigwright.sources._example_body import example_body
from rigwright.sources._joint_maps import joint_map
from rigwright.sources._load import load
from rigwright.sources._meshes import load_mesh, load_scans
from rigwright.sources._renaming import rename_shapes
from rigwright.sources._retarget import Retargeted, retarget
from rigwright.sources._shots import Shot, load_shot
from rigwright.sources._vertex_lists import load_landmarks, load_markers, load_vertex_indices

__all__ = [
    "Action",
    "BlenderRig",
    "Bvh",
    "Facts",
    "FollowerRotations",
    "GltfRig",
    "Joints",
    "Mesh",
    "Morph",
    "Motion",
    "Retargeted",
    "Rig",
    "RigChannel",
    "RotationChannels",
    "ScaleChannels",
    "Shot",
    "Skin",
    "SkinnedRig",
    "Surface",
    "TranslationChannels",
    "dials_only",
    "example_body",
    "joint_map",
    "load",
    "load_blendshape_weights",
    "load_blendshapes",
    "load_bvh",
    "load_landmarks",
    "load_markers",
    "load_mesh",
    "load_npz_rig",
    "load_scans",
    "load_shot",
    "load_vertex_indices",
    "rename_shapes",
    "retarget",
    "save_npz_rig",
]
