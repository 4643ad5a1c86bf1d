# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of the learned meshes with the model bound to them, and the model's error over the frames as colors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import bpy
import numpy as np

from .. import binding
from ..colors import scaled
from ..jobs.running import JobError, Progress
from ..moving import at_frame, vertices_of
from .compare import add_aside

Array = np.ndarray[Any, Any]
COLORS, MEAN = "rigcast error", "rigcast_error_mm"
ERROR, VERDICT = (
    "rigcast_error",
    "rigcast_verdict",
)  # of the object: [mean, max, that of all parts] in mm, lines as JSON
MOST_FRAMES = 60  # frames that are compared, evenly spaced
APART = 1.1  # widths of the character between the original and the copy


def bind_beside(path: str, armature: str, meshes: Sequence[str]) -> list[str]:
    """Copy meshes and bind a model to the copies; the originals stay as they are. Returns the names of the copies.

    Raises
    ------
    JobError
        If the model does not fit the meshes, as they are now. Nothing is left then.
    """
    made = []
    try:
        for name in meshes:
            original = bpy.data.objects[name]
            made.append(_copy(original))
            rig = bpy.data.objects.get(armature) if armature else None
            binding.bind(made[-1], path, rig, name if len(meshes) > 1 else None, bpy.data.objects[meshes[0]])
            add_aside(made[-1])
    except (binding.BindError, KeyError) as error:
        for item in made:
            binding.unbind(item)
            bpy.data.objects.remove(item)
        raise JobError(f"the model was learned, and does not fit the scene as it is now: {error}") from None
    return [item.name for item in made]


def _copy(original: Any) -> Any:
    item = original.copy()
    item.data = original.data.copy()
    item.name = item.data.name = f"{original.name} learned"
    item.rigcast_compare.original = original
    for collection in original.users_collection or (bpy.context.scene.collection,):
        collection.objects.link(item)
    ours, theirs = item.data.shape_keys, original.data.shape_keys
    if ours is not None:
        ours.animation_data_clear()
        for key in ours.key_blocks[1:]:
            _follow(key, theirs)
    return item


def _follow(key: Any, theirs: Any) -> None:
    """Let a shape key have the value of the original's of the same name."""
    driver = key.driver_add("value").driver
    driver.type = "AVERAGE"
    variable = driver.variables.new()
    target = variable.targets[0]
    target.id_type, target.id = "KEY", theirs
    target.data_path = theirs.key_blocks[key.name].path_from_id("value")


def set_aside(names: Sequence[str]) -> None:
    """Move copies away from their originals, all by the width of the whole character."""
    items = [bpy.data.objects[name] for name in names]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    across = np.concatenate([vertices_of(item, depsgraph, world=True)[:, 0] for item in items])
    for item in items:
        item.rigcast_compare.aside = APART * float(np.ptp(across))


def error_map(names: Sequence[str]) -> Iterator[Progress]:
    """Compare copies with their originals over the frames of the scene, and color the copies."""
    scene = bpy.context.scene
    before, first, last = scene.frame_current, scene.frame_start, scene.frame_end
    frames = list(range(first, last + 1, max(1, math.ceil((last - first + 1) / MOST_FRAMES))))
    total: dict[str, Array] = {}
    largest: dict[str, Array] = {}
    try:
        for place, frame in enumerate(frames):
            depsgraph = at_frame(frame)
            for name in names:
                item = bpy.data.objects[name]
                if not item.rigcast.live:
                    raise JobError(f"{name} does not follow its rig: {item.rigcast.message}")
                made = vertices_of(item, depsgraph, world=True)
                truth = vertices_of(item.rigcast_compare.original, depsgraph, world=True)
                error = np.linalg.norm(made - truth, axis=1)
                total[name] = total.get(name, 0.0) + error
                largest[name] = np.maximum(largest.get(name, 0.0), error)
            yield Progress(f"comparing frame {frame}", (place + 1) / len(frames))
    finally:
        bpy.context.scene.frame_set(before)
    scale = 1.0 if scene.unit_settings.system == "NONE" else scene.unit_settings.scale_length
    most = max(float(errors.max()) for errors in largest.values())
    for name in names:
        item = bpy.data.objects[name]
        paint(item, 1000.0 * scale * total[name] / len(frames), 1000.0 * scale * largest[name], 1000.0 * scale * most)


def paint(item: Any, mean: Array, largest: Array, most: float) -> None:
    """Keep errors (V,) in millimeters as an attribute of a mesh, the largest of each vertex as colors."""
    item[ERROR] = [float(mean.mean()), float(largest.max()), most]
    mesh = item.data
    if len(mesh.vertices) != len(mean):  # modifiers make more vertices: the numbers alone
        return
    values = mesh.attributes.get(MEAN) or mesh.attributes.new(MEAN, "FLOAT", "POINT")
    values.data.foreach_set("value", np.ascontiguousarray(mean, np.float32))
    colors = mesh.color_attributes.get(COLORS) or mesh.color_attributes.new(COLORS, "FLOAT_COLOR", "POINT")
    share = np.sqrt(largest / most) if most > 0.0 else np.zeros_like(largest)  # small errors are seen, too
    colors.data.foreach_set("color", scaled(share).ravel())
    mesh.color_attributes.active_color = colors
    mesh.update()
