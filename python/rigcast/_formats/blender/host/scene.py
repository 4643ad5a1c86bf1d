"""The meshes of a character in the file that is open in Blender, driven by its channels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import bpy
import numpy as np

from .channels import SAVED, Channel, shape_name
from .contents import contents, drivers_not_run, not_reproduced, notes_on_python
from .control_rigs.joint_limits import Reach
from .find import Asked, find_channels
from .geometry import Geometry
from .influences import followers
from .joints import bone_matrices, joints_of, ordered_bones, relative, snapped
from .mechanism import mechanism_of
from .meshes import choose_meshes, movers_of, own_skin, switch_off
from .nla import plays_nla
from .objects import InputError, UnusableError, choose_armature
from .playback import MOST_ACTIONS, differences
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
        self._left_out = not_reproduced(self.meshes, self.armature, self.assigned)
        self._contents = contents(self.meshes, self.armature, self.nla)
        self._modifiers = [f"{m.name} ({m.type})" for mesh in self.meshes for m in mesh.modifiers if m.show_viewport]
        self._simulations = switch_off(self.meshes)
        self.not_run = drivers_not_run()
        self.notes += notes_on_python(self.not_run)
        self._hidden = self._show_only_rig()
        self._writer = Writer(self.meshes, self.armature, found.channels, found.held)
        self._rest_row = np.array([channel.rest for channel in found.channels])
        self.bones, self._bone_parents = ordered_bones(self.armature)
        self.joints = joints_of(self.meshes, self.armature, found)
        self._geometry = Geometry(self.meshes)
        self._read_bind_state()
        self._mechanism, self._unread = mechanism_of(self.armature, self.joints.names, found.channels, found.held)
        self.notes += self._geometry.notes
        self._differences, left = differences(self, _meters_per_unit())
        if left:
            self.notes.append(f"{left} actions beyond the first {MOST_ACTIONS} were not compared with their channels")
        if any(self._geometry.watched):  # better now than after an hour of sampling
            for row in ([c.low for c in self.channels], [c.high for c in self.channels]):
                self.evaluate(np.array(row))

    def description(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything about the rig that does not change with the pose."""
        parts, surface = self._geometry.surface()
        header = {
            "meshes": [mesh.name for mesh in self.meshes],
            "left_out": self.left_out,
            "parts": parts,
            "armature": self.armature.name if self.armature else None,
            "host": f"Blender {bpy.app.version_string}",
            "channel_names": [channel.name for channel in self.channels],
            "dial_names": [self.channels[i].name for i in self._writer.columns],
            "joint_names": self.joints.names,
            "bones": self.bones,
            "mechanism": self._mechanism,
            "unread": self._unread,
            "rotation_modes": _rotation_modes(self.armature, self.bones),
            "whole_channels": self._writer.whole_channels,
            "followers": followers(self.armature),
            "posed_elsewhere": self.joints.posed_elsewhere,
            "passed_on": self._passed_on(),
            "not_run": self.not_run,
            "differences": self._differences,
            "held": {c.name: (c.low, c.source if c.origin == SAVED else "") for c in self.found.held},
            "switches": self._switches(),
            "control_sets": self.found.sets and asdict(self.found.sets),
            "assumed": self.found.assumed,
            "reaches": [reach.target for reach in self.found.reaches],
            "modifiers": self._modifiers,
            "contents": self._contents,
            "together": list(dict.fromkeys(action.name for _, action in reversed(self.assigned))),
            "not_reproduced": self._left_out,
            "carrying": [channel.name for channel in self.channels if channel.low == channel.high],
            "range_sources": [channel.source for channel in self.channels],
            "range_origins": [channel.origin for channel in self.channels],
            "without_range": [candidate.channel.name for candidate in self.found.without_range],
            "fps": bpy.context.scene.render.fps / bpy.context.scene.render.fps_base,
            "meters_per_unit": _meters_per_unit(),
            "licence": self._stated("licence"),
            "origin": self._stated("origin"),
            "notes": self.notes,
        }
        arrays = {
            "channel_ranges": np.array([(c.low, c.high) for c in self.channels], np.float64).reshape(-1, 2),
            "channel_rest": self._rest_row,
            "parents": np.asarray(self.joints.parents, np.int32),
            "rest": self.rest_locals.astype(np.float32),
            "bone_parents": np.asarray(self._bone_parents, np.int32),
            "bone_rest": self._bone_rest.astype(np.float32),
            **_reaches(self.found.reaches),
            **own_skin(self.meshes, self._geometry.sizes, self.armature, self.joints.names),
            "rest_vertices": self._geometry.rest_vertices,
            "faces": self._geometry.faces,
            **surface,
        }
        return header, arrays

    def _switches(self) -> list[str]:
        """Channels that are on or off: of a control rig those between FK and IK, else properties from 0 to 1 that act
        on bones alone."""
        known = None if self.found.sets is None else self.found.sets.switches
        return [
            c.name
            for c in self.channels
            if c.kind == "property"
            and (c.name in known if known is not None else c.name in self.found.inner and (c.low, c.high) == (0.0, 1.0))
        ]

    def _passed_on(self) -> dict[str, str]:
        """Channels of bones that are no joints: what passes their motion on, by name."""
        numeric = {self.channels[i].name for i in self._writer.columns}
        return {
            channel.name: f"constraints or drivers pass the motion of bone {channel.target!r} on"
            for channel in self.channels
            if channel.name not in numeric and channel.target not in self.joints.names
        }

    def _stated(self, key: str) -> str:
        """A custom property of the mesh objects, each of its texts once."""
        return "; ".join(dict.fromkeys(str(mesh[key]) for mesh in self.meshes if mesh.get(key)))

    def evaluate(self, row: Array) -> tuple[Array, Array]:
        """Pose row (12 J + K,) and world-space vertices (V, 3), both float32, for one row of channels."""
        numeric = self._writer.write(row)
        vertices = self._geometry.vertices()
        if vertices is None:
            raise UnusableError(self._topology_changed(row))
        pose = np.concatenate([self._locals().reshape(-1), numeric])
        return pose.astype(np.float32), vertices

    def vertices(self) -> Array:
        """World-space vertices (V, 3) of the state that the file is in."""
        vertices = self._geometry.vertices()
        if vertices is None:
            raise self._geometry.changed()
        return vertices

    def current(self) -> tuple[Array, Array]:
        """Pose row and vertices of the state that the file is in."""
        vertices = self.vertices()
        pose = np.concatenate([self._locals().reshape(-1), self._writer.read()])
        return pose.astype(np.float32), vertices

    def dial(self, channel: Channel) -> float:
        """The value of a shape key or a custom property as it is."""
        return self._writer.value(channel)

    def state(self, row: Array) -> tuple[Array, dict[str, float]]:
        """Parent-relative bones (B, 3, 4) and the values of all shapes, by channel name, for one row of channels."""
        self._writer.write(row)
        bpy.context.view_layer.update()
        bones = self._bone_rest
        if self.armature is not None:
            bones = snapped(relative(self.armature, self._posed(), self.bones, self._bone_parents), bones)
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
                self._writer.write(row)
                bpy.context.view_layer.update()
                yield relative(self.armature, self._posed(), names, [-1] * len(names))
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
        self._writer.write(row)
        self._geometry.vertices()
        return time.perf_counter() - start

    def as_saved(self) -> None:
        """Pose, shapes and properties as the file was saved, without its actions."""
        self._writer.as_saved()

    def resume(self) -> None:
        """After :meth:`as_saved`: no action plays, and what is held has its value."""
        self._writer.hold()

    def settings(self) -> dict[str, Array]:
        """What is set of each bone (its own transform), of properties and of shapes without drivers, by name."""
        found = {name: value for name, value in self._writer.numbers().items() if name not in self.found.driven}
        if self.armature is not None:
            own = bone_matrices(self.armature.pose.bones, "matrix_basis", self.bones)
            found |= dict(zip(self.bones, own))  # noqa: B905
        return found

    def close(self) -> None:
        """Put the user's pose, actions and visibility back."""
        self._writer.restore()
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
        self._writer.write(self._rest_row)
        if self.armature is not None:
            self._pose_position = self.armature.data.pose_position
            self.armature.data.pose_position = "REST"
        self._geometry.read_rest()
        self.rest_locals = self._bone_rest = np.zeros((0, 3, 4))
        if self.armature is not None:
            bones = self.armature.data.bones
            self.rest_locals = relative(self.armature, bones, self.joints.names, self.joints.parents, "matrix_local")
            self._bone_rest = relative(self.armature, bones, self.bones, self._bone_parents, "matrix_local")
            self.armature.data.pose_position = "POSE"
        for mesh, size in zip(self.meshes, self._geometry.sizes):  # noqa: B905
            if not size:
                raise UnusableError(f"mesh {mesh.name!r} has no vertices after its modifiers")

    def _locals(self) -> Array:
        """Parent-relative transforms (J, 3, 4) of all joints in the evaluated pose."""
        if self.armature is None:
            return self.rest_locals
        current = relative(self.armature, self._posed(), self.joints.names, self.joints.parents)
        return snapped(current, self.rest_locals)

    def _posed(self) -> Any:
        assert self.armature is not None
        return self.armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones

    def _topology_changed(self, row: Array) -> str:
        rows = (self._rest_row, row)
        return f"{self._geometry.blame(lambda pose: self._writer.write(rows[pose]))}; apply or remove it"


