"""What the panel shows of a learned character: error map, bound, lamp, slider, and parts that are hidden."""

import math

import bpy
import numpy as np
from rigcast_blender import evaluation
from rigcast_blender.colors import scaled
from rigcast_blender.learning import errors
from rigcast_blender.moving import at_frame, vertices_of
from rigcast_blender.points import COLORS


def facts_of(learned, items, rig, turned):
    """Facts by name; the copies stand where their originals are."""
    return {**error_map(learned), **bound(learned), **slider(learned), **hidden(items), **lamp(learned, rig, turned)}


def pinned(item, rig):
    """A pin on a vertex of a part, put where the action has it in another frame: miss, way, controls moved."""
    from rigcast_blender.posing import reaching

    at_frame(16)
    goal = shown(item)
    at_frame(1)
    here = shown(item)
    vertex = int(np.linalg.norm(goal - here, axis=1).argmax())
    rig.animation_data.action = None
    item.rigcast_pins.follow = False
    bpy.context.view_layer.objects.active = item
    assert bpy.ops.rigcast.add_pin(vertex=vertex) == {"FINISHED"}
    pin = bpy.context.active_object
    pin.location = goal[vertex].tolist()
    bpy.context.view_layer.update()
    before = reaching.controls_of(item).read()
    assert bpy.ops.rigcast.pose_pins() == {"FINISHED"}
    moved = int((np.abs(reaching.controls_of(item).read() - before) > 1e-4).sum())
    missed, way = (1000.0 * float(np.linalg.norm(goal[vertex] - found[vertex])) for found in (shown(item), here))
    assert bpy.ops.rigcast.remove_pins(every=True) == {"FINISHED"}
    return {"pin": [missed, way, moved]}


def shown(item):
    bpy.context.view_layer.update()
    return vertices_of(item, bpy.context.evaluated_depsgraph_get(), world=True)


def colors(mesh, name):
    """A color attribute (V, 4); None without it."""
    attribute = mesh.attributes.get(name)
    if attribute is None:
        return None
    found = np.empty((len(mesh.vertices), 4), np.float32)
    attribute.data.foreach_get("color", found.ravel())
    return found


def error_map(item):
    """The map beside errors that are measured here, of all frames."""
    scene, found = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        at_frame(frame)
        found.append(1000.0 * np.linalg.norm(shown(item) - shown(item.rigcast_compare.original), axis=1))
    largest, mean = np.max(found, axis=0), np.mean(found, axis=0)
    kept = np.empty(len(mean), np.float32)
    item.data.attributes[errors.MEAN].data.foreach_get("value", kept)
    map_colors = colors(item.data, errors.COLORS)
    most = largest.argmax()
    whole = max(item[errors.ERROR][1] for item in bpy.data.objects if errors.ERROR in item)  # of all parts
    return {
        "map frames": len(found),
        "map": float(np.abs(kept - mean).max()),
        "map largest": [float(largest[most]), item[errors.ERROR][1]],
        "map active": item.data.color_attributes.active_color.name == errors.COLORS,
        "map colors": float(np.abs(map_colors - scaled(np.sqrt(largest / whole))).max()),
    }


def bound(item):
    """The bound of the present pose as colors of the evaluated mesh."""
    item.rigcast.show = "ERROR_BOUND"
    at_frame(20)
    mesh = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found, model = colors(mesh, COLORS), evaluation.model_of(item)
    row = evaluation.pose_row(item, bpy.context.evaluated_depsgraph_get())
    message, drawn = item.rigcast.message, item.data.color_attributes.active_color.name
    item.rigcast.show = "NONE"
    bpy.context.view_layer.update()
    gone = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes.get(COLORS) is None
    facts = {"drawn": [drawn, item.data.color_attributes.active_color.name], "bound off": gone}
    if message:
        return {**facts, "bound": message}
    errors, rows = model.error_bound(row), evaluation.part_rows(model, item.rigcast.part)
    expected = scaled(np.sqrt(errors / errors.max()))
    return {**facts, "bound": float(np.abs(found - (expected if rows is None else expected[rows])).max())}


def slider(item):
    """From what the original makes to what the model makes."""
    at_frame(13)
    truth, model = shown(item.rigcast_compare.original).astype(np.float64), shown(item).astype(np.float64)
    found = {}
    for share in (0.0, 0.5, 1.0):
        item.rigcast.blend = share
        found[f"blend {share}"] = float(np.abs(shown(item) - (truth + share * (model - truth))).max())
    return {**found, "blend moves": float(np.abs(model - truth).max())}


def hidden(items):
    """Vertices that the session computes while the first part is hidden, and what the others show then."""
    if len(items) < 2:
        return {}
    items[0].hide_viewport = True
    for frame in (30, 31):
        at_frame(frame)
    computed = evaluation.character_of(items[1]).session.model.num_vertices
    error = float(np.abs(shown(items[1]) - shown(items[1].rigcast_compare.original)).max())
    items[0].hide_viewport = False
    late = float(np.abs(shown(items[0]) - of_model(items[0])).max())
    again = evaluation.character_of(items[1]).session.model.num_vertices
    return {"hidden": [computed, len(items[1].data.vertices), error], "shown again": [again, late]}


def of_model(item):
    """What the whole model makes of the present pose; the character stands in the model's space."""
    model, row = evaluation.model_of(item), evaluation.pose_row(item, bpy.context.evaluated_depsgraph_get())
    return model.evaluate(row)[evaluation.part_rows(model, item.rigcast.part)]


def lamp(item, rig, turned):
    """Trust in the rest pose, and in one that nothing was learned from."""
    rig.animation_data.action, rig.data.pose_position = None, "REST"
    shown(item)
    inside = [item.rigcast.confidence, item.rigcast.outside]
    rig.data.pose_position = "POSE"
    bone = rig.pose.bones[turned]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (0.0, 0.0, math.radians(80.0))
    shown(item)
    outside = [item.rigcast.confidence, item.rigcast.outside]
    item.rigcast.show = "CONFIDENCE"
    at_frame(2)
    found = colors(item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data, COLORS)
    item.rigcast.show = "NONE"
    wrong = float(np.abs(found - scaled(np.full(len(found), 1.0 - outside[0]))).max())
    return {"inside": inside, "outside": outside, "lamp color": wrong}
