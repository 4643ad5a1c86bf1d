"""A command's notes on the unit of a mesh, and a neutral in a rig's unit and axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.cli._arguments import UNITS
from rigcast.cli._result import WrongInput
from rigcast.sources import Mesh
from rigcast.transfer._matching.fitting import similarity

TWICE = 2.0  # no two grown heads differ so much
ALIKE = 1.25  # heads that differ less are of one size: inches (2.54 cm) and centimeters are not confused

Float32 = NDArray[np.float32]


def neutral_as_of(neutral: Mesh, rig: Any, path: Path) -> tuple[Float32, list[str]]:
    """Vertices (V, 3) in the rig's unit and axes, where the file states its own, and what there is to be said.

    Raises
    ------
    ValueError
        If there are not as many as the rig has.
    """
    if len(neutral.vertices) != len(rig.rest_vertices):
        raise WrongInput(f"{path}: {len(neutral.vertices)} vertices where the rig has {len(rig.rest_vertices)}")
    vertices = neutral.placed(rig.meters_per_unit, rig.up_axis).vertices
    note = unit_note(rig.rest_vertices, vertices, 1.0, path, "rig")
    return vertices, [note] if note else []


def unit_note(
    source: Float32, target: Float32, unit: float, path: Path, compared: str, meters: float | None = None
) -> str:
    """The note on a target (V, 3) whose size compared with the source puts its unit in doubt, or an empty string.

    Parameters
    ----------
    source, target : (V, 3)
        The same vertices of both.
    unit : float
        The target's unit over the source's.
    path : Path
        The target's file.
    compared : str
        The word for the source: "rig" or "source".
    meters : float, optional
        The unit that the target's numbers were taken in, where the command has ``--unit``: the sentence then says how
        to use it, with a unit in which both are of one size, if there is one.
    """
    scale = unit * similarity(source, target).scale
    if 1.0 / TWICE <= scale <= TWICE:
        return ""
    question = f"{path.name} is {scale:.3g} times as large as the {compared}: is its unit another one?"
    if meters is None:
        return question
    off = {name: scale * length / meters for name, length in UNITS.items()}
    near = min(off, key=lambda name: abs(np.log(off[name]))) if scale > 0 else ""
    if not near or not 1.0 / ALIKE <= off[near] <= ALIKE:
        return f"{question} --unit says it"
    return f"{question} With --unit {near} it is {off[near]:.3g} times as large"


def lies_otherwise(name: str, what: str, axis: str, option: str, as_what: str) -> str:
    """The note on a mesh that lies as if another axis pointed up than the rig's, with the option that says so."""
    return f"{name} lies as {what} with {axis.lower()} up would: with {option} {axis} it stands as {as_what}"
