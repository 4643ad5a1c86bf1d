"""glTF 2.0 characters (``.glb``, ``.gltf``): skins, morph targets and animation clips."""

from rigwright.sources.gltf.rig import GltfRig, load_gltf_rig

__all__ = ["GltfRig", "load_gltf_rig"]