def _reaches(reaches: list[Reach]) -> dict[str, Array]:
    """Axes (R, 3, 3), offsets (R, 3) and distances (R, 2) of the shells in which IK targets stay."""
    return {
        "reach_axes": np.array([reach.axes for reach in reaches], np.float64).reshape(-1, 3, 3),
        "reach_offsets": np.array([reach.offset for reach in reaches], np.float64).reshape(-1, 3),
        "reach_distances": np.array([(reach.least, reach.most) for reach in reaches], np.float64).reshape(-1, 2),
    }


def _assigned(meshes: list[Any], armature: Any | None) -> list[tuple[Any, Any]]:
    """(ID block, action) of what the file plays on the character and on what it hangs."""
    found = [(item, item.animation_data.action) for item in _animated(meshes, armature)]
    return [(item, action) for item, action in found if action is not None]


def _animated(meshes: list[Any], armature: Any | None) -> list[Any]:
    """The character's data blocks, and what it hangs on, that have animation data."""
    items = [block for mesh in meshes for block in (mesh, mesh.data.shape_keys, mesh.parent)]
    items += [armature, armature and armature.parent]
    return [item for item in dict.fromkeys(items) if item and item.animation_data]


def _meters_per_unit() -> float:
    settings = bpy.context.scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)


def _rotation_modes(armature: Any, bones: list[str]) -> list[str]:
    return [armature.pose.bones[name].rotation_mode for name in bones]
