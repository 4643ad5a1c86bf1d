"""A figure next to another one, which it follows."""

from __future__ import annotations

import numpy as np

from rigcast.viewer._figures._figure import State, Vertices
from rigcast.viewer._figures._model import ModelFigure, RecordedFigure
from rigcast.viewer._figures._rig import RigFigure


def beside_vertices(
    beside: ModelFigure | RigFigure | RecordedFigure, figure: ModelFigure | RigFigure, state: State, frame: int
) -> Vertices:
    """Vertices (V, 3) of what follows ``figure``: a recorded figure at a frame, others by pose or channel names."""
    if isinstance(beside, RecordedFigure):
        return beside.frame(min(frame, len(beside.dataset) - 1))
    names = {slider.name: value for slider, value in zip(figure.sliders, state.row, strict=True)}
    row = np.array([names.get(slider.name, slider.rest) for slider in beside.sliders], np.float32)
    both = isinstance(beside, ModelFigure) and isinstance(figure, ModelFigure)
    if both and beside.model.control_names == figure.model.control_names:  # type: ignore[union-attr]
        return beside.vertices(State(row, figure.pose(state)))
    return beside.vertices(State(row))


def is_followed(
    beside: ModelFigure | RigFigure | RecordedFigure | None, figure: ModelFigure | RigFigure, state: State, frame: int
) -> bool:
    """False if what stands beside is recorded, and ``figure`` stands in another pose than was recorded."""
    return not isinstance(beside, RecordedFigure) or beside.stands_as(figure.pose(state), frame)
