# SPDX-License-Identifier: GPL-3.0-or-later
"""A learned mesh beside its original: Geometry Nodes that blend between both, and shift the mesh aside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

MODIFIER = "Rigcast Compare"
BLEND, BESIDE = "Blend", "Beside"  # nodes whose values the properties set


def add_compare(item: Any, originals: Sequence[Any]) -> None:
    """Make a mesh object blend with the evaluated vertices of others, which follow each other in it.

    The object stands at the origin: its coordinates are those of the world.
    """
    tree = bpy.data.node_groups.new(MODIFIER, "GeometryNodeTree")
    _socket(tree, "Geometry", "INPUT")
    _socket(tree, "Geometry", "OUTPUT")
    nodes, link = tree.nodes, tree.links.new
    given, made = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    own = nodes.new("GeometryNodeInputPosition").outputs[0]
    other = _positions(tree, originals, own)
    blend = nodes.new("ShaderNodeValue")
    blend.name = blend.label = BLEND
    beside = nodes.new("FunctionNodeInputVector")
    beside.name = beside.label = BESIDE
    apart = _math(tree, "SUBTRACT", own, other)
    share = nodes.new("ShaderNodeVectorMath")
    share.operation = "SCALE"
    link(apart, share.inputs[0])
    link(blend.outputs[0], share.inputs["Scale"])
    mixed = _math(tree, "ADD", other, share.outputs[0])
    place = nodes.new("GeometryNodeSetPosition")
    link(given.outputs[0], place.inputs["Geometry"])
    link(_math(tree, "ADD", mixed, beside.outputs[0]), place.inputs["Position"])
    link(place.outputs[0], made.inputs[0])
    for column, node in enumerate(nodes):
        node.location = (180 * column, -60 * (column % 4))
    item.modifiers.new(MODIFIER, "NODES").node_group = tree
    _set(item)


def _positions(tree: Any, originals: Sequence[Any], position: Any) -> Any:
    """The field of the originals' positions, one vertex after another."""
    nodes, link = tree.nodes, tree.links.new
    join = nodes.new("GeometryNodeJoinGeometry")
    for original in reversed(originals):  # what is linked last comes first
        info = nodes.new("GeometryNodeObjectInfo")
        info.transform_space = "RELATIVE"
        info.inputs["Object"].default_value = original
        link(info.outputs["Geometry"], join.inputs[0])
    sample = nodes.new("GeometryNodeSampleIndex")
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    link(join.outputs[0], sample.inputs["Geometry"])
    link(position, next(socket for socket in sample.inputs if socket.type == "VECTOR" and socket.enabled))
    link(nodes.new("GeometryNodeInputIndex").outputs[0], sample.inputs["Index"])
    return next(socket for socket in sample.outputs if socket.type == "VECTOR" and socket.enabled)


def _math(tree: Any, operation: str, first: Any, second: Any) -> Any:
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = operation
    tree.links.new(first, node.inputs[0])
    tree.links.new(second, node.inputs[1])
    return node.outputs[0]


def _socket(tree: Any, name: str, kind: str) -> None:
    if hasattr(tree, "interface"):  # Blender 4.0
        tree.interface.new_socket(name, in_out=kind, socket_type="NodeSocketGeometry")
    else:
        (tree.inputs if kind == "INPUT" else tree.outputs).new("NodeSocketGeometry", name)


def tree_of(item: Any) -> Any | None:
    """The nodes of an object that is compared; None for others."""
    modifier = item.modifiers.get(MODIFIER) if item.type == "MESH" else None
    tree = None if modifier is None else modifier.node_group
    return tree if tree is not None and BLEND in tree.nodes else None


def _changed(properties: Any, _context: Any) -> None:
    _set(properties.id_data)


def _set(item: Any) -> None:
    """Bring the properties of an object into its nodes."""
    tree = tree_of(item)
    if tree is not None:
        tree.nodes[BLEND].outputs[0].default_value = item.rigcast_compare.blend
        tree.nodes[BESIDE].vector = (item.rigcast_compare.beside, 0.0, 0.0)


class RigcastCompare(bpy.types.PropertyGroup):
    """How a learned mesh is shown beside its original."""

    blend: bpy.props.FloatProperty(
        name="Blend",
        description="0: the original rig; 1: the learned model. Between them both differ by what the model misses",
        min=0.0,
        max=1.0,
        default=1.0,
        subtype="FACTOR",
        update=_changed,
    )
    beside: bpy.props.FloatProperty(
        name="Beside",
        description="How far the learned mesh stands beside the original, along the X axis",
        subtype="DISTANCE",
        update=_changed,
    )
    original: bpy.props.PointerProperty(
        name="Original", description="What was learned, or its first mesh", type=bpy.types.Object
    )


CLASSES = (RigcastCompare,)


def register() -> None:
    """Every object has the properties; learned ones use them."""
    bpy.types.Object.rigcast_compare = bpy.props.PointerProperty(type=RigcastCompare)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Object.rigcast_compare
