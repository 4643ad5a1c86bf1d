# SPDX-License-Identifier: GPL-3.0-or-later
"""A moving mesh of the scene (a cache, an Alembic file, scans) to curves of the shape keys of a face."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..jobs import trainer
from ..jobs.running import JobError, Progress, Works, draw_progress
from ..moving import at_frame, vertices_of
from ..panel import PanelOfRigcast
from ..preferences import cache_folder, threads, trainer_path
from ..runtime import rr
from ..texts import write_lines
from .shapes import Shapes, faces_of, key_weights, shapes_of

Array = np.ndarray[Any, Any]
ERROR = "rigcast_error_mm"  # property of the face, keyed per frame


@dataclass(frozen=True, eq=False)
class Solved:
    """Weights (T, K), errors (T,) in scene units, and the motion of the head (T, 3, 4) if it was looked for."""

    weights: Array
    rmse: Array
    transforms: Array | None = None


class RIGCAST_OT_solve(Works, bpy.types.Operator):
    """Key the shape keys of the active face so that it reproduces the other selected mesh, which moves"""

    bl_idname = "rigcast.solve"
    bl_label = "Solve Shot"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.StringProperty(
        name="Shot", description="The mesh object that moves; default: the other selected one", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        item = context.active_object
        return item is not None and item.type == "MESH" and item.data.shape_keys is not None

    def stopped(self) -> str:
        """Words after Esc."""
        return "Solve Shot: stopped, nothing was keyed"

    def work(self, context: Any) -> Iterator[Progress]:
        """Read the shot, solve it, key the face."""
        settings, scene = context.scene.rigcast_solve, context.scene
        face, source = context.active_object, self._source(context)
        face_name, source_name = face.name, source.name
        shapes = shapes_of(face)
        frames = list(range(scene.frame_start, scene.frame_end + 1))
        targets = yield from _read(face_name, source_name, frames, settings.space == "WORLD", len(shapes.neutral))
        if settings.method == "TRAINER":
            solved = yield from _by_trainer(bpy.data.objects[face_name], shapes, targets, settings)
        else:
            solved = yield from _here(shapes, targets, settings.sparsity)
        yield Progress("keying the shape keys")
        face = bpy.data.objects[face_name]
        key_weights(face, shapes.names, frames, solved.weights)
        if solved.transforms is not None and settings.key_head:
            _key_head(face, frames, solved.transforms)
        _key_error(face, frames, 1000.0 * _meters(scene) * solved.rmse)
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)  # keys have left the values of the last frame
        left = f"; left out: {', '.join(shapes.left_out)}" if shapes.left_out else ""
        self.report({"INFO"}, f"{len(frames)} frames solved: {_summary(face)}{left}")

    def _source(self, context: Any) -> Any:
        face = context.active_object
        if self.source:
            found = [bpy.data.objects.get(self.source)]
        else:
            found = [item for item in context.selected_objects if item != face and item.type == "MESH"]
        if len(found) != 1 or found[0] is None:
            raise JobError("select the mesh that moves, then the face as the active object")
        return found[0]


def _read(face: str, source: str, frames: list[int], in_world: bool, count: int) -> Generator[Progress, None, Array]:
    """The vertices (T, V, 3) of the shot, in the face's coordinates."""
    before, found = bpy.context.scene.frame_current, []
    try:
        for place, frame in enumerate(frames):
            depsgraph = at_frame(frame)
            points = vertices_of(bpy.data.objects[source], depsgraph, world=in_world)
            if len(points) != count:
                raise JobError(
                    f"{source} has {len(points)} vertices in frame {frame}, {face} has {count}: the shot must have the "
                    "vertices of the face, in its order"
                )
            if in_world:
                back = np.array(bpy.data.objects[face].matrix_world.inverted_safe(), np.float64)
                points = np.asarray(points @ back[:3, :3].T + back[:3, 3], np.float32)
            found.append(points)
            yield Progress(f"reading frame {frame}", (place + 1) / len(frames))
    finally:
        bpy.context.scene.frame_set(before)
    return np.array(found)


def _here(shapes: Shapes, targets: Array, sparsity: float) -> Generator[Progress, None, Solved]:
    """Solve frame after frame, each from the one before."""
    rig = rr.BlendshapeRig(shapes.neutral, shapes.deltas, names=shapes.names, bounds=shapes.bounds)
    inverse = rr.InverseRig(rig)
    pull = np.einsum("kvc,tvc->tk", shapes.deltas.astype(np.float64), targets - shapes.neutral, optimize=True)
    alpha = sparsity * max(2.0 * float(pull.max()), 0.0)  # at 1 every weight rests
    weights, errors, start = [], [], None
    for place, target in enumerate(targets):
        solution = inverse.solve(target, alpha, init=start, threads=threads())
        start = solution.weights[0]
        weights.append(start)
        errors.append(solution.rmse[0])
        yield Progress(f"frame {place + 1} of {len(targets)}\nerror {errors[-1]:.3g}", (place + 1) / len(targets))
    return Solved(np.array(weights), np.array(errors))


