"""Surfaces in the files of models."""

from __future__ import annotations

import json
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._rigs.surface import Surface

Model = TypeVar("Model", bound=Deformer)


def surface_tensors(surface: Surface) -> dict[str, NDArray[np.generic]]:
    """The tensors ``surface.*``: what of it there is. Their names stand in the metadata (``surface.names()``)."""
    return {f"surface.{name}": np.asarray(array) for name, array in surface.arrays().items()}


def with_surface(model: Model, surface: Surface) -> Model:
    """The same model with what lies on its mesh; the very same if nothing does.

    Raises
    ------
    ValueError
        If the surface is that of another mesh.
    """
    if not surface.arrays():
        return model
    tensors = {name: array for name, array in model.tensors().items() if not name.startswith("surface.")}
    about = {key: value for key, value in model.metadata.items() if key not in ("parts", "materials")}
    text = json.dumps(about | surface.names())
    made: Model = _core.model_from_tensors(tensors | surface_tensors(surface), text)  # type: ignore[assignment]
    return made
