"""The meshes of a character in the file that is open in Blender, driven by its channels."""

from __future__ import annotations

import time
from typing import Any

import bpy
import numpy as np

from .channels import Channel, shape_name
from .contents import contents, not_reproduced
from .find import Limits, find_channels
from .geometry import Geometry
from .influences import followers, posed_elsewhere
from .meshes import choose_meshes, movers_of
from .nla import plays_nla
from .objects import InputError, UnusableError, choose_armature
from .posing import Writer

Array = np.ndarray[Any, Any]
SNAP = 4e-6  # float32 rounding of a chain of bone matrices
# Those that move vertices and leave the mesh its vertices and faces.
SWITCHED_OFF = ("CLOTH", "SOFT_BODY")


class Scene:
    """Poses and vertices of the meshes of a character in the file that is open.

    Parameters
    ----------
    meshes : list of str, optional
        Object names; default: all that one armature moves.
    armature : str, optional
        Object name; needed where several fit.
    limits : dict, optional
        Channel ranges that replace the file's.
    ranges : float or "actions", optional
        See :func:`.find.find_channels`.

    Notes
    -----
    The bind state is the armature in its rest position with every other setting as saved in the file; modifiers count
    as they are switched on in the viewport, but cloth and soft bodies are switched off. While the scene is driven,
    actions are taken off and other objects hidden (those the rig refers to are still evaluated); :meth:`close` puts
    everything back.
    """

    def __init__(
        self,
        meshes: list[str] | None = None,
        armature: str | None = None,
        limits: Limits | None = None,
        ranges: float | str | None = None,
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
        self.found = found = find_channels(self.meshes, self.armature, limits, ranges)
        self.channels, self.notes, self.moved = found.channels, found.notes, found.moved
        self.assigned = _assigned(self.meshes, self.armature)
        self.nla = plays_nla(_animated(self.meshes, self.armature))
        self._left_out = not_reproduced(self.meshes, self.armature, self.assigned)
        self._contents = contents(self.meshes, self.armature, self.nla)
        self._modifiers = [f"{m.name} ({m.type})" for mesh in self.meshes for m in mesh.modifiers if m.show_viewport]
        self._simulations = switch_off(self.meshes)
        if bpy.app.autoexec_fail:
            self.notes.append(f"Python in the file was not run: {bpy.app.autoexec_fail_message}")
        self._hidden = self._show_only_rig()
        self._writer = Writer(self.meshes, self.armature, found.channels, found.held)
        self._rest_row = np.array([channel.rest for channel in found.channels])
        self.bones, self.parents = _ordered_bones(self.armature)
        self._geometry = Geometry(self.meshes)
        self._read_bind_state()
        self.notes += self._geometry.notes
        if any(self._geometry.watched):  # better now than after an hour of sampling
            for row in ([c.low for c in self.channels], [c.high for c in self.channels]):
                self.evaluate(np.array(row))

    def description(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything about the rig that does not change with the pose."""
        settings = bpy.context.scene.unit_settings
        parts, surface = self._geometry.surface()
        header = {
            "meshes": [mesh.name for mesh in self.meshes],
            "left_out": self.left_out,
            "parts": parts,
            "armature": self.armature.name if self.armature else None,
            "host": f"Blender {bpy.app.version_string}",
            "channel_names": [channel.name for channel in self.channels],
            "dial_names": [self.channels[i].name for i in self._writer.columns],
            "joint_names": self.bones,
            "rotation_modes": _rotation_modes(self.armature, self.bones),
            "whole_channels": self._writer.whole_channels,
            "followers": followers(self.armature),
            "posed_elsewhere": posed_elsewhere(self.armature),
            "modifiers": self._modifiers,
            "contents": self._contents,
            "together": list(dict.fromkeys(action.name for _, action in reversed(self.assigned))),
            "not_reproduced": self._left_out,
            "range_sources": [channel.source for channel in self.channels],
            "without_range": [candidate.channel.name for candidate in self.found.without_range],
            "fps": bpy.context.scene.render.fps / bpy.context.scene.render.fps_base,
            "meters_per_unit": 1.0 if settings.system == "NONE" else float(settings.scale_length),
            "licence": self._stated("licence"),
            "origin": self._stated("origin"),
            "notes": self.notes,
        }
        arrays = {
            "channel_ranges": np.array([(c.low, c.high) for c in self.channels], np.float64).reshape(-1, 2),
            "channel_rest": self._rest_row,
            "parents": np.asarray(self.parents, np.int32),
            "rest": self.rest_locals.astype(np.float32),
            "rest_vertices": self._geometry.rest_vertices,
            "faces": self._geometry.faces,
            **surface,
        }
        return header, arrays

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

    def current(self) -> tuple[Array, Array]:
        """Pose row and vertices of the state that the file is in."""
        vertices = self._geometry.vertices()
        if vertices is None:
            raise self._geometry.changed()
        pose = np.concatenate([self._locals().reshape(-1), self._writer.read()])
        return pose.astype(np.float32), vertices

    def dial(self, channel: Channel) -> float:
        """The value of a shape key or a custom property as it is."""
        return self._writer.value(channel)

    def state(self, row: Array) -> tuple[Array, dict[str, float]]:
        """Parent-relative bones (J, 3, 4) and the values of all shapes, by channel name, for one row of channels."""
        self._writer.write(row)
        bpy.context.view_layer.update()
        return self._locals(), {name: float(key.value) for name, key in self.shapes(evaluated=True).items()}

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
        self.rest_locals = np.zeros((0, 3, 4))
        if self.armature is not None:
            self.rest_locals = self._relative(_bone_matrices(self.armature.data.bones, "matrix_local", self.bones))
            self.armature.data.pose_position = "POSE"
        for mesh, size in zip(self.meshes, self._geometry.sizes):  # noqa: B905
            if not size:
                raise UnusableError(f"mesh {mesh.name!r} has no vertices after its modifiers")

    def _locals(self) -> Array:
        """Parent-relative transforms (J, 3, 4) of all bones in the evaluated pose."""
        if self.armature is None:
            return self.rest_locals
        item = self.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        current = self._relative(_bone_matrices(item.pose.bones, "matrix", self.bones))
        scale = np.array([1.0, 1.0, 1.0, 1.0 + np.abs(self.rest_locals[:, :, 3]).max()])
        return np.where(np.abs(current - self.rest_locals) < SNAP * scale, self.rest_locals, current)

    def _relative(self, matrices: Array) -> Array:
        assert self.armature is not None
        item = self.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(item.matrix_world, np.float64) @ matrices
        parents = np.asarray(self.parents)
        result = world.copy()
        children = np.flatnonzero(parents >= 0)
        result[children] = _affine_inverse(world[parents[children]]) @ world[children]
        return np.asarray(result[:, :3])

    def _topology_changed(self, row: Array) -> str:
        rows = (self._rest_row, row)
        return f"{self._geometry.blame(lambda pose: self._writer.write(rows[pose]))}; apply or remove it"


def _assigned(meshes: list[Any], armature: Any | None) -> list[tuple[Any, Any]]:
    """(ID block, action) of what the file plays on the character and on what it hangs."""
    found = [(item, item.animation_data.action) for item in _animated(meshes, armature)]
    return [(item, action) for item, action in found if action is not None]


def _animated(meshes: list[Any], armature: Any | None) -> list[Any]:
    """The character's data blocks, and what it hangs on, that have animation data."""
    items = [block for mesh in meshes for block in (mesh, mesh.data.shape_keys, mesh.parent)]
    items += [armature, armature and armature.parent]
    return [item for item in dict.fromkeys(items) if item and item.animation_data]


def _rotation_modes(armature: Any, bones: list[str]) -> list[str]:
    return [armature.pose.bones[name].rotation_mode for name in bones]


def _ordered_bones(armature: Any | None) -> tuple[list[str], list[int]]:
    """Bone names, parents before children, and the index of each bone's parent (-1 for roots)."""
    names: list[str] = []
    parents: list[int] = []
    stack = [(bone, -1) for bone in reversed(armature.data.bones) if bone.parent is None] if armature else []
    while stack:
        bone, parent = stack.pop()
        stack += [(child, len(names)) for child in reversed(bone.children)]
        names.append(bone.name)
        parents.append(parent)
    return names, parents


def _bone_matrices(bones: Any, attribute: str, names: list[str]) -> Array:
    """A 4x4 matrix property of all bones, (J, 4, 4) float64, in the order of ``names``."""
    raw = np.empty((len(bones), 4, 4), np.float32)
    bones.foreach_get(attribute, raw.reshape(-1))
    position = {bone.name: index for index, bone in enumerate(bones)}
    return np.asarray(raw[[position[name] for name in names]].transpose(0, 2, 1), np.float64)


def _affine_inverse(matrices: Array) -> Array:
    """Inverses of affine matrices (J, 4, 4), by cofactors; a collapsed one gives infinities, which are reported."""
    a, b, c = matrices[:, 0, :3], matrices[:, 1, :3], matrices[:, 2, :3]
    cofactors = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=2)
    result = np.zeros_like(matrices)
    with np.errstate(divide="ignore", invalid="ignore"):
        result[:, :3, :3] = cofactors / np.einsum("ji,ji->j", a, cofactors[:, :, 0])[:, None, None]
        result[:, :3, 3] = -np.einsum("jik,jk->ji", result[:, :3, :3], matrices[:, :3, 3])
    result[:, 3, 3] = 1.0
    return result


def switch_off(meshes: list[Any]) -> list[Any]:
    """Hide cloth and soft bodies in the viewport; returns the modifiers that were shown.

    They depend on the frames before, so that no pose decides them. Sampling would freeze them in the state of the
    file's frame, and an action that is played would run them, and then a model would be judged by what it never saw.
    """
    shown = [m for mesh in meshes for m in mesh.modifiers if m.type in SWITCHED_OFF and m.show_viewport]
    for modifier in shown:
        modifier.show_viewport = False
    return shown
