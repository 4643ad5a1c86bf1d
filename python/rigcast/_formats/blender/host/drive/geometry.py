"""The meshes of a character, evaluated: one mesh after another, in world space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from ..describe import topology
from ..describe.covering import covering, other_layers
from ..objects import UnusableError

Array = np.ndarray[Any, Any]


class SceneGeometry:
    """Vertices of mesh objects.

    Parameters
    ----------
    meshes : list of objects
    """

    def __init__(self, meshes: list[Any]) -> None:
        self.meshes = meshes
        self.watched = [not all(map(topology.is_fixed, _shown(item))) for item in meshes]
        self._counts: list[Any] = []
        self._connectivity: list[Any] = []

    def read_rest(self) -> None:
        """Keep the state that the file is in now as the rest state, whose connectivity must stay."""
        bpy.context.view_layer.update()
        faces, vertices = [], []
        self.kinds: list[Array] = []
        self.uvs: list[Array] = []
        self.corners: list[Array] = []
        self.materials: list[list[str]] = []
        self.notes: list[str] = []
        for item in self.meshes:
            evaluated = _evaluated(item)
            mesh = evaluated.data
            self._counts.append(topology.counts(mesh))
            self._connectivity.append(topology.connectivity(mesh))
            faces.append(topology.faces(mesh))
            vertices.append(_world_vertices(evaluated))
            names, arrays = covering(evaluated, mesh)
            self.materials.append(names)
            for name, array in arrays.items():
                getattr(self, name).append(array)
            self.notes += [f"UV map {name!r} of mesh {item.name!r} is left out: no render uses it"
                           for name in other_layers(mesh)]  # fmt: skip
        self.sizes = [len(part) for part in vertices]
        self.face_counts = [len(part) for part in faces]
        starts = np.cumsum([0, *self.sizes[:-1]])
        shifted = [np.where(part < 0, -1, part + start) for part, start in zip(faces, starts)]  # noqa: B905
        self.faces = np.concatenate(shifted).astype(np.int32)
        self.rest_vertices = np.concatenate(vertices)

    def surface(self) -> tuple[list[dict[str, Any]], dict[str, Array]]:
        """The parts (name, vertices, faces, texture coordinates, materials), and their arrays one after another."""
        columns = zip(self.meshes, self.sizes, self.face_counts, self.uvs, self.corners, self.materials)  # noqa: B905
        parts = [
            {"name": item.name, "vertices": v, "faces": f, "uvs": len(uvs), "corners": len(corners), "materials": names}
            for item, v, f, uvs, corners, names in columns
        ]
        arrays = {"kinds": self.kinds, "uvs": self.uvs, "corners": self.corners}
        return parts, {f"surface_{name}": np.concatenate(found) for name, found in arrays.items()}

    def vertices(self) -> Array | None:
        """World-space vertices (V, 3) of the state that the file is in; None if connectivity has changed."""
        bpy.context.view_layer.update()
        found = []
        for place, item in enumerate(self.meshes):
            evaluated = _evaluated(item)
            if self._has_changed(place, evaluated.data):
                return None
            found.append(_world_vertices(evaluated))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def blame(self, write: Callable[[int], object]) -> str:
        """The modifiers that change connectivity between two states that ``write(0)`` and ``write(1)`` make."""
        for place, item in enumerate(self.meshes):
            bpy.context.view_layer.update()
            if not self._has_changed(place, _evaluated(item).data):
                continue

            def evaluate(pose: int, item: Any = item) -> Any:
                write(pose)
                bpy.context.view_layer.update()
                return _evaluated(item).data

            return f"{topology.blame(item, evaluate)} of mesh {item.name!r} changes the topology with the pose"
        return "the topology changes with the pose"

    def changed(self) -> UnusableError:
        """The error where no pose is to blame."""
        names = ", ".join(repr(item.name) for item in self.meshes)
        return UnusableError(f"the topology of mesh {names} changes over time")

    def _has_changed(self, place: int, mesh: Any) -> bool:
        if topology.counts(mesh) != self._counts[place]:
            return True
        return self.watched[place] and not topology.same(topology.connectivity(mesh), self._connectivity[place])


def _shown(item: Any) -> list[Any]:
    return [modifier for modifier in item.modifiers if modifier.show_viewport]


def _evaluated(item: Any) -> Any:
    """The object after all modifiers."""
    return item.evaluated_get(bpy.context.evaluated_depsgraph_get())


def _world_vertices(item: Any) -> Array:
    mesh, matrix = item.data, np.array(item.matrix_world, np.float64)
    local = np.empty((len(mesh.vertices), 3), np.float32)
    position = mesh.attributes.get("position") if hasattr(mesh, "attributes") else None
    if position is not None:
        position.data.foreach_get("vector", local.reshape(-1))
    else:
        mesh.vertices.foreach_get("co", local.reshape(-1))
    if np.array_equal(matrix, np.eye(4)):
        return local
    return np.asarray(local @ matrix[:3, :3].T + matrix[:3, 3], np.float32)
