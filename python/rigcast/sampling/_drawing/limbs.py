"""Rows in which each limb of a control rig is posed by FK or by IK, and IK targets stay within reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.sampling._drawing.clips import Clips, drawn_clips
from rigcast.sampling._drawing.samplers import Sampler
from rigcast.sampling._drawing.stream import Stream

MOVED_BY = ("rotation_", "location_", "scale_")  # how the channels of a bone go on after its name


@dataclass(frozen=True)
class SwitchedLimb:
    """The columns of a limb.

    Attributes
    ----------
    fk, ik : tuples of int
    switch : int or float
        The column that chooses between the two; a float is its value where it is no channel.
    fk_at, ik_at : float
        Its values at which FK poses the limb, and IK.
    """

    fk: tuple[int, ...]
    ik: tuple[int, ...]
    switch: int | float
    fk_at: float
    ik_at: float


@dataclass(frozen=True)
class Shell:
    """The shell that an IK target can go to: its location's columns, its axes and its offset from the limb's root,
    the distances from there."""

    columns: tuple[int, ...]
    axes: tuple[tuple[float, ...], ...]
    offset: tuple[float, ...]
    least: float
    most: float

    def pulled(self, locations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locations (T, 3), those outside moved along the line to the limb's root."""
        axes, offset = np.array(self.axes), np.array(self.offset)
        away = offset + locations @ axes.T
        far = np.linalg.norm(away, axis=1, keepdims=True)
        inside = away * (np.clip(far, self.least, self.most) / np.maximum(far, 1e-12))
        return np.where((far < self.least) | (far > self.most), (inside - offset) @ axes, locations)


@dataclass(frozen=True, eq=False)
class PosedLimbs:
    """The rows of another sampler with each limb posed by FK or IK alone, where its switch is at an end: the controls
    of the other set rest.

    Parameters
    ----------
    sampler : Sampler
    limbs : tuple of SwitchedLimb
    shells : tuple of Shell
    """

    sampler: Sampler
    limbs: tuple[SwitchedLimb, ...]
    shells: tuple[Shell, ...] = ()

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        rows = self.sampler.draw(ranges, rest, count, stream)
        for limb in self.limbs:
            switch = rows[:, limb.switch] if isinstance(limb.switch, int) else np.full(len(rows), limb.switch)
            for idle, at in ((limb.ik, limb.fk_at), (limb.fk, limb.ik_at)):
                rows[np.ix_(switch == at, idle)] = rest[list(idle)]
        for shell in self.shells:
            columns = list(shell.columns)
            rows[:, columns] = np.clip(shell.pulled(rows[:, columns]), ranges[columns, 0], ranges[columns, 1])
        return rows

    def clips_of(self, count: int, stream: Stream) -> Clips:
        """The clips of the rows that :meth:`draw` gives."""
        return drawn_clips(self.sampler, count, stream)

    def settings(self) -> dict[str, object]:
        """``{"kind": "limbs", "limbs": [...], "shells": [...], "sampler": {...}}``."""
        limbs = [[list(limb.fk), list(limb.ik), limb.switch, limb.fk_at, limb.ik_at] for limb in self.limbs]
        shells = [[list(s.columns), [list(a) for a in s.axes], list(s.offset), s.least, s.most] for s in self.shells]
        return {"kind": "limbs", "limbs": limbs, "shells": shells, "sampler": self.sampler.settings()}


def posed_limbs(rig: Any, sampler: Sampler) -> Sampler:
    """A sampler with the limbs of a rig posed by FK or IK; the sampler itself for a rig without such limbs."""
    limbs, shells = tuple(_limbs(rig)), tuple(_shells(rig))
    return PosedLimbs(sampler, limbs, shells) if limbs or shells else sampler


def _limbs(rig: Any) -> Iterator[SwitchedLimb]:
    names = list(rig.channel_names)
    sets = getattr(rig, "control_sets", None)
    for limb in sets.limbs if sets is not None else ():
        fk, ik = (_columns(names, bones) for bones in (limb.fk, limb.ik))
        switch = names.index(limb.switch) if limb.switch in names else rig.held.get(limb.switch)
        if switch is not None and (fk or ik):
            yield SwitchedLimb(fk, ik, switch, limb.fk_at, limb.ik_at)


def _shells(rig: Any) -> Iterator[Shell]:
    """Of the targets whose locations nobody else gave a range."""
    names = list(rig.channel_names)
    for reach in getattr(rig, "reaches", []):
        locations = [f"{reach.target}.location_{axis}" for axis in "xyz"]
        if all(name in names and rig.range_origins[names.index(name)] == "people" for name in locations):
            axes = tuple(tuple(row) for row in reach.axes.tolist())
            columns = tuple(names.index(name) for name in locations)
            yield Shell(columns, axes, tuple(reach.offset.tolist()), reach.least, reach.most)


def _columns(names: list[str], bones: tuple[str, ...]) -> tuple[int, ...]:
    found = ((column, *name.rpartition(".")) for column, name in enumerate(names))
    return tuple(column for column, bone, _, rest in found if bone in bones and rest.startswith(MOVED_BY))
