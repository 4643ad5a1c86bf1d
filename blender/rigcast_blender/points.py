# SPDX-License-Identifier: GPL-3.0-or-later
"""The local object that holds a model's vertices, and the Geometry Nodes with which a mesh follows it.

Positions are read by Object Info and Sample Index: right in frames, renders, motion blur and linked characters, for
which positions written into the mesh itself are not.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

Array = np.ndarray[Any, Any]
MODIFIER = COLORS = "Rigcast"
BLEND, STORE, SOURCE = "Blend", "Store Colors", "Points"  # names of nodes
COLOR = "rigcast_color"  # attribute of the points


def add_points(name: str, count: int) -> Any:
    """A new object of so many points; it is in no collection, so nothing shows it."""
    mesh = bpy.data.meshes.new(f"{name} points")
    mesh.vertices.add(count)
    return bpy.data.objects.new(mesh.name, mesh)


def add_modifier(item: Any, holder: Any, colored: bool) -> Any:
    """Let a mesh object follow points: the last modifier."""
    modifier = item.modifiers.new(MODIFIER, "NODES")
    modifier.node_group = _tree(holder)
    set_colored(modifier, colored)
    return modifier


def modifier_of(item: Any) -> Any | None:
    """The modifier with which an object follows its points, the last of several; None without one."""
    found = [m for m in item.modifiers if m.type == "NODES" and m.node_group is not None
             and {BLEND, SOURCE} <= set(m.node_group.nodes.keys())]  # fmt: skip
    return found[-1] if found else None


def own_points(item: Any) -> None:
    """Give a mesh points of its own: those that it has are of a library, or another mesh's as well."""
    before, shown = modifier_of(item), item.rigcast.points
    item.rigcast.points = holder = add_points(item.name, len(shown.data.vertices))
    if before is not None and before.node_group.library is None:
        before.node_group = before.node_group.copy()
        before.node_group.nodes[SOURCE].inputs["Object"].default_value = holder
        return
    if before is not None:
        before.show_viewport = before.show_render = False
    add_modifier(item, holder, item.rigcast.show != "NONE")


def remove(item: Any) -> None:
    """Take nodes and points off an object, and out of the file where nothing else uses them."""
    modifier, holder = modifier_of(item), item.rigcast.points
    tree = modifier.node_group if modifier is not None else None
    if modifier is not None:
        item.modifiers.remove(modifier)
    item.rigcast.points = None
    if tree is not None and tree.users == 0 and tree.library is None:
        bpy.data.node_groups.remove(tree)
    if holder is not None and holder.users == 0 and holder.library is None:
        bpy.data.meshes.remove(holder.data)  # and the object with it


def write(mesh: Any, positions: Array) -> None:
    """Write positions (V, 3) float32 into a mesh and tag it."""
    flat = np.ascontiguousarray(positions, np.float32).reshape(-1)
    attribute = mesh.attributes.get("position")  # Blender 3.5
    if attribute is not None:
        attribute.data.foreach_set("vector", flat)
    else:
        mesh.vertices.foreach_set("co", flat)
    mesh.update_tag()


def write_colors(mesh: Any, colors: Array) -> None:
    """Write colors (V, 4) float32, which a mesh then shows as its attribute ``Rigcast``."""
    attribute = mesh.attributes.get(COLOR) or mesh.attributes.new(COLOR, "FLOAT_COLOR", "POINT")
    attribute.data.foreach_set("color", np.ascontiguousarray(colors, np.float32).reshape(-1))


def set_blend(modifier: Any, share: float) -> None:
    """Mix what comes in (0) with the points (1), if that is not so yet."""
    factor = modifier.node_group.nodes[BLEND].outputs[0]
    if modifier.node_group.library is None and factor.default_value != share:
        factor.default_value = share


def set_colored(modifier: Any, colored: bool) -> None:
    """Let a mesh have the colors of its points, or not."""
    store = modifier.node_group.nodes[STORE]
    if modifier.node_group.library is None and store.mute == colored:
        store.mute = not colored


