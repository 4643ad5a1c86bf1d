"""The meshes of a character in the file that is open in Blender, driven by its channels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..describe.channels import Channel, shape_name
from ..describe.contents import contents, drivers_not_run, not_reproduced, notes_on_python
from ..describe.find import Asked, find_channels
from ..describe.joints import joints_of, ordered_bones
from ..describe.meshes import choose_meshes, movers_of, switch_off
from ..describe.strips import plays_nla
from ..describe.transforms import bone_matrices, places_of, relative, snapped
from ..mechanism import mechanism_of
from ..objects import InputError, UnusableError, choose_armature
from .geometry import SceneGeometry
from .posing import Writer

Array = np.ndarray[Any, Any]


class Scene:
    """Poses and vertices of the meshes of a character in the file that is open.

    Parameters
    ----------
    meshes : list of str, optional
        Object names; default: all that one armature moves.
    armature : str, optional
        Object name; needed where several fit.
    asked : Asked
        What is wanted of the channels.

    Notes
    -----
    The bind state is the armature in its rest position with every other setting as saved in the file; modifiers count
    as they are switched on in the viewport, but cloth and soft bodies are switched off. While the scene is driven,
    what is no channel stays as it was saved (the pose of bones, too), actions are taken off and other objects hidden
    (those the rig refers to are still evaluated); :meth:`close` puts everything back.
    """

    def __init__(
        self,
        meshes: list[str] | None = None,
        armature: str | None = None,
        asked: Asked = Asked(),  # noqa: B008 -- it cannot change
    ) -> None:
        chosen = choose_meshes(meshes, armature)
        self.meshes, self.left_out = chosen.meshes, chosen.left_out
        shared = [rig for rig in movers_of(self.meshes[0]) if all(rig in movers_of(item) for item in self.meshes)]
        self.armature = choose_armature(shared, self.meshes, armature)
        for item in filter(None, (*self.meshes, self.armature)):
            if item.mode == "EDIT":
                raise InputError(
                    "armature" if item == self.armature else "mesh", "being edited", "in object or pose mode"
                )
        self.found = found = find_channels(self.meshes, self.armature, asked)
        self.channels, self.notes, self.moved = found.channels, found.notes, found.moved
        self.assigned = _assigned(self.meshes, self.armature)
        self.nla = plays_nla(_animated(self.meshes, self.armature))
        self.not_reproduced = not_reproduced(self.meshes, self.armature, self.assigned)
        self.contents = contents(self.meshes, self.armature, self.nla)
        self.modifiers = [f"{m.name} ({m.type})" for mesh in self.meshes for m in mesh.modifiers if m.show_viewport]
        self._simulations = switch_off(self.meshes)
        self.not_run = drivers_not_run()
        self.notes += notes_on_python(self.not_run)
        self._hidden = self._show_only_rig()
        self.writer = Writer(self.meshes, self.armature, found.channels, found.held)
        self.rest_row = np.array([channel.rest for channel in found.channels])
        self.bones, self.bone_parents = ordered_bones(self.armature)
        self.joints = joints_of(self.meshes, self.armature, found)
        self.geometry = SceneGeometry(self.meshes)
        self._read_bind_state()
        self.mechanism, self.unread = mechanism_of(self.armature, self.joints.names, found.channels, found.held)
        self.notes += self.geometry.notes

    def try_extremes(self) -> None:
        """Evaluate both ends of all ranges if modifiers may change the topology: better now than in the last hour."""
        if any(self.geometry.watched):
            for row in ([c.low for c in self.channels], [c.high for c in self.channels]):
                self.evaluate(np.array(row))

    def evaluate(self, row: Array) -> tuple[Array, Array]:
        """Pose row (12 J + K,) and world-space vertices (V, 3), both float32, for one row of channels."""
        numeric = self.writer.write(row)
        vertices = self.geometry.vertices()
        if vertices is None:
            raise UnusableError(self._topology_changed(row))
        pose = np.concatenate([self._locals().reshape(-1), numeric])
        return pose.astype(np.float32), vertices

    def vertices(self) -> Array:
        """World-space vertices (V, 3) of the state that the file is in."""
        vertices = self.geometry.vertices()
        if vertices is None:
            raise self.geometry.changed()
        return vertices

    def current(self) -> tuple[Array, Array]:
        """Pose row and vertices of the state that the file is in."""
        vertices = self.vertices()
        pose = np.concatenate([self._locals().reshape(-1), self.writer.read()])
        return pose.astype(np.float32), vertices

    def dial(self, channel: Channel) -> float:
        """The value of a shape key or a custom property as it is."""
        return self.writer.value(channel)

    def state(self, row: Array) -> tuple[Array, dict[str, float]]:
        """Parent-relative bones (B, 3, 4) and the values of all shapes, by channel name, for one row of channels."""
        self.writer.write(row)
        bpy.context.view_layer.update()
        bones = self.bone_rest
        if self.armature is not None:
            bones = snapped(relative(self._placed(), self._posed(), self.bones, self.bone_parents), bones)
        return bones, {name: float(key.value) for name, key in self.shapes(evaluated=True).items()}

    def bone_transforms(self, rows: Array, names: list[str]) -> Iterator[Array]:
        """World transforms (B, 3, 4) of the bones called ``names`` for each row of channels.

        Meshes are hidden meanwhile: Blender evaluates the bones alone.
        """
        shown = [mesh for mesh in self.meshes if not mesh.hide_viewport]
        try:
            for mesh in shown:
                mesh.hide_viewport = True
            for row in rows:
                self.writer.write(row)
                bpy.context.view_layer.update()
                yield relative(self._placed(), self._posed(), names, [-1] * len(names))
        finally:
            for mesh in shown:
                mesh.hide_viewport = False

    def shapes(self, evaluated: bool = False) -> dict[str, Any]:
        """All shape keys by the names of their channels."""
        found = {}
        for place, mesh in enumerate(self.meshes):
            keys = mesh.data.shape_keys
            if keys is None:
                continue
            first = keys.reference_key.name
            blocks = keys.evaluated_get(bpy.context.evaluated_depsgraph_get()) if evaluated else keys
            names = [key.name for key in blocks.key_blocks if key.name != first]
            found.update({shape_name(self.meshes, place, name): blocks.key_blocks[name] for name in names})
        return found

    def seconds(self, row: Array) -> float:
        """Time to set one row of channels, let Blender evaluate, and read the vertices."""
        start = time.perf_counter()
        self.writer.write(row)
        self.geometry.vertices()
        return time.perf_counter() - start

    def as_saved(self) -> None:
        """Pose, shapes and properties as the file was saved, without its actions."""
        self.writer.as_saved()

    def resume(self) -> None:
        """After :meth:`as_saved`: no action plays, and what is held has its value."""
        self.writer.hold()

    def settings(self) -> dict[str, Array]:
        """The settings of each bone (its own transform), of properties and of shapes without drivers, by name."""
        found = {name: value for name, value in self.writer.numbers().items() if name not in self.found.driven}
        if self.armature is not None:
            bones = self.armature.pose.bones
            own = bone_matrices(bones, places_of(bones, self.bones), "matrix_basis")
            found |= dict(zip(self.bones, own))  # noqa: B905
        return found

    def close(self) -> None:
        """Put the user's pose, actions and visibility back."""
        self.writer.restore()
        if self.armature is not None:
            self.armature.data.pose_position = self._pose_position
        for item, hidden in self._hidden:
            item.hide_viewport = hidden
        for modifier in self._simulations:
            modifier.show_viewport = True
        bpy.context.view_layer.update()

    def _show_only_rig(self) -> list[tuple[Any, bool]]:
        mine = {*self.meshes, self.armature}
        changed = [(item, item.hide_viewport) for item in bpy.context.scene.objects]
        for item, _ in changed:
            item.hide_viewport = item not in mine
        for item in filter(None, mine):
            if item.name not in bpy.context.view_layer.objects:
                bpy.context.scene.collection.objects.link(item)
        return changed

    def _read_bind_state(self) -> None:
        self.writer.write(self.rest_row)
        if self.armature is not None:
            self._pose_position = self.armature.data.pose_position
            self.armature.data.pose_position = "REST"
        self.geometry.read_rest()
        self.rest_locals = self.bone_rest = np.zeros((0, 3, 4))
        if self.armature is not None:
            bones = self.armature.data.bones
            self.rest_locals = relative(self._placed(), bones, self.joints.names, self.joints.parents, "matrix_local")
            self.bone_rest = relative(self._placed(), bones, self.bones, self.bone_parents, "matrix_local")
            self.armature.data.pose_position = "POSE"
        for mesh, size in zip(self.meshes, self.geometry.sizes):  # noqa: B905
            if not size:
                raise UnusableError(f"mesh {mesh.name!r} has no vertices after its modifiers")

    def _locals(self) -> Array:
        """Parent-relative transforms (J, 3, 4) of all joints in the evaluated pose."""
        if self.armature is None:
            return self.rest_locals
        current = relative(self._placed(), self._posed(), self.joints.names, self.joints.parents)
        return snapped(current, self.rest_locals)

    def _placed(self) -> Any:
        """The evaluated armature object."""
        assert self.armature is not None
        return self.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())

    def _posed(self) -> Any:
        return self._placed().pose.bones

    def _topology_changed(self, row: Array) -> str:
        rows = (self.rest_row, row)
        return f"{self.geometry.blame(lambda pose: self.writer.write(rows[pose]))}; apply or remove it"


def _assigned(meshes: list[Any], armature: Any | None) -> list[tuple[Any, Any]]:
    """(ID block, action) of what the file plays on the character and on what it hangs."""
    found = [(item, item.animation_data.action) for item in _animated(meshes, armature)]
    return [(item, action) for item, action in found if action is not None]


def _animated(meshes: list[Any], armature: Any | None) -> list[Any]:
    """The character's data blocks, and what it hangs on, that have animation data."""
    items = [block for mesh in meshes for block in (mesh, mesh.data.shape_keys, mesh.parent)]
    items += [armature, armature and armature.parent]
    return [item for item in dict.fromkeys(items) if item and item.animation_data]
