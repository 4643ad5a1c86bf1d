# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes bound to models: what is checked, what is added to the scene, and how it is taken away again."""

from __future__ import annotations

import json
from typing import Any

import bpy

from . import evaluation, points
from .live import update_scene
from .matching import BindError, missing_words

DEFORMING = {
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
    "LATTICE", "MESH_CACHE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SURFACE_DEFORM",
    "VOLUME_DISPLACE", "WARP", "WAVE",
}  # fmt: skip
PLAIN_LINK = (
    "{name} is linked from another file, which keeps it as it is: make a library override of the character first "
    "(Object > Library Override > Make)"
)

__all__ = ["BindError", "bind", "bound", "bound_under", "live_changed", "look_changed", "unbind"]


def bound(item: Any) -> bool:
    """True if a model is bound to a mesh object."""
    return item is not None and item.type == "MESH" and bool(item.rigcast.model) and item.rigcast.points is not None


def bound_under(context: Any) -> list[Any]:
    """The bound meshes that are meant: the active one, that of an active pin, or all that an active armature poses."""
    item = context.active_object
    if item is not None and item.type == "ARMATURE":
        return [other for other in context.scene.objects if bound(other) and other.rigcast.armature == item]
    if item is not None and item.type == "EMPTY":
        item = item.rigcast_pin.item
    return [item] if bound(item) else []


def bind(item: Any, path: str, armature: Any | None = None, part: str | None = None, dials: Any | None = None) -> str:
    """Bind a model to a mesh object, in place of what its own modifiers and shape keys make of it.

    Parameters
    ----------
    item : object
        A mesh, local or with a library override.
    path : str
        The model file; ``//`` begins a path beside the .blend.
    armature : object, optional
        Default: the one that moves the mesh.
    part : str, optional
        The part of the model. Default: the whole model if the mesh has as many vertices, else the part that is called
        as the mesh or has as many.
    dials : object, optional
        The mesh whose shape keys are the model's controls. Default: this one, and others of its armature.

    Returns
    -------
    str
        What was found missing or was guessed, in a sentence; empty if nothing.

    Raises
    ------
    BindError
        If the model cannot move this mesh. Nothing has changed then.
    """
    _check_object(item)
    model = evaluation.load(bpy.path.abspath(path))
    chosen = _part(model, item, part)
    before = [(name, getattr(item.rigcast, name)) for name in ("model", "home", "armature", "dials", "part")]
    about = item.rigcast
    about.model, about.armature, about.dials, about.part = path, armature or _armature(item, model), dials, chosen
    try:
        character = evaluation.make_character(item, model)
        note = _controls_note(item, character)
        _attach(item, model)
    except BaseException:
        for name, value in before:
            setattr(about, name, value)
        raise
    evaluation.forget()
    about.live = True  # brings it up to date
    about.message = note
    return note


def unbind(item: Any) -> None:
    """Take the model off a mesh; it is as it was before."""
    _unmute(item)
    points.activate_colors(item, False)
    points.remove(item)
    about = item.rigcast
    about.model = about.part = about.message = ""
    about.armature = about.dials = None
    evaluation.forget()
    evaluation.release_unused()


def live_changed(item: Any) -> None:
    """Let a mesh follow its model, or its own modifiers."""
    modifier = points.modifier_of(item)
    if modifier is None:
        return
    live = item.rigcast.live
    modifier.show_viewport = modifier.show_render = live
    if live:
        look_changed(item)
    else:
        _unmute(item)


def look_changed(item: Any) -> None:
    """Bring how a bound mesh is shown into its modifiers."""
    modifier, about = points.modifier_of(item), item.rigcast
    if modifier is None:
        return
    points.set_colored(modifier, about.show != "NONE")
    points.activate_colors(item, about.show != "NONE")
    points.set_blend(modifier, about.blend)
    if about.live and about.blend == 1.0:
        _mute(item)
    else:
        _unmute(item)
    update_scene(force=True)


def _check_object(item: Any) -> None:
    if item.type != "MESH":
        raise BindError(f"{item.name} is no mesh: select the mesh that the model is to move")
    if item.library is not None:
        raise BindError(PLAIN_LINK.format(name=item.name))
    if item.mode == "EDIT":
        raise BindError(f"{item.name} is being edited: leave edit mode first")