def activate_colors(item: Any, shown: bool) -> None:
    """Let views that draw color attributes draw those of the points, or again what they drew.

    Blender 3.4 draws an attribute that the mesh itself has; it gets one, which is replaced as it is evaluated.
    """
    mesh = item.data
    if mesh.library is not None:
        return
    there = mesh.color_attributes.get(COLORS)
    if shown:
        there = there or mesh.color_attributes.new(COLORS, "FLOAT_COLOR", "POINT")
        mesh.color_attributes.active_color = there
    elif there is not None:
        mesh.color_attributes.remove(there)
        if len(mesh.color_attributes):
            mesh.color_attributes.active_color_index = len(mesh.color_attributes) - 1


def _tree(holder: Any) -> Any:
    """Positions of the points by index, mixed with those that come in; colors of the points as an attribute."""
    tree = bpy.data.node_groups.new(MODIFIER, "GeometryNodeTree")
    _socket(tree, "INPUT")
    _socket(tree, "OUTPUT")
    nodes, link = tree.nodes, tree.links.new
    given, made = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    source = nodes.new("GeometryNodeObjectInfo")
    source.name = source.label = SOURCE
    source.inputs["Object"].default_value = holder
    position = nodes.new("GeometryNodeInputPosition").outputs[0]
    factor = nodes.new("ShaderNodeValue")
    factor.name = factor.label = BLEND
    factor.outputs[0].default_value = 1.0
    mix = nodes.new("ShaderNodeMix")
    mix.data_type, mix.clamp_factor = "VECTOR", True
    link(factor.outputs[0], mix.inputs[0])
    link(position, _enabled(mix.inputs, "A"))
    link(_sampled(tree, source, position, "FLOAT_VECTOR"), _enabled(mix.inputs, "B"))
    place = nodes.new("GeometryNodeSetPosition")
    link(given.outputs[0], place.inputs["Geometry"])
    link(_enabled(mix.outputs, "Result"), place.inputs["Position"])
    link(_store(tree, source, place), made.inputs[0])
    for column, node in enumerate(nodes):
        node.location = (190 * column, -60 * (column % 4))
    return tree


def _store(tree: Any, source: Any, before: Any) -> Any:
    """The geometry with the points' colors; muted, the geometry alone."""
    color = tree.nodes.new("GeometryNodeInputNamedAttribute")
    color.data_type = "FLOAT_COLOR"
    color.inputs["Name"].default_value = COLOR
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.name = store.label = STORE
    store.data_type, store.domain, store.mute = "FLOAT_COLOR", "POINT", True
    store.inputs["Name"].default_value = COLORS
    tree.links.new(before.outputs[0], store.inputs["Geometry"])
    sampled = _sampled(tree, source, _enabled(color.outputs, "Attribute"), "FLOAT_COLOR")
    tree.links.new(sampled, _enabled(store.inputs, "Value"))
    return store.outputs[0]


def _sampled(tree: Any, source: Any, value: Any, kind: str) -> Any:
    """A field of the points, by the index of the vertex."""
    sample = tree.nodes.new("GeometryNodeSampleIndex")
    sample.data_type, sample.domain = kind, "POINT"
    tree.links.new(source.outputs["Geometry"], sample.inputs["Geometry"])
    tree.links.new(value, _enabled(sample.inputs, "Value"))
    tree.links.new(tree.nodes.new("GeometryNodeInputIndex").outputs[0], sample.inputs["Index"])
    return _enabled(sample.outputs, "Value")


def _enabled(sockets: Any, name: str) -> Any:
    """The socket of a name that the node's type uses."""
    return next(socket for socket in sockets if socket.name == name and socket.enabled)


def _socket(tree: Any, kind: str) -> None:
    if hasattr(tree, "interface"):  # Blender 4.0
        tree.interface.new_socket("Geometry", in_out=kind, socket_type="NodeSocketGeometry")
    else:
        (tree.inputs if kind == "INPUT" else tree.outputs).new("NodeSocketGeometry", "Geometry")
