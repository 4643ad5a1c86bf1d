"""Layers of one synthesizer, checked, and added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import Arguments, bad_argument, shown
from rigcast.synthesis._playing.layers import Layer

Float64 = NDArray[np.float64]


class Layers:
    """Checked layers of one synthesizer.

    Parameters
    ----------
    function : str
        Public name, for errors.
    layers : sequence of Layer
        No two may share a control.
    control_names : list of str
    fps : float

    Raises
    ------
    ValueError
    """

    def __init__(self, function: str, layers: Sequence[Layer], control_names: list[str], fps: float) -> None:
        if not isinstance(layers, Sequence):
            raise bad_argument(function, "layers", f"a {type(layers).__name__}", "a list of layers")
        self.layers, self.fps = list(layers), fps
        column = {name: i for i, name in enumerate(control_names)}
        owner: dict[str, str] = {}
        self._matrices: list[Float64] = []
        for layer in self.layers:
            if not isinstance(layer, Layer):
                raise bad_argument(function, "layers", f"a list with a {type(layer).__name__}", "a list of layers")
            amounts = layer.amounts()
            matrix = np.zeros((len(amounts), len(control_names)))
            for control in {name for row in amounts for name in row}:
                if control not in column:
                    raise bad_argument(function, f"layer {layer.name!r}", f"of {shown(control)}", "of known controls")
                if owner.setdefault(control, layer.name) != layer.name:
                    got = f"of {control!r}, which layer {owner[control]!r} owns"
                    raise bad_argument(function, f"layer {layer.name!r}", got, "of controls of its own")
            for row, names in zip(matrix, amounts, strict=True):
                for control, amount in names.items():
                    row[column[control]] = layer.strength * amount
            self._matrices.append(matrix)
        Arguments(function).names("layers", [layer.name for layer in self.layers])

    def columns(self) -> NDArray[np.intp]:
        """Controls that some layer owns."""
        return np.flatnonzero(np.any([np.any(m != 0.0, axis=0) for m in self._matrices], axis=0))

    def added(self, function: str, first: int, count: int, seeds: NDArray[np.uint64], without: Any) -> Float64 | None:
        """(H, count, N) what layers add to frames from ``first`` on; None if they add nothing."""
        names = [layer.name for layer in self.layers]
        if not isinstance(without, Sequence):
            raise bad_argument(function, "without", f"a {type(without).__name__}", "a list of names of layers")
        left_out = [without] if isinstance(without, str) else list(without)
        for name in left_out:
            if name not in names:
                raise bad_argument(function, "without", shown(name), f"one of {', '.join(names) or 'no layers'}")
        result: Float64 | None = None
        for layer, matrix in zip(self.layers, self._matrices, strict=True):
            if layer.name in left_out:
                continue
            part = layer.at((first + np.arange(count)) / self.fps, seeds) @ matrix
            result = part if result is None else result + part
        return result
