"""rigcast: learn any character rig, run it anywhere, invert it, and animate it.

What the package offers is imported when it is first used, so that a command answers Ctrl-C from its first moment and a
script pays for what it uses.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rigcast import (
        baselines,
        capture,
        cli,
        crowd,
        differential,
        errors,
        exports,
        faces,
        ik,
        inverse,
        metrics,
        perception,
        plot,
        progress,
        render,
        report,
        sampling,
        sources,
        study,
        synthesis,
        torch,
        training,
        transfer,
        viewer,
    )
    from rigcast._blendshapes import Tent
    from rigcast._core import (
        BlendshapeRig,
        Channel,
        Deformer,
        DeltaMush,
        DualQuaternionSkinning,
        LinearBlendSkinning,
        Session,
        Skeleton,
    )
    from rigcast._device_report import devices
    from rigcast._hashing import topology_hash
    from rigcast._load_model import load
    from rigcast._posing import pose_names
    from rigcast._rigs.segments import Segments, segments
    from rigcast.errors import CudaError, NumericalError, SourceError
    from rigcast.sampling import Dataset
    from rigcast.viewer import view

from rigcast._engine_folder import engine_folders as _engine_folders
from rigcast._version import __version__ as __version__

__path__[:0] = _engine_folders()

__all__ = [
    "BlendshapeRig",
    "Channel",
    "CudaError",
    "Dataset",
    "Deformer",
    "DeltaMush",
    "DualQuaternionSkinning",
    "LinearBlendSkinning",
    "NumericalError",
    "Segments",
    "Session",
    "Skeleton",
    "SourceError",
    "Tent",
    "baselines",
    "capture",
    "cli",
    "crowd",
    "devices",
    "differential",
    "errors",
    "exports",
    "faces",
    "ik",
    "inverse",
    "load",
    "metrics",
    "perception",
    "plot",
    "pose_names",
    "progress",
    "render",
    "report",
    "sampling",
    "segments",
    "sources",
    "study",
    "synthesis",
    "topology_hash",
    "torch",
    "training",
    "transfer",
    "view",
    "viewer",
]

# The module that defines a name; a name of __all__ that is not here is a module itself.
_HOMES = {
    "BlendshapeRig": "_core",
    "Channel": "_core",
    "CudaError": "errors",
    "Dataset": "sampling",
    "Deformer": "_core",
    "DeltaMush": "_core",
    "DualQuaternionSkinning": "_core",
    "LinearBlendSkinning": "_core",
    "NumericalError": "errors",
    "Session": "_core",
    "Skeleton": "_core",
    "SourceError": "errors",
    "Tent": "_blendshapes",
    "devices": "_device_report",
    "load": "_load_model",
    "pose_names": "_posing",
    "Segments": "_rigs.segments",
    "segments": "_rigs.segments",
    "topology_hash": "_hashing",
    "view": "viewer",
}

if not TYPE_CHECKING:  # a type checker would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in {*__all__, "_core"}:
            raise AttributeError(f"module 'rigcast' has no attribute {name!r}")
        if _HOMES.get(name, name) == "_core":
            importlib.import_module("rigcast._shown")  # classes of the engine are complete after it
        if name in _HOMES:
            value = getattr(importlib.import_module(f"rigcast.{_HOMES[name]}"), name)
        else:
            value = importlib.import_module(f"rigcast.{name}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