def _by_trainer(face: Any, shapes: Shapes, targets: Array, settings: Any) -> Generator[Progress, None, Solved]:
    """Solve the whole shot at once in a process, with the motion of the head."""
    scene, folder = bpy.context.scene, Path(cache_folder()) / "solving"
    folder.mkdir(parents=True, exist_ok=True)
    faces = faces_of(face.data)
    shapes.save(folder / "face.npz", faces)
    rate = scene.render.fps / scene.render.fps_base
    np.savez(folder / "shot.npz", vertices=targets, faces=faces, fps=rate, up_axis=np.array("Z"))
    words = ["solve", "face.npz", "shot.npz", "-o", "weights.npz", "--overwrite", "--smoothness", settings.smoothness]
    words += ["--loss", settings.loss.lower()] + (["--rigid", "auto"] if settings.head else [])
    yield from trainer.run(trainer.program(trainer_path()), words, folder, "solve")
    with np.load(folder / "weights.npz") as found:
        order = [list(found["names"]).index(name) for name in shapes.names]
        moved = found["transforms"] if "transforms" in found.files else None
        return Solved(found["weights"][:, order], found["rmse"], moved)


def _key_head(face: Any, frames: list[int], transforms: Array) -> None:
    """Key location, rotation and scale of the face: where it stands, moved by transforms in its own coordinates."""
    from mathutils import Matrix

    rest = face.matrix_basis.copy()
    face.rotation_mode = "QUATERNION"
    before = None
    for frame, row in zip(frames, transforms, strict=True):
        face.matrix_basis = rest @ Matrix([*np.asarray(row, float).reshape(3, 4).tolist(), (0.0, 0.0, 0.0, 1.0)])
        if before is not None and face.rotation_quaternion.dot(before) < 0.0:
            face.rotation_quaternion.negate()
        before = face.rotation_quaternion.copy()
        for path in ("location", "rotation_quaternion", "scale"):
            face.keyframe_insert(path, frame=frame)


def _key_error(face: Any, frames: list[int], millimeters: Array) -> None:
    face[ERROR] = float(millimeters[0])
    for frame, value in zip(frames, millimeters, strict=True):
        face[ERROR] = float(value)
        face.keyframe_insert(f'["{ERROR}"]', frame=frame)
    face["rigcast_solved"] = f"mean {millimeters.mean():.3g} mm, worst {millimeters.max():.3g} mm"
    face["rigcast_worst"] = int(frames[int(millimeters.argmax())])


def _summary(face: Any) -> str:
    return f"error {face['rigcast_solved']} in frame {face['rigcast_worst']}"


def _meters(scene: Any) -> float:
    return 1.0 if scene.unit_settings.system == "NONE" else float(scene.unit_settings.scale_length)


class RigcastSolve(bpy.types.PropertyGroup):
    """What is wanted of a solve."""

    method: bpy.props.EnumProperty(
        name="Method",
        items=[
            ("HERE", "In Blender", "Each frame by itself, at once"),
            ("TRAINER", "By rigcast", "The whole shot at once, with the motion of the head: needs rigcast installed"),
        ],
        description="Who solves",
    )
    space: bpy.props.EnumProperty(
        name="Space",
        items=[
            ("LOCAL", "Own", "Coordinates of each object: where they stand does not matter"),
            ("WORLD", "World", "As the shot stands relative to the face in the scene"),
        ],
        description="Whose coordinates are compared",
    )
    sparsity: bpy.props.FloatProperty(
        name="Sparsity",
        description="Fewer shapes the higher: a share of what makes every shape rest",
        default=0.0002,
        min=0.0,
        max=1.0,
        precision=5,
    )
    head: bpy.props.BoolProperty(
        name="Find Head Motion", description="Find the motion of the head and remove it", default=True
    )
    key_head: bpy.props.BoolProperty(
        name="Key Head Motion", description="Key the motion of the head on the face object", default=True
    )
    smoothness: bpy.props.EnumProperty(
        name="Smoothness",
        items=[("0", "None", "No temporal term"), ("auto", "By Noise", "Chosen by the noise of the shot")],
        description="How curves are kept smooth",
        default="auto",
    )
    loss: bpy.props.EnumProperty(
        name="Loss",
        items=[
            ("SQUARED", "Squared", "Every vertex counts"),
            ("HUBER", "Huber", "Vertices far from their targets pull with constant force"),
            ("TUKEY", "Tukey", "Vertices far from their targets do not pull: for scans with holes"),
        ],
        description="How vertices count that the face cannot reach",
    )


class RIGCAST_PT_solve(PanelOfRigcast, bpy.types.Panel):
    bl_label = "Solve a Shot"

    def draw(self, context: Any) -> None:
        layout, settings, face = self.layout, context.scene.rigcast_solve, context.active_object
        layout.use_property_split = True
        if draw_progress(layout, RIGCAST_OT_solve.bl_label):
            return
        if not RIGCAST_OT_solve.poll(context):
            write_lines(layout, context, [("INFO", "Select a mesh that moves, then a face with shape keys")])
            return
        layout.prop(settings, "method")
        layout.prop(settings, "space")
        if settings.method == "HERE":
            layout.prop(settings, "sparsity")
        else:
            for name in ("smoothness", "loss", "head"):
                layout.prop(settings, name)
            row = layout.row()
            row.enabled = settings.head
            row.prop(settings, "key_head")
        layout.operator(RIGCAST_OT_solve.bl_idname, icon="SHAPEKEY_DATA")
        if "rigcast_solved" in face:
            found = (
                f"Error {face['rigcast_solved']} in frame {face['rigcast_worst']}; in this frame {face[ERROR]:.3g} mm"
            )
            write_lines(layout, context, [("CHECKMARK", found)])


CLASSES = (RigcastSolve, RIGCAST_OT_solve, RIGCAST_PT_solve)


def register() -> None:
    """Settings belong to the scene."""
    bpy.types.Scene.rigcast_solve = bpy.props.PointerProperty(type=RigcastSolve)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Scene.rigcast_solve
