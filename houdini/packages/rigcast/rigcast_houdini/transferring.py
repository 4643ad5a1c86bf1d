"""The shapes of one face on another, by ``rigcast transfer`` in a process."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import hou
import numpy as np

import rigcast_runtime as rr
from rigcast_host.spaces import Space

from .attributes import node_errors, positions
from .nodes import HOUDINI, load_model
from .process import command, run

Array = np.ndarray[Any, Any]
LANDMARK = "landmark"  # point groups with names that begin so
LEAST = 3  # landmarks


def transfer(
    model: str,
    target: hou.Geometry,
    output: str,
    *,
    source: hou.Geometry | None = None,
    program: str = "",
    space: Space = HOUDINI,
) -> list[str]:
    """Give the shapes of a face to another one: a model file of the other face, which ``cook`` plays on it.

    For shelf tools and hython. It runs ``rigcast transfer`` in a process, with progress in the status
    line and Esc to stop; the same call goes on where it was.

    Parameters
    ----------
    model : str
        A blendshape rig with faces.
    target : hou.Geometry
        The other face at rest: of the model's topology, point by point, or with landmarks of another one.
    output : str
        The model file that is written, ``.safetensors``; one that is there is replaced when the new one is done.
    source : hou.Geometry, optional
        The model's own face at rest, for a target of another topology: point groups of one point each, called
        ``landmark_nose`` and so on, must be on both.
    program : str, optional
        See ``rigcast_houdini.process.command``: the whole package in a Python of its own.
    space : Space
        The unit and up axis of the target.

    Returns
    -------
    list of str
        Notes of the command: what is doubtful, or came out empty.

    Raises
    ------
    hou.NodeError
        If a file, the geometry or the program does not fit, or with the command's own sentence.
    hou.OperationInterrupted
        After Esc.
    """
    with (
        node_errors(),
        hou.InterruptableOperation("rigcast: transferring shapes", open_interrupt_dialog=True) as operation,
    ):
        begin = command(program)
        (path, *_), rig = load_model(model)
        made = os.path.abspath(hou.text.expandString(output))
        with tempfile.TemporaryDirectory(prefix="rigcast") as name:
            folder = Path(name)
            words = [*begin, "transfer", path, "target.obj", "-o", made, "--unit", repr(float(space.meters_per_unit))]
            words += ["--up-axis", space.up_axis, "--no-measure", "--overwrite"]
            faces = _faces(rig, target, source)
            if source is not None:
                pairs = _landmarks(rig, source, target)
                text = "".join(f"{ours},{theirs}\n" for ours, theirs in pairs)
                (folder / "landmarks.csv").write_text(text, encoding="utf-8")
                words += ["--landmarks", "landmarks.csv"]
            _write_obj(folder / "target.obj", positions(target), faces)
            found = run(words, folder, operation)
        return [str(note) for note in found.get("notes", [])]


def _faces(rig: rr.Deformer, target: hou.Geometry, source: hou.Geometry | None) -> list[list[int]]:
    """The faces of the target: the model's, or with landmarks its own polygons.

    Houdini's polygons run clockwise seen from outside, those of models counterclockwise.
    """
    count = target.intrinsicValue("pointcount")
    if source is None:
        if count != rig.num_vertices:
            raise ValueError(
                f"the target has {count} points, the model {rig.num_vertices} vertices: for another topology pass "
                f"source=, the model's face with {LEAST} or more point groups landmark_... that both have"
            )
        return [[corner for corner in row if corner >= 0] for row in rig.faces.tolist()]
    faces = [[vertex.point().number() for vertex in primitive.vertices()][::-1] for primitive in target.prims()]
    if not faces or min(map(len, faces)) < 3:
        raise ValueError("the target must consist of polygons alone, of three points or more")
    return faces


def _landmarks(rig: rr.Deformer, source: hou.Geometry, target: hou.Geometry) -> list[tuple[int, int]]:
    """Pairs of points in groups of one name on both faces."""
    if source.intrinsicValue("pointcount") != rig.num_vertices:
        got = source.intrinsicValue("pointcount")
        raise ValueError(f"source has {got} points, the model {rig.num_vertices} vertices: it must be the model's face")
    ours, theirs = _marked(source), _marked(target)
    pairs = [(ours[name], theirs[name]) for name in ours if name in theirs]
    if len(pairs) < LEAST:
        raise ValueError(
            f"source and target need {LEAST} or more point groups of one point each, called landmark_nose, "
            f"landmark_chin, ... on both; {len(pairs)} are there"
        )
    return pairs


def _marked(geometry: hou.Geometry) -> dict[str, int]:
    """The point of each group that marks one."""
    found = {}
    for group in geometry.pointGroups():
        if group.name().lower().startswith(LANDMARK):
            points = group.points()
            if len(points) != 1:
                raise ValueError(f"point group {group.name()} has {len(points)} points; a landmark is one")
            found[group.name()] = points[0].number()
    return found


def _write_obj(path: Path, points: Array, faces: list[list[int]]) -> None:
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*point) for point in points.tolist()]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
