"""Reading files: rigs to learn from, blendshape rigs and their curves, meshes still and moving, skeletal motion.

Rigs are read by :func:`load`, put together by :class:`SkinnedRig` from arrays, or any object that is a :class:`Rig`.
"""

from rigcast._formats.blender.rig import BlenderRig
from rigcast._formats.bvh import Bvh, load_bvh
from rigcast._formats.frame_rates import Frames
from rigcast._formats.gltf import GltfRig, GltfSkeleton
from rigcast._formats.npz.rig import load_npz_rig, save_npz_rig
from rigcast._rigs.description import Facts, Joints, Morph, RigChannel, Skin
from rigcast._rigs.dials_only import dials_only
from rigcast._rigs.face import rig_of_face
from rigcast._rigs.mesh import Mesh
from rigcast._rigs.motions.action import Action
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rig import FollowerRotations, Mechanism, Rig, RotationChannels, ScaleChannels, TranslationChannels
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import Surface
from rigcast.sources._blendshapes import load_blendshape_weights, load_blendshapes
from rigcast.sources._example_body import example_body
from rigcast.sources._joint_maps import joint_map
from rigcast.sources._load import load
from rigcast.sources._meshes import load_mesh, load_scans
from rigcast.sources._motion_ranges import motion_ranges
from rigcast.sources._motions import load_motion
from rigcast.sources._renaming import rename_shapes
from rigcast.sources._retarget import retarget
from rigcast.sources._retargeting.checking import Followed
from rigcast.sources._retargeting.result import Retargeted
from rigcast.sources._shots import Shot, load_shot
from rigcast.sources._vertex_lists import load_landmarks, load_markers, load_vertex_indices

__all__ = [
    "Action",
    "BlenderRig",
    "Bvh",
    "Facts",
    "Followed",
    "FollowerRotations",
    "Frames",
    "GltfRig",
    "GltfSkeleton",
    "Joints",
    "Mechanism",
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
    "load_motion",
    "load_npz_rig",
    "load_scans",
    "load_shot",
    "load_vertex_indices",
    "motion_ranges",
    "rename_shapes",
    "retarget",
    "rig_of_face",
    "save_npz_rig",
]
