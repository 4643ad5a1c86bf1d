# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape keys of a face given to another mesh, by ``rigcast transfer`` in a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..jobs import trainer
from ..jobs.running import JobError, Progress, Works, draw_progress
from ..panel import PanelOfRigcast
from ..preferences import cache_folder, trainer_path
from ..texts import write_lines
from .shapes import add_shapes, faces_of, shapes_of

LANDMARK = "landmark"  # vertex groups with names that begin so
LEAST = 3  # landmarks


class RIGCAST_OT_transfer(Works, bpy.types.Operator):
    """Give the shape keys of the other selected face to the active mesh"""

    bl_idname = "rigcast.transfer"
    bl_label = "Transfer Shape Keys"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.StringProperty(
        name="Face", description="The face with shape keys; default: the other selected one", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None and context.active_object.type == "MESH"

    def stopped(self) -> str:
        """Words after Esc."""
        return "Transfer: stopped; finished shapes are kept, the same button goes on"

    def work(self, context: Any) -> Iterator[Progress]:
        """Write both faces, run the transfer, add its shapes."""
        target, source = context.active_object, self._source(context)
        target_name, shapes = target.name, shapes_of(source)
        folder = Path(cache_folder()) / "transfer"
        folder.mkdir(parents=True, exist_ok=True)
        shapes.save(folder / "face.npz", faces_of(source.data))
        words = ["transfer", "face.npz", "target.obj", "-o", "result.npz", "--up-axis", "Z", "--unit", "1"]
        words += ["--no-measure", "--overwrite"]
        _write_obj(folder / "target.obj", target)
        if not _same_topology(source, target):
            pairs = _landmarks(source, target)
            lines = "".join(f"{ours},{theirs}\n" for ours, theirs in pairs)
            (folder / "landmarks.csv").write_text(lines, encoding="utf-8")
            words += ["--landmarks", "landmarks.csv"]
        found = yield from trainer.run(trainer.program(trainer_path()), words, folder, "transfer")
        with np.load(folder / "result.npz") as result:
            names, deltas, bounds = [str(name) for name in result["names"]], result["deltas"], result["bounds"]
        replaced = add_shapes(bpy.data.objects[target_name], names, deltas, bounds)
        text = f"{len(names)} shape keys" + (f", {len(replaced)} of them replaced" if replaced else "")
        for note in found.get("notes", [])[:3]:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, f"{target_name} has {text}")

    def _source(self, context: Any) -> Any:
        target = context.active_object
        if self.source:
            found = [bpy.data.objects.get(self.source)]
        else:
            found = [item for item in context.selected_objects if item != target and item.type == "MESH"]
        if len(found) != 1 or found[0] is None:
            raise JobError("select the face that has the shape keys, then the mesh that gets them as the active object")
        return found[0]


def _same_topology(source: Any, target: Any) -> bool:
    ours, theirs = faces_of(source.data), faces_of(target.data)
    return len(source.data.vertices) == len(target.data.vertices) and np.array_equal(ours, theirs)


def _landmarks(source: Any, target: Any) -> list[tuple[int, int]]:
    """Pairs of vertices in groups of one name on both meshes."""
    ours, theirs = _marked(source), _marked(target)
    pairs = [(ours[name], theirs[name]) for name in ours if name in theirs]
    if len(pairs) < LEAST:
        raise JobError(
            f"{source.name} and {target.name} have other topologies: give both {LEAST} or more vertex groups of one "
            f"vertex each, named landmark_nose, landmark_chin, ... on both; {len(pairs)} are there"
        )
    return pairs


def _marked(item: Any) -> dict[str, int]:
    """The vertex of each group that marks one: the one of the largest weight."""
    groups = {group.index: group.name for group in item.vertex_groups if group.name.lower().startswith(LANDMARK)}
    best: dict[str, tuple[float, int]] = {}
    for vertex in item.data.vertices if groups else ():
        for entry in vertex.groups:
            name = groups.get(entry.group)
            if name is not None and entry.weight > best.get(name, (0.0, 0))[0]:
                best[name] = (entry.weight, vertex.index)
    return {name: index for name, (_, index) in best.items()}


def _write_obj(path: Path, item: Any) -> None:
    """The mesh at rest in its own coordinates, z up."""
    keys = item.data.shape_keys
    points = keys.reference_key.data if keys is not None else item.data.vertices
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*point.co) for point in points]
    for row in faces_of(item.data).tolist():
        lines.append("f " + " ".join(str(corner + 1) for corner in row if corner >= 0))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class RIGCAST_PT_transfer(PanelOfRigcast, bpy.types.Panel):
    bl_label = "Transfer Shape Keys"

    def draw(self, context: Any) -> None:
        layout = self.layout
        if draw_progress(layout, RIGCAST_OT_transfer.bl_label):
            return
        target = context.active_object
        others = [item for item in context.selected_objects if item != target and item.type == "MESH"]
        if target is None or target.type != "MESH" or len(others) != 1:
            write_lines(layout, context, [("INFO", "Select a face with shape keys, then another mesh")])
            return
        write_lines(layout, context, [("SHAPEKEY_DATA", f"{others[0].name} to {target.name}")])
        if len(others[0].data.vertices) != len(target.data.vertices):
            common = len(set(_groups(others[0])) & set(_groups(target)))
            icon = "CHECKMARK" if common >= LEAST else "ERROR"
            write_lines(layout, context, [(icon, f"Another topology: {common} common landmarks")])
        layout.operator(RIGCAST_OT_transfer.bl_idname, icon="PASTEDOWN")


def _groups(item: Any) -> list[str]:
    return [group.name for group in item.vertex_groups if group.name.lower().startswith(LANDMARK)]


CLASSES = (RIGCAST_OT_transfer, RIGCAST_PT_transfer)
