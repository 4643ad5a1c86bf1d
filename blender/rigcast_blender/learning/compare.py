# SPDX-License-Identifier: GPL-3.0-or-later
"""A learned mesh shown aside of its original: Geometry Nodes that shift it, whatever moves the object."""

from __future__ import annotations

from typing import Any

import bpy

MODIFIER, ASIDE = "Rigcast Aside", "Aside"


def _changed(properties: Any, _context: Any) -> None:
    _set(properties.id_data)


class RigcastCompare(bpy.types.PropertyGroup):
    """How a learned mesh is compared with its original."""

    original: bpy.props.PointerProperty(
        name="Original", description="The mesh that this one was learned from", type=bpy.types.Object
    )
    aside: bpy.props.FloatProperty(
        name="Aside",
        description="How far the learned mesh stands from where the original is, along the X axis of the world",
        subtype="DISTANCE",
        update=_changed,
    )


def add_aside(item: Any) -> None:
    """Let a mesh object be shown aside; its modifier stays the last one."""
    tree = bpy.data.node_groups.new(MODIFIER, "GeometryNodeTree")
    for kind in ("INPUT", "OUTPUT"):
        if hasattr(tree, "interface"):  # Blender 4.0
            tree.interface.new_socket("Geometry", in_out=kind, socket_type="NodeSocketGeometry")
        else:
            (tree.inputs if kind == "INPUT" else tree.outputs).new("NodeSocketGeometry", "Geometry")
    given, made = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    shift, place = tree.nodes.new("FunctionNodeInputVector"), tree.nodes.new("GeometryNodeSetPosition")
    shift.name = shift.label = ASIDE
    for source, target in (
        (given.outputs[0], place.inputs["Geometry"]),
        (shift.outputs[0], place.inputs["Offset"]),
        (place.outputs[0], made.inputs[0]),
    ):
        tree.links.new(source, target)
    for column, node in enumerate((given, shift, place, made)):
        node.location = (200 * column, 0)
    item.modifiers.new(MODIFIER, "NODES").node_group = tree
    _set(item)


def is_compared(item: Any) -> bool:
    """True for a mesh that was learned beside its original."""
    return item is not None and item.type == "MESH" and item.rigcast_compare.original is not None


def aside_of(item: Any) -> float:
    """How far a mesh is shown from where its model is, along X."""
    return float(item.rigcast_compare.aside) if item.modifiers.get(MODIFIER) is not None else 0.0


def _set(item: Any) -> None:
    """Bring the property of an object into its nodes, whose space is the object's own."""
    modifier = item.modifiers.get(MODIFIER)
    if modifier is not None and modifier.node_group is not None:
        back = item.matrix_world.to_3x3().inverted_safe()
        modifier.node_group.nodes[ASIDE].vector = [item.rigcast_compare.aside * value for value in back.col[0]]


CLASSES = (RigcastCompare,)


def register() -> None:
    """Every object has the properties; learned ones use them."""
    bpy.types.Object.rigcast_compare = bpy.props.PointerProperty(type=RigcastCompare)


def unregister() -> None:
    """Take them off."""
    if hasattr(bpy.types.Object, "rigcast_compare"):
        del bpy.types.Object.rigcast_compare
