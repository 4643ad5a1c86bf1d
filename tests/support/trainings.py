"""Trainings called with their settings and their budget in one list of words."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import rigcast as rc

SETTINGS = {
    "body": rc.training.BodySettings,
    "body_until": rc.training.BodySettings,
    "differential": rc.training.DifferentialSettings,
    "face_ik": rc.training.FaceIkSettings,
    "face_maps": rc.training.FaceMapsSettings,
}


def train_with(name: str, *arguments: Any, **words: Any) -> Any:
    """Call a training of ``rc.training``: the words that are fields of its settings become the record."""
    kind = SETTINGS[name]
    own = {one.name: words.pop(one.name) for one in fields(kind) if one.name in words}
    return getattr(rc.training, name)(*arguments, settings=kind(**own), **words)


def body(ds: rc.Dataset, **words: Any) -> rc.Deformer:
    """``rc.training.body`` with all words in one list."""
    model: rc.Deformer = train_with("body", ds, **words)
    return model


def differential(ds: rc.Dataset, **words: Any) -> rc.Deformer:
    """``rc.training.differential`` with all words in one list."""
    model: rc.Deformer = train_with("differential", ds, **words)
    return model
