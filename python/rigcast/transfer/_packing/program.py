"""The weighted set packing program of one expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import PackingGraph

Floats = NDArray[Any]
Active = NDArray[np.bool_]


@dataclass(frozen=True)
class Program:
    """Items (shapes, or groups of shapes that stay together) and what keeps them apart.

    Attributes
    ----------
    members : list of list of int
        The shapes of every item.
    active : (K, V) bool
        The shapes' active vertices.
    refused : list of frozenset of int
        Sets of shapes that must not stand in one expression all together; of two items or more each.
    overlap : float
        The part of an item's active vertices that may be active in the expression already (greedy only).
    node_limit : int
        Nodes of each search tree.
    report : callable or None
        Called now and then with the number of nodes that a search has visited.
    apart : list of frozenset of int
        The items of refused sets.
    area : (M, V) bool
        The union of an item's active vertices.
    graph : PackingGraph
        Items that share active vertices, and refused sets.
    """

    members: list[list[int]]
    active: Active
    refused: list[frozenset[int]]
    overlap: float
    node_limit: int
    report: Callable[[int], None] | None = None
    apart: list[frozenset[int]] = field(init=False)
    area: Active = field(init=False)
    graph: PackingGraph = field(init=False)

    def __post_init__(self) -> None:
        area = np.ascontiguousarray(self.active[[shapes[0] for shapes in self.members]])
        for row, shapes in zip(area, self.members, strict=True):
            for k in shapes[1:]:
                row |= self.active[k]
        apart = [self.items(entry) for entry in self.refused]
        graph = _core.PackingGraph(area.view(np.uint8), [sorted(entry) for entry in apart])
        object.__setattr__(self, "apart", apart)
        object.__setattr__(self, "area", area)
        object.__setattr__(self, "graph", graph)

    def weights(self, importance: Floats) -> Floats:
        """(M,) sums of the importance (K,) of an item's shapes."""
        values = importance.tolist()
        return np.array([sum(values[k] for k in shapes) for shapes in self.members])

    def items(self, shapes: Iterable[int]) -> frozenset[int]:
        """The items that hold any of the shapes."""
        wanted = set(shapes)
        return frozenset(item for item, held in enumerate(self.members) if not wanted.isdisjoint(held))

    def shapes(self, items: Iterable[int]) -> list[int]:
        """The shapes of items, ascending."""
        return sorted(k for item in items for k in self.members[item])

    def refuses(self, chosen: set[int], item: int) -> bool:
        """True if the chosen items and this one hold a refused set."""
        return any(item in entry and entry <= chosen | {item} for entry in self.apart)
