# SPDX-License-Identifier: GPL-3.0-or-later
"""The model's error over the frames of the scene: as colors, and beside that of the rig's weights alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ..colors import scaled
from ..jobs.running import JobError, Progress
from ..moving import at_frame, vertices_of

Array = np.ndarray[Any, Any]
COLORS, MEAN = "rigcast error", "rigcast_error_mm"  # attributes of the mesh
ERROR = "rigcast_error"  # of the object: [mean, max, that of all parts] in mm
WEIGHTS = "rigcast_error_of_weights"  # of the object: mean in mm of the armature alone, where there is one
MOST_FRAMES = 60  # frames that are compared, evenly spaced


def error_map(names: Sequence[str]) -> Iterator[Progress]:
    """Compare copies with their originals over the frames of the scene, and color the copies."""
    scene = bpy.context.scene
    before, first, last = scene.frame_current, scene.frame_start, scene.frame_end
    frames = list(range(first, last + 1, max(1, math.ceil((last - first + 1) / MOST_FRAMES))))
    errors: dict[str, list[Array]] = {name: [] for name in names}
    of_weights: dict[str, list[float]] = {name: [] for name in names}
    plain = {name: made for name in names if (made := _plain_copy(bpy.data.objects[name])) is not None}
    try:
        for place, frame in enumerate(frames):
            depsgraph = at_frame(frame)
            for name in names:
                made, truth, skinned = _compared(name, plain, depsgraph)
                errors[name].append(np.linalg.norm(made - truth, axis=1))
                if skinned is not None and len(skinned) == len(truth):  # else other modifiers make vertices
                    of_weights[name].append(float(np.linalg.norm(skinned - truth, axis=1).mean()))
            yield Progress(f"comparing frame {frame}", (place + 1) / len(frames))
    finally:
        for made in plain.values():
            bpy.data.meshes.remove(bpy.data.objects[made].data)
        bpy.context.scene.frame_set(before)
    _keep(errors, of_weights, 1.0 if scene.unit_settings.system == "NONE" else scene.unit_settings.scale_length)


def _plain_copy(item: Any) -> str | None:
    """A copy of an original under its armature alone: linear skinning by the weights of the rig. None without one."""
    original = item.rigcast_compare.original
    if not any(modifier.type == "ARMATURE" and modifier.object is not None for modifier in original.modifiers):
        return None
    made = original.copy()
    made.data = original.data.copy()
    made.name, made.display_type = f"{original.name} by its weights", "BOUNDS"
    for key in made.data.shape_keys.key_blocks if made.data.shape_keys is not None else ():
        key.mute = True
    for modifier in [modifier for modifier in made.modifiers if modifier.type != "ARMATURE"]:
        made.modifiers.remove(modifier)
    for modifier in made.modifiers:
        modifier.use_deform_preserve_volume = False
    for collection in original.users_collection or (bpy.context.scene.collection,):
        collection.objects.link(made)
    return str(made.name)


def _compared(name: str, plain: Mapping[str, str], depsgraph: Any) -> tuple[Array, Array, Array | None]:
    """Vertices of a copy, of its original, and of the original's armature alone, in the world."""
    item = bpy.data.objects[name]
    if not item.rigcast.live:
        raise JobError(f"{name} does not follow its rig: {item.rigcast.message}")
    skinned = bpy.data.objects.get(plain.get(name, ""))
    return (
        vertices_of(item, depsgraph, world=True),
        vertices_of(item.rigcast_compare.original, depsgraph, world=True),
        None if skinned is None else vertices_of(skinned, depsgraph, world=True),
    )


def _keep(errors: Mapping[str, list[Array]], of_weights: Mapping[str, list[float]], scale: float) -> None:
    """Keep what was found with the copies; one unit of the scene is ``scale`` meters."""
    largest = {name: 1000.0 * scale * np.max(found, axis=0) for name, found in errors.items()}
    most = max(float(found.max()) for found in largest.values())
    for name, found in errors.items():
        item = bpy.data.objects[name]
        paint(item, 1000.0 * scale * np.mean(found, axis=0), largest[name], most)
        if of_weights[name]:
            item[WEIGHTS] = 1000.0 * scale * float(np.mean(of_weights[name]))


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