def _part(model: Any, item: Any, part: str | None) -> str:
    names, count = model.parts, len(item.data.vertices)
    sizes = {name: len(evaluation.part_rows(model, name)) for name in names}
    if part:
        if part not in names:
            raise BindError(f"the model has no part, {missing_words([part], names, 1)}")
        return part
    if count == model.num_vertices:
        return ""
    if sizes.get(item.name) == count:
        return str(item.name)
    fitting = [name for name in names if sizes[name] == count]
    if len(fitting) == 1:
        return fitting[0]
    listed = ", ".join(f"{name} ({size})" for name, size in sizes.items())
    parts = f", its parts: {listed}" if names else ""
    raise BindError(
        f"{item.name} has {count} vertices, and the model {model.num_vertices}{parts}: it is of another mesh"
    )


def _armature(item: Any, model: Any) -> Any | None:
    found = [m.object for m in item.modifiers if m.type == "ARMATURE" and m.object is not None]
    if item.parent is not None and item.parent.type == "ARMATURE":
        found.append(item.parent)
    found = list(dict.fromkeys(found))
    if model.skeleton is not None and len(found) != 1:
        listed = " and ".join(armature.name for armature in found)
        got = f"{listed} move {item.name}" if found else f"no armature moves {item.name}"
        raise BindError(f"{got}, and the model has joints: name the armature")
    return found[0] if len(found) == 1 else None


def _controls_note(item: Any, character: evaluation.Character) -> str:
    dials = character.dials
    if not dials.missing:
        return ""
    words = missing_words(dials.missing, dials.there, len(dials.names))
    if character.joints is None and len(dials.missing) == len(dials.names):
        raise BindError(f"{item.name} has none of the model's controls, {words}")
    return f"The scene lacks controls of the model, {words}; they stay at rest"


def _attach(item: Any, model: Any) -> None:
    """Points and modifier, where the mesh has as many vertices as the model moves."""
    rows = evaluation.part_rows(model, item.rigcast.part)
    count = model.num_vertices if rows is None else len(rows)
    if points.modifier_of(item) is not None:
        _unmute(item)
        points.remove(item)
    item.rigcast.points = points.add_points(item.name, count)
    modifier = points.add_modifier(item, item.rigcast.points, False)
    if len(item.data.vertices) == count:
        _move_behind_deforming(item, modifier)
    entering = _entering(item, modifier)
    if entering != count:
        points.remove(item)
        raise BindError(
            f"modifiers of {item.name} make {entering} vertices before the model's place, and the model has {count}; "
            "switch them off, or bind to a mesh as it was learned"
        )


def _move_behind_deforming(item: Any, modifier: Any) -> None:
    """Put the modifier before the first one that makes other vertices, such as a subdivision."""
    place = next((i for i, other in enumerate(item.modifiers) if other.type not in DEFORMING), None)
    if place is None or item.modifiers[place] == modifier:
        return
    try:
        with bpy.context.temp_override(object=item, active_object=item):
            bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=place)
    except RuntimeError:  # modifiers of a library come first
        return


def _entering(item: Any, modifier: Any) -> int:
    """The number of vertices that reach a modifier."""
    later = [m for m in list(item.modifiers)[list(item.modifiers).index(modifier) :] if m.show_viewport]
    for other in later:
        other.show_viewport = False
    try:
        bpy.context.view_layer.update()
        return len(item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices)
    finally:
        for other in later:
            other.show_viewport = True


def _mute(item: Any) -> None:
    """Switch off the deforming modifiers before the model's: it stands for them."""
    if item.rigcast.muted:
        return
    muted = {}
    for modifier in item.modifiers:
        if modifier.type not in DEFORMING:
            break
        muted[modifier.name] = [modifier.show_viewport, modifier.show_render]
        modifier.show_viewport = modifier.show_render = False
    item.rigcast.muted = json.dumps(muted) if muted else ""


def _unmute(item: Any) -> None:
    muted = json.loads(item.rigcast.muted) if item.rigcast.muted else {}
    for name, (viewport, render) in muted.items():
        modifier = item.modifiers.get(name)
        if modifier is not None:
            modifier.show_viewport, modifier.show_render = viewport, render
    item.rigcast.muted = ""
