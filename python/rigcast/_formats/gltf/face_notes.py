"""Parts of a face that glTF cannot express, kept in its node's ``extras``: correctives, bounds, constructed shapes.

``{"rigcast": {"correctives": [[name, [[shape], [shape, x1, x2, x3], ...]], ...], "bounds": [[shape, low, high], ...],
"constructed": [name, ...]}}``: all by the names of morph targets, so that targets may be reordered or left out. Other
programs play correctives as targets of their own, which a clip keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rigcast._formats.gltf.document import Document, GltfObject, items, numbers, records, refuse, text

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

KEY = "rigcast"
Factors = list[tuple[str, tuple[float, float, float] | None]]


@dataclass(frozen=True)
class FaceNotes:
    """The notes of a file.

    Attributes
    ----------
    node : int
        The node that they stand at: the face's, above those of its parts.
    correctives : dict
        The drivers of each, by name: a shape, and the tent over its weight if there is one.
    bounds : dict
        Lowest and highest weight of shapes.
    constructed : list of str
    """

    node: int
    correctives: dict[str, Factors] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    constructed: list[str] = field(default_factory=list)

    def of_targets(self, names: Sequence[str]) -> dict[str, list[tuple[int, tuple[float, float, float] | None]]]:
        """The correctives among some targets whose drivers are among them, with the places of these among the shapes.

        A corrective whose driver the file has lost is a shape of its own.
        """
        present = set(names)
        kept = {
            name: drivers
            for name, drivers in self.correctives.items()
            if name in present and all(driver in present - self.correctives.keys() for driver, _ in drivers)
        }
        place = {name: index for index, name in enumerate(name for name in names if name not in kept)}
        return {name: [(place[driver], tent) for driver, tent in drivers] for name, drivers in kept.items()}


def notes_of(rig: BlendshapeRig) -> dict[str, Any]:
    """The ``extras`` of the node of a face."""
    shapes = rig.shape_names
    correctives = [
        [name, [[shapes[d]] if isinstance(d, int) else [shapes[d.shape], d.x1, d.x2, d.x3] for d in drivers]]
        for name, drivers in zip(rig.column_names[rig.num_shapes :], rig.combinations, strict=True)
    ]
    bounds = [[name, float(low), float(high)] for name, (low, high) in zip(shapes, rig.bounds, strict=True)]
    return {KEY: {"correctives": correctives, "bounds": bounds, "constructed": list(rig.constructed)}}


def read_notes(document: Document) -> FaceNotes | None:
    """The notes of a file of this package; None if it has none.

    Raises
    ------
    ValueError
        If they are none that this package writes.
    """
    for index, node in enumerate(records(document.gltf.nodes, "nodes")):
        entry = getattr(node.extras, KEY, None)
        if isinstance(entry, GltfObject):
            where = f"nodes[{index}].extras.{KEY}"
            correctives = {_name(row, 2, where): _drivers(row[1], where) for row in items(entry.correctives, where)}
            bounds = {_name(row, 3, where): _rising(row[1:], where) for row in items(entry.bounds, where)}
            return FaceNotes(index, correctives, bounds, [text(name) for name in items(entry.constructed, where)])
    return None


def _name(row: object, length: int, where: str) -> str:
    if not isinstance(row, list) or len(row) != length or not isinstance(row[0], str):
        raise refuse(where, "with an entry of another form", f"lists of a name and {length - 1} more")
    return text(row[0])


def _drivers(rows: object, where: str) -> Factors:
    drivers: Factors = []
    for row in items(rows, where):
        has_tent = isinstance(row, list) and len(row) == 4
        name = _name(row, 4 if has_tent else 1, where)
        drivers.append((name, _rising(row[1:], where) if has_tent else None))
    names = [name for name, _ in drivers]
    if len(set(names)) < len(names) or len(names) < 1 + all(tent is None for _, tent in drivers):
        raise refuse(where, "with a corrective of the same driver twice, or of one alone", "products of shapes")
    return drivers


def _rising(values: list[Any], where: str) -> Any:
    points = tuple(numbers(values, len(values), where).tolist())
    if any(a > b for a, b in pairwise(points)):
        raise refuse(where, f"with {points}", "finite numbers that ascend")
    return points
