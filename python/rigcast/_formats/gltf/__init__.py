"""glTF 2.0 characters (``.glb``, ``.gltf``): skins, morph targets and animation clips."""

from rigcast._formats.gltf.rig import GltfRig, load_gltf_rig

__all__ = ["GltfRig", "load_gltf_rig"]
