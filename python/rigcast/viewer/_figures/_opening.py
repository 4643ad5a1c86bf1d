"""The figure of whatever is given to the view."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast import _core, baselines, sampling, sources
from rigcast._core import LinearBlendSkinning
from rigcast._validate import bad_argument
from rigcast.sampling import Dataset
from rigcast.sampling._kinematics import channel_entry
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._figures._rig import FITTED_INFLUENCES, RigFigure


def figure_of(subject: Any, name: str = "", through: _core.Deformer | None = None) -> ModelFigure | RigFigure:
    """The figure of a model, a rig or a data set; of a data set it is skinning fitted to its samples.

    Parameters
    ----------
    subject : Deformer, Rig or Dataset
    name : str
    through : Deformer, optional
        A model of the rig on which drags are solved.

    Raises
    ------
    ValueError
        If it is none of them, a data set without joints, or ``through`` is no model of a rig that needs one.
    """
    if through is not None and not isinstance(through, _core.Deformer):
        raise bad_argument("view", "through", f"a {type(through).__name__}", "a model")
    if through is not None and not _needs_model(subject):
        raise bad_argument("view", "through", "given for what is dragged as it is", "None: a rig takes it")
    if isinstance(subject, _core.Deformer):
        return ModelFigure(subject, name)
    if isinstance(subject, Dataset):
        fitted = baselines.linear_blend(subject, influences=FITTED_INFLUENCES)
        return ModelFigure(fitted, name or f"{subject.name or 'data set'}, fitted skinning")
    if isinstance(subject, sources.Rig):
        skinned = _skinning_of(subject)
        return RigFigure(subject, name, through) if skinned is None else ModelFigure(skinned, name)
    raise bad_argument("view", "model", f"a {type(subject).__name__}", "a model, a rig or a data set")


def _needs_model(subject: Any) -> bool:
    """True if it is a rig that its own program evaluates."""
    is_model = isinstance(subject, _core.Deformer | Dataset)
    return not is_model and isinstance(subject, sources.Rig) and _skinning_of(subject) is None


def _skinning_of(rig: Any) -> _core.Deformer | None:
    """The model that a rig of linear skinning is; None if it is more than that."""
    skin, skeleton = getattr(rig, "skin", None), getattr(rig, "skeleton", None)
    if skin is None or skeleton is None or getattr(rig, "morphs", None):
        return None
    facts = sampling.check_rig(rig, "view")
    manifest = {
        "channel_names": facts.channel_names,
        "channel_ranges": facts.channel_ranges.tolist(),
        "channel_rest": np.asarray(rig.channel_rest).tolist(),
        "kinematics": facts.kinematics,
    }
    about = {key: getattr(facts, key) for key in ("name", "licence", "origin", "meters_per_unit", "up_axis")}
    return LinearBlendSkinning(
        skeleton,
        rig.rest_vertices,
        rig.faces,
        (skin.joint, np.asarray(skin.weight, np.float32)),
        metadata={**about, "channels": channel_entry(manifest, {"channels": {}, "joints": {}})},
    )
