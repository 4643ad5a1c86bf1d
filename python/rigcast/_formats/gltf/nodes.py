"""The node hierarchy (glTF 2.0, section 3.5): parents, an order with parents first, local transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.document import (
    Document,
    integer,
    items,
    numbers,
    optional,
    records,
    refuse,
    text,
    unique_names,
)
from rigcast._rigs.rotations import Float64, compose, quaternion_to_matrix, transform_of

# Values (T, n) of animated properties by (node, "translation" | "rotation" | "scale" | "weights").
Animated = dict[tuple[int, str], NDArray[np.float64]]
DEFAULTS = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


class Nodes:
    """All nodes of a document, in NumPy.

    Attributes
    ----------
    names : list of str, all different
    parents : list of int, -1 for a root
    order : list of int, parents before children
    matrices : dict from node to (3, 4) array, for nodes placed by a matrix
    properties : dict from "translation", "rotation", "scale" to (nodes, n) arrays
    shown : set of int
        The nodes of the file's scene, without those that stand for another one from afar (MSFT_lod), that are hidden
        (KHR_node_visibility) or many things at once (EXT_mesh_gpu_instancing); all where the file has no scene.
    """

    def __init__(self, document: Document) -> None:
        entries = records(document.gltf.nodes, "nodes")
        self.names = unique_names(text(record.name) or f"node {i}" for i, record in enumerate(entries))
        self.parents = [-1] * len(entries)
        for index, record in enumerate(entries):
            for child in items(record.children, f"nodes[{index}].children"):
                number = integer(child, 0, len(entries), f"nodes[{index}].children")
                if self.parents[number] >= 0 or number == index:
                    raise refuse(f"nodes[{number}]", "a child of two nodes or of itself", "in a tree")
                self.parents[number] = index
        self.order = self._sorted()
        self.shown = self._shown(document, entries)
        self.matrices = {i: _matrix(record, i) for i, record in enumerate(entries) if record.matrix is not None}
        self.properties = {
            path: np.array([_property(record, i, path) for i, record in enumerate(entries)]).reshape(-1, len(default))
            for path, default in DEFAULTS.items()
        }

    def __len__(self) -> int:
        return len(self.parents)

    def _shown(self, document: Document, entries: list[Any]) -> set[int]:
        scenes = records(document.gltf.scenes, "scenes")
        if not scenes:
            return set(range(len(entries)))
        scene = scenes[optional(document.gltf.scene, 0, 0, len(scenes), "scene")]
        count = len(entries)
        roots = {integer(node, 0, count, "scenes.nodes") for node in items(scene.nodes, "scenes.nodes")}
        far: set[int] = set()
        for index, entry in enumerate(entries):
            levels = getattr(getattr(entry.extensions, "MSFT_lod", None), "ids", None)
            far |= {integer(node, 0, count, f"nodes[{index}]: MSFT_lod") for node in items(levels, "MSFT_lod.ids")}
            hidden = getattr(getattr(entry.extensions, "KHR_node_visibility", None), "visible", True) is False
            if hidden or getattr(entry.extensions, "EXT_mesh_gpu_instancing", None) is not None:
                far.add(index)
        shown: set[int] = set()
        for index in self.order:
            if index not in far and (index in roots or self.parents[index] in shown):
                shown.add(index)
        return shown

    def is_below(self, node: int, above: int) -> bool:
        """True if a node is ``above`` itself, or one of its descendants."""
        while node >= 0 and node != above:
            node = self.parents[node]
        return node >= 0

    def _sorted(self) -> list[int]:
        children: list[list[int]] = [[] for _ in self.parents]
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(index)
        order = [index for index, parent in enumerate(self.parents) if parent < 0]
        for index in order:  # grows while it is read
            order.extend(children[index])
        if len(order) != len(self.parents):
            stuck = min(set(range(len(self.parents))) - set(order))
            raise refuse(f"nodes[{stuck}]", "its own ancestor, or below such a node", "in a tree")
        return order

    def local(self, index: int, animated: Animated) -> Float64:
        """Transform to the parent: (3, 4), or (T, 3, 4) where ``animated`` has values of the node."""
        if index in self.matrices:
            return self.matrices[index]
        value = {path: animated.get((index, path), self.properties[path][index]) for path in DEFAULTS}
        linear = quaternion_to_matrix(value["rotation"]) * value["scale"][..., None, :]
        return transform_of(linear, value["translation"])

    def relative(self, wanted: list[int], animated: Animated) -> dict[int, Float64]:
        """Transforms of the wanted nodes to their nearest wanted ancestor, or to the world where there is none."""
        needed = self._ancestry(wanted)
        stops = set(wanted)
        result: dict[int, Float64] = {}
        for index in self.order:
            if index in needed:
                own, parent = self.local(index, animated), self.parents[index]
                result[index] = own if parent < 0 or parent in stops else compose(result[parent], own)
        return {index: result[index] for index in wanted}

    def _ancestry(self, wanted: list[int]) -> set[int]:
        found: set[int] = set()
        for start in wanted:
            index = start
            while index >= 0 and index not in found:
                found.add(index)
                index = self.parents[index]
        return found

    def nearest(self, wanted: list[int]) -> dict[int, int]:
        """The nearest wanted ancestor of each wanted node, -1 where there is none."""
        stops = set(wanted)
        above: dict[int, int] = {}
        for index in self.order:
            parent = self.parents[index]
            above[index] = parent if parent < 0 or parent in stops else above[parent]
        return {index: above[index] for index in wanted}


def _matrix(record: Any, index: int) -> Float64:
    return np.asarray(numbers(record.matrix, 16, f"nodes[{index}].matrix").reshape(4, 4).T[:3])


def _property(record: Any, index: int, path: str) -> NDArray[np.float64]:
    value, default = getattr(record, path), DEFAULTS[path]
    result = np.array(default) if value is None else numbers(value, len(default), f"nodes[{index}].{path}")
    if path == "rotation" and not np.linalg.norm(result) > 0:
        raise refuse(f"nodes[{index}].rotation", "zero", "a quaternion")
    return result
