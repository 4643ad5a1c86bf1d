"""A model of the small mapped face as training would leave it, with untrained networks: needs no PyTorch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rigcast.training._budget import Budget
from rigcast.training._face_maps._layout.segments import Layout, MapSegment, RigidPart
from rigcast.training._face_maps._pipeline import exported
from rigcast.training._face_maps._preparation import prepare
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.convolution_networks import ConvolutionShape, doublings_of
from rigcast.training._face_maps._train.learned_map import LearnedMap
from rigcast.training._face_maps._train.shapes import Scaling

HIDDEN, FIRST, CHANNELS = 6, 2, 4


def refined_layout(layout: Layout) -> Layout:
    """With a square of the brow refined, and the tooth as a rigid part of the mouth."""
    tooth = next(segment for segment in layout.coarse if segment.name == "tooth")
    kept = [number for number, segment in enumerate(layout.coarse) if segment.name != "tooth"]
    coarse = [layout.coarse[number] for number in kept]
    brow, mouth = coarse[0], coarse[1]
    inside = np.flatnonzero((brow.uvs <= 0.5).all(axis=1))
    weights = np.linspace(0.2, 1.0, len(inside)).astype(np.float32)
    square = MapSegment("brow 1", 1, brow.vertices[inside], 2.0 * brow.uvs[inside], weights, brow.columns, 64)
    part = RigidPart("tooth", tooth.vertices, mouth.vertices[::7][:10], 0.0125)
    floors = [layout.floors[number] for number in kept]
    uvs = [layout.original_uvs[number] for number in kept]
    return replace(layout, segments=[*coarse, square], parts=[part], floors=floors, original_uvs=uvs)


def mapped_model(data, refined=True):
    """A model of kind "face_maps" of a data set of the mapped face."""
    settings = FaceMapsSettings(method="paper", layout="mended", hidden=HIDDEN, first_channels=FIRST, channels=CHANNELS)
    budget = Budget("face_maps", steps=1, threads=1)
    ready = prepare(data, settings, budget)
    ready = replace(ready, layout=refined_layout(ready.layout)) if refined else ready
    learned = []
    for number, segment in enumerate(ready.layout.segments):
        count = len(segment.columns)
        shape = ConvolutionShape(count, HIDDEN, FIRST, CHANNELS, doublings_of(segment.resolution))
        scaling = Scaling(np.full(count, 0.5), np.full(count, 0.3), 0.02)
        learned.append(LearnedMap(segment, shape, scaling, shape.initial_weights([number])))
    return exported(data, ready, learned, settings, budget, {"seconds": 90.0})
