"""Latent spaces of all labels, how they are bridged, and what plays in them."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.sources import Rig
from rigcast.synthesis._crowd import PlayerCrowd
from rigcast.synthesis._file import engine_of, from_tensors, to_tensors, write
from rigcast.synthesis._mesh import ControlledMesh
from rigcast.synthesis._parts import SynthesisParts
from rigcast.synthesis._player import Player
from rigcast.synthesis._playing.script import Script
from rigcast.synthesis._playing.settings import PlaySettings
from rigcast.synthesis._space import Space

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@one_line
class Synthesizer:
    """Endless motion in the manner of labelled clips (Bailey 2020, chapter 5). Immutable.

    Made by :func:`rigcast.synthesis.fit`, read by :func:`rigcast.synthesis.load`.

    Attributes
    ----------
    labels : list of str
    fps : float
        Frames per second of all that is played.
    control_names : list of N str
    limits : (N, 2) float32
        No control ever leaves them.
    rotations : (R, 3) int32
        Controls that are the three Euler angles, in degrees, of one joint.
    rotation_orders : list of R str
        As "ZYX": the leftmost factor of the product first.
    dropped : dict from str to str
        Controls that stay at their mean, with the reason: no variance in the clips, or no effect on the mesh.
    spaces : dict from label to Space
    bridges : dict from (label, label) to Bridge
        Both directions of each pair that matches.
    threshold : float
        Distance in millimeters below which poses of two labels match.
    effects : (N, R) float64
        Linear map from coordinates to features whose Euclidean distance is that of the mesh.
    weights : (N,) float64
        What each coordinate does to the mesh (Bailey 2020, equation 5.3), by which it is scaled.
    meters_per_unit : float
    pose_channels : bool
        Whether controls are channels of a skeleton; :meth:`poses` makes pose rows of them.
    rig : Rig, Deformer or None
    metadata : dict
    """

    def __init__(self, parts: SynthesisParts, rig: Rig | Deformer | None = None) -> None:
        self._parts, self.rig = parts, rig
        self.labels = list(parts.spaces)
        self.fps, self.control_names = parts.fps, list(parts.control_names)
        self.limits: Float32 = parts.around.limits.astype(np.float32)
        self.rotations: NDArray[np.int32] = parts.around.rotations.columns
        self.rotation_orders = list(parts.around.rotations.orders)
        self.dropped, self.spaces, self.bridges = dict(parts.dropped), dict(parts.spaces), dict(parts.bridges)
        self.effects, self.weights, self.threshold = parts.effects, parts.weights, parts.threshold
        self.meters_per_unit = 1e-3 * parts.millimeters
        self.pose_channels, self.metadata = parts.has_joints, dict(parts.metadata)

    @property
    def parts(self) -> SynthesisParts:
        """The parts that the file holds."""
        return self._parts

    @functools.cached_property
    def engine(self) -> _core.Synthesizer:
        """The same for the engine, which plays it."""
        return self._parts.engine or engine_of(self._parts)

    def space(self, label: str) -> Space:
        """The latent space of a label.

        Raises
        ------
        ValueError
            If there is none.
        """
        if label not in self.spaces:
            raise bad_argument("Synthesizer.space", "label", shown(label), f"one of {', '.join(self.labels)}")
        return self.spaces[label]

    def mesh_features(self, controls: ArrayLike) -> Float64:
        """(T, R) features of controls (T, N): the distance of two rows is that of the linearized meshes.

        Root mean square over the vertices, in the rig's unit, by what each control does around the mean of all clips.
        """
        check = Arguments("Synthesizer.mesh_features", N=len(self.control_names))
        given = check.numbers("controls", controls, "T N")
        return np.asarray(self._parts.around.of(given) @ self.effects)

    def mesh_distance(self, first: ArrayLike, second: ArrayLike) -> Float64:
        """(T,) distances of the linearized meshes of controls (T, N), in the rig's unit (:meth:`mesh_features`)."""
        check = Arguments("Synthesizer.mesh_distance", N=len(self.control_names))
        pair = [check.numbers(name, value, "T N") for name, value in (("first", first), ("second", second))]
        return np.asarray(np.linalg.norm(self.mesh_features(pair[0]) - self.mesh_features(pair[1]), axis=1))

    def poses(self, controls: ArrayLike) -> Float32:
        """(T, C) pose rows of the rig, for controls (T, N); a blendshape rig's are the weights themselves.

        Raises
        ------
        ValueError
            If no rig is known, or a shape is wrong.
        """
        check = Arguments("Synthesizer.poses", N=len(self.control_names))
        given = check.numbers("controls", controls, "T N", dtype=np.float32)
        if self.rig is None:
            if not self.pose_channels:
                return given
            raise bad_argument("Synthesizer.poses", "rig", "unknown", "given to fit or load, to pose a skeleton")
        return ControlledMesh(self.rig, "Synthesizer.poses").poses(given)

    def route(self, start: str, end: str) -> list[str]:
        """Labels through which ``end`` is reached from ``start``, ends included.

        Each bridge within the threshold costs 1, any other its distance in thresholds: labels without matches are
        bridged through others, and a chain of good matches is better than one bad one.

        Raises
        ------
        ValueError
            If a label is unknown.
        """
        for name, label in (("start", start), ("end", end)):
            if label not in self.spaces:
                raise bad_argument("Synthesizer.route", name, shown(label), f"one of {', '.join(self.labels)}")
        return self.engine.route(start, end)

    def player(
        self,
        seed: int = 0,
        script: Script | None = None,
        *,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> Player:
        """One character that idles, moves, makes transitions and plays segments: see :class:`Player`."""
        return Player(self, seed, script, label=label, settings=settings)

    def crowd(
        self,
        count: int,
        seed: int = 0,
        *,
        scripts: Sequence[Script | None] | None = None,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> PlayerCrowd:
        """Many characters, stepped together: see :class:`PlayerCrowd`."""
        return PlayerCrowd(self, count, seed, scripts=scripts, label=label, settings=settings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file (kind ``synthesis``), atomically."""
        write(path, self._parts)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """For pickle and copy: tensors and metadata of the model's file, and the rig."""
        return _remade, (*to_tensors(self._parts), self.rig)

    def __repr__(self) -> str:
        frames = sum(map(len, self.spaces.values()))
        size = f"{len(self.labels)} labels, {frames:,} frames at {self.fps:g} per second"
        return f"<rigcast.synthesis.Synthesizer: {size}, {len(self.control_names)} controls>"

    def _shown_rows(self) -> dict[str, str]:
        """Rows of a notebook's table, one for each label: its frames, and how far held-out frames were missed."""
        rows = {name: str(self.metadata.get(name, "")) for name in ("name", "licence")}
        for label, space in self.spaces.items():
            judged = "" if space.held_out is None else f", {space.held_out.summary()}"
            rows[label] = f"{len(space)} frames{judged}"
        return rows


def _remade(tensors: dict[str, Any], metadata: dict[str, Any], rig: Any) -> Synthesizer:
    return Synthesizer(from_tensors(tensors, metadata), rig)
