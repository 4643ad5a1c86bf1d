"""Models of whatever file holds one: learned, skinned, or blendshapes, played without any training."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rigcast import sampling, sources
from rigcast._core import Deformer, LinearBlendSkinning
from rigcast._formats.gltf import GltfRig
from rigcast._formats.npz.archive import member_names
from rigcast._formats.registry import GLTF
from rigcast._formats.usd.model_asset import is_stage_of_model
from rigcast._load_model import load
from rigcast.cli._result import WrongInput
from rigcast.sampling._kinematics import channel_entry

FULL_TURN = 180.0  # degrees either way: a file without limits does not clip a motion


def any_model(path: Path) -> Deformer:
    """A model file or a stage that names one, a rig of joints with linear skinning, or any file of a blendshape rig."""
    if path.suffix.lower() == ".safetensors" or is_stage_of_model(path):
        return load(path)
    return skinned_model(path) or sources.load_blendshapes(path)


def skinned_model(path: Path) -> LinearBlendSkinning | None:
    """The skinning model of a rig file; None if the file is no rig of joints alone.

    Raises
    ------
    ValueError
        If the rig also has morphs that channels drive, which skinning cannot reproduce.
    """
    rig = _opened(path)
    if rig is None or rig.skeleton is None or rig.skin is None:
        return None
    if rig.morphs:
        names = ", ".join(morph.name for morph in rig.morphs)
        raise WrongInput(
            f"{path} has morphs beside its joints ({names[:300]}), which a skinning model leaves out: sample the rig "
            "and train a model of it (rigcast sample, rigcast train)"
        )
    facts = sampling.check_rig(rig, "evaluate")
    manifest = {
        "channel_names": facts.channel_names,
        "channel_ranges": facts.channel_ranges.tolist(),
        "channel_rest": rig.channel_rest.tolist(),
        "kinematics": facts.kinematics,
    }
    about = {key: getattr(facts, key) for key in ("name", "licence", "origin", "meters_per_unit", "up_axis")}
    return LinearBlendSkinning(
        rig.skeleton,
        rig.rest_vertices,
        rig.faces,
        (rig.skin.joint, np.asarray(rig.skin.weight, np.float32)),
        metadata={**about, "channels": channel_entry(manifest, {"channels": {}, "joints": {}})},
    )


def _opened(path: Path) -> sources.SkinnedRig | None:
    """The rig of a file without blendshapes of its own kind."""
    suffix = path.suffix.lower()
    if suffix in GLTF.endings:
        rig = sources.load(path, ranges=FULL_TURN)
        return rig if isinstance(rig, GltfRig) and not rig.morphs else None
    if suffix == ".npz" and "format" in member_names(path, "evaluate"):
        return sources.load_npz_rig(path)
    return None
