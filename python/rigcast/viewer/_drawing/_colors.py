"""The skin colored by error, confidence or the bound of an error, and the value at a point of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer._figures._figure import State, Vertices
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._protocol import Refused

Marks = NDArray[np.uint8]  # one byte per vertex
ERROR_SHARE = 0.0025  # of the character's size: the error that is drawn in the last color


def color_modes(figures: Sequence[Any]) -> list[str]:
    """The colors that the first figure can have: errors compared with another one, the bound of a model's error."""
    modes = ["plain"] if figures[0].look is None else ["material", "plain"]
    if len(figures) == 2 and len(figures[0].rest_vertices) == len(figures[1].rest_vertices):
        modes.append("error")
    if not isinstance(figures[0], ModelFigure):
        return modes
    return [*modes, "confidence", *(["bound"] if figures[0].has_error_bound else [])]


def check_color(mode: str, figures: Sequence[Any]) -> None:
    """Refuse a color that the first figure cannot show."""
    if mode not in color_modes(figures):
        needs = "a model that states one" if mode == "bound" else "another figure of the same mesh beside it"
        raise Refused(f"{mode} needs {needs}")


@dataclass(frozen=True)
class ShownFigures:
    """The figures of one frame.

    Attributes
    ----------
    state : State
        Of the first figure.
    vertices : sequence of (V, 3) arrays
        Of each figure.
    follows : bool
        Whether the second figure stands in the pose of the first.
    """

    state: State
    vertices: Sequence[Vertices]
    follows: bool


class SkinColors:
    """The color of the first figure, and its values in the present frame.

    Parameters
    ----------
    figures : sequence of Figure
    """

    def __init__(self, figures: Sequence[Any]) -> None:
        self._figures, self._figure = figures, figures[0]
        self.size = float(np.linalg.norm(np.ptp(self._figure.rest_vertices, axis=0))) or 1.0
        self.mode = color_modes(figures)[0]
        self._lengths: NDArray[np.float64] | None = None  # (V,) errors or bounds in the figure's unit
        self._confidence: float | None = None

    def choose(self, mode: str) -> None:
        """Another color from the next frame on, or a refusal."""
        check_color(mode, self._figures)
        self.mode = mode

    def marks(self, shown: ShownFigures) -> tuple[Marks | None, dict[str, Any]]:
        """The color values of the first figure's vertices, and what the page says of them."""
        self._confidence, self._lengths = confidence_of(self._figure, shown.state), None
        if self.mode == "bound":
            self._lengths = np.asarray(self._figure.error_bound(shown.state), np.float64)
        elif self.mode == "error" and len(shown.vertices) == 2 and shown.follows:
            ours, theirs = shown.vertices
            self._lengths = np.linalg.norm(ours.astype(np.float64) - theirs, axis=1)
        facts: dict[str, Any] = {
            "color": self.mode,
            "error": None,
            "confidence": self._confidence,
            "follows": shown.follows,
        }
        if self._lengths is not None:
            marks, facts["error"] = distance_marks(self._lengths, self.size, self._figure.meters_per_unit)
            return marks, facts
        if self.mode == "confidence":
            return confidence_marks(self._confidence or 0.0, len(shown.vertices[0])), facts
        return None, facts

    def at(self, corners: NDArray[np.integer[Any]], weights: NDArray[np.floating[Any]]) -> dict[str, float] | None:
        """The value at a point of the skin: millimeters of ``error`` or ``bound``, or ``confidence``; None without."""
        if self._lengths is not None:
            return {self.mode: float(weights @ self._lengths[corners]) * 1000.0 * self._figure.meters_per_unit}
        if self.mode == "confidence" and self._confidence is not None:
            return {"confidence": self._confidence}
        return None


def distance_marks(
    distance: NDArray[np.floating[Any]], size: float, meters_per_unit: float
) -> tuple[Marks, dict[str, Any]]:
    """Lengths (V,), 255 at 0.25 % of the size; mean and largest in millimeters."""
    most = ERROR_SHARE * size
    in_mm = 1000.0 * meters_per_unit
    facts = {"mean": float(distance.mean() * in_mm), "max": float(distance.max() * in_mm), "full": most * in_mm}
    return np.clip(255.0 * distance / most, 0, 255).astype(np.uint8), facts


def confidence_marks(confidence: float, num_vertices: int) -> Marks:
    """0 inside the training poses, 255 where nothing is known."""
    return np.full(num_vertices, round(255.0 * (1.0 - confidence)), np.uint8)


def confidence_of(figure: Any, state: State) -> float | None:
    """The confidence of a model in a pose; None for a rig."""
    if not isinstance(figure, ModelFigure):
        return None
    return float(figure.model.confidence(figure.pose(state)[None])[0])
