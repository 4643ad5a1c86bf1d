"""The ICT face carrying the controls, the combination structure and the curves of compskin_face_anim."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member
from rigcast._validate import bad_argument
from rigcast.faces._combinations import compskin_combinations
from rigcast.faces._correctives.correctives import constructed_correctives
from rigcast.faces._correctives.parts import part_masks
from rigcast.faces._ict import ict, landmarks
from rigcast.faces._packed import Float32, check_folder, finite, read_complete, write_arrays

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

TABLE = Path(__file__).with_name("compskin_to_ict.json")
PACKED = "face_controls.npz"
CURVES = {"names": Member("U", ("K",)), "controls": Member("f", ("T", "K"))}
PUBLISHED = ("test_anim.npz", "in/test_anim.npz")
COLUMNS = {"weights": Member("f", ("T", "N"))}
JAW, CLOSING = "jawDrop", ("eyesClosed_L", "eyesClosed_R")


def ict_with_combinations(
    ict_folder: str | os.PathLike[str], compskin_folder: str | os.PathLike[str]
) -> tuple[BlendshapeRig, Float32]:
    """The ICT face with the 72 controls and 215 combinations of compskin_face_anim, and that data set's real curves.

    Shapes are ICT's, split and scaled by the table ``compskin_to_ict.json`` next to this module; all combinations are
    constructed (:func:`constructed_correctives`), which takes some seconds.

    Parameters
    ----------
    ict_folder : path-like
        As in :func:`ict`.
    compskin_folder : path-like
        As in :func:`compskin_curves`.

    Returns
    -------
    rig : BlendshapeRig
        V 26,719, K 72, N 287, bounds [0, 1]. ``metadata["constructed"]`` names the 215 columns.
    weights : (T, 72) float32 array
        The curves, clipped into the bounds (they go down to -0.064). Their frame rate is not stated, and they jump
        where one take ends and the next begins.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If a folder is not the data set.
    """
    structure = compskin_combinations()
    names, weights = compskin_curves(compskin_folder)
    if names != structure.controls:
        got = "with curves of other controls than the combination structure"
        raise bad_argument("ict_with_combinations", "compskin_folder", got, "the data set's folder")
    face = ict(ict_folder)
    linear = _mapped(face, names, part_masks(face.rest_vertices, landmarks(ict_folder)))
    return constructed_correctives(linear, structure.combinations, jaw=JAW, closing=CLOSING), np.clip(weights, 0, 1)


def compskin_curves(folder: str | os.PathLike[str]) -> tuple[list[str], Float32]:
    """Names of the 72 controls and their curves (T, 72) as the data set has them, not clipped.

    Parameters
    ----------
    folder : path-like
        A copy of github.com/facebookresearch/compskin, or its folder ``in``: ``test_anim.npz``, whose ``weights``
        begin with the controls. Or what ``rigcast faces convert`` wrote.

    Raises
    ------
    FileNotFoundError
        If the file is missing.
    ValueError
        If it is not what the data set publishes.
    """
    function = "faces.compskin_curves"
    path = check_folder(folder, function)
    if (path / PACKED).is_file():
        arrays = read_complete(path / PACKED, CURVES, function)
        return [str(name) for name in arrays["names"]], finite(arrays["controls"], "controls", path / PACKED, function)
    file = next((path / place for place in PUBLISHED if (path / place).is_file()), path / PUBLISHED[0])
    columns = finite(read_complete(file, COLUMNS, function)["weights"], "weights", file, function)
    names = compskin_combinations().controls
    if columns.shape[1] < len(names):
        raise bad_argument(function, "weights", f"of shape {columns.shape} (in {file})", f"(T, {len(names)} or more)")
    return names, np.ascontiguousarray(columns[:, : len(names)])


def pack_compskin(folder: Path, output: Path) -> None:
    """Write the curves into the archive that :func:`compskin_curves` reads at once; ``output`` exists."""
    names, controls = compskin_curves(folder)
    frames = np.arange(len(controls), dtype=np.int32)
    write_arrays(output / PACKED, names=np.array(names, np.str_), controls=controls, source_frame=frames)


def control_table() -> dict[str, list[dict[str, Any]]]:
    """The ICT shapes that stand for each control: lists of ``shape``, ``weight`` (1 if left out), ``part`` (all)."""
    table: dict[str, list[dict[str, Any]]] = json.loads(TABLE.read_text(encoding="utf-8"))["controls"]
    return table


def _mapped(face: BlendshapeRig, names: list[str], masks: dict[str, NDArray[np.float64]]) -> BlendshapeRig:
    """The face with shapes for other controls."""
    from rigcast._core import BlendshapeRig

    table = control_table()
    deltas = np.zeros((len(names), *face.rest_vertices.shape), np.float32)
    for row, name in enumerate(names):
        if name not in table:
            raise bad_argument(
                "ict_with_combinations", "compskin_folder", f"with control {name!r}", "one of the table's"
            )
        for term in table[name]:
            delta = term.get("weight", 1.0) * face.column(face.shape_names.index(term["shape"]))
            deltas[row] += delta if "part" not in term else masks[term["part"]][:, None] * delta
    facts = {**face.metadata, "name": "ICT FaceKit with the controls of compskin_face_anim"}
    facts["licence"] = "MIT (ICT FaceKit); Apache-2.0 (combination structure and curves, Meta Platforms)"
    return BlendshapeRig(face.rest_vertices, deltas, names=names, faces=face.faces, metadata=facts)
