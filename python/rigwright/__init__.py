"""rigwright: learn any character rig, run it anywhere, invert it, and animate it."""

from rigwright import baselines, crowd, exports, faces, inverse, metrics, sampling, sources, training, transfer
from rigwright._core import BlendshapeRig, Deformer, Skeleton, load
from rigwright.blendshapes import Tent
from rigwright.device_report import devices
from rigwright.errors import CudaError, NumericalError, SourceError
from rigwright.hashing import topology_hash
from rigwright.posing import pose_names
from rigwright.sampling import Dataset
from rigwright.skinning import DeltaMush, DualQuaternionSkinning, LinearBlendSkinning

__version__ = "0.1.0"

__all__ = [
    "BlendshapeRig",
    "CudaError",
    "Dataset",
    "Deformer",
    "DeltaMush",
    "DualQuaternionSkinning",
    "LinearBlendSkinning",
    "NumericalError",
    "Skeleton",
    "SourceError",
    "Tent",
    "baselines",
    "crowd",
    "devices",
    "exports",
    "faces",
    "inverse",
    "load",
    "metrics",
    "pose_names",
    "sampling",
    "sources",
    "topology_hash",
    "training",
    "transfer",
]
