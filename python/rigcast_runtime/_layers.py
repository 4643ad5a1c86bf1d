"""Layers over what a synthesizer plays: blinks, gaze and sway, each a function of time and seed alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ._arrays import number, seed_of
from ._library import bad_argument
from ._structures import CLayer, listed


@dataclass(frozen=True)
class Layer:
    """Controls with a life of their own, added to what the clips do to them.

    A layer is a function of time and of the player's seed: it is never out of step after a restart, and no two
    players of different seeds agree but by chance.

    Attributes
    ----------
    name : str
        By which :meth:`Player.step` leaves it out.
    strength : float
        Factor of all amounts; 0 switches it off.
    seed : int
    frozen_at : float, optional
        Seconds at which the layer stands still.
    """

    name: str = "layer"
    strength: float = 1.0
    seed: int = 0
    frozen_at: float | None = None

    def __post_init__(self) -> None:
        kind = type(self).__name__
        if not isinstance(self.name, str) or not self.name:
            raise bad_argument(kind, "name", repr(self.name), "a name")
        number(kind, "strength", self.strength, least=0.0)
        seed_of(kind, self.seed)
        if self.frozen_at is not None:
            number(kind, "frozen_at", self.frozen_at, least=0.0)
        for name, value in vars(self).items():
            if isinstance(getattr(type(self), name, None), float) and name != "frozen_at":
                number(kind, name, value)

    def amounts(self) -> list[Mapping[str, float]]:
        """Amount per control of each value of the layer."""
        raise NotImplementedError

    def frozen(self, seconds: float) -> Any:
        """The same layer, standing still from a time on as it is then."""
        return replace(self, frozen_at=seconds)

    def _rates(self) -> dict[str, float]:
        return {}

    def _structure(self) -> Any:
        """The same for the library."""
        parts: list[Any] = list(self.amounts())
        for part in parts:
            if not isinstance(part, Mapping):
                expected = "a mapping from names of controls to amounts"
                raise bad_argument(type(self).__name__, "controls", f"a {type(part).__name__}", expected)
        names = sorted({name for part in parts for name in part}, key=[n for part in parts for n in part].index)
        rows = np.array([[float(part.get(name, 0.0)) for name in names] for part in parts], np.float64)
        amounts = rows[:1] if isinstance(self, Gaze) else rows.sum(axis=0)[None] if len(rows) else np.zeros((1, 0))
        made = CLayer(
            kind=type(self).__name__.lower().encode(),
            name=self.name.encode("utf-8", "replace"),
            seed=self.seed,
            strength=self.strength,
            frozen_at=-1.0 if self.frozen_at is None else self.frozen_at,
            count=len(names),
            **self._rates(),
        )
        kept = [np.ascontiguousarray(amounts), rows[1:].copy()]
        made.controls, made.kept = listed(names), kept
        made.amounts = kept[0].ctypes.data
        made.vertical = kept[1].ctypes.data if isinstance(self, Gaze) else None
        return made


@dataclass(frozen=True)
class Blinks(Layer):
    """Blinks: one at a random moment of each interval.

    Attributes
    ----------
    controls : mapping from name to amount
        Amount at closed lids.
    per_minute : float
    length : float
        Seconds of a blink; two fifths of it close.
    """

    name: str = "blinks"
    controls: Mapping[str, float] = field(default_factory=dict)
    per_minute: float = 15.0
    length: float = 0.25

    def amounts(self) -> list[Mapping[str, float]]:
        """One value, the closure of the lids from 0 to 1."""
        return [self.controls]

    def _rates(self) -> dict[str, float]:
        return {"per_minute": self.per_minute, "length": self.length}


@dataclass(frozen=True)
class Gaze(Layer):
    """Eyes that look about: they rest, and jump to a new direction.

    Attributes
    ----------
    horizontal, vertical : mapping from name to amount
        Amount at the farthest look to one side; negative for controls of the other side.
    per_minute : float
        Jumps.
    jump : float
        Seconds of a jump.
    """

    name: str = "gaze"
    horizontal: Mapping[str, float] = field(default_factory=dict)
    vertical: Mapping[str, float] = field(default_factory=dict)
    per_minute: float = 40.0
    jump: float = 0.08

    def amounts(self) -> list[Mapping[str, float]]:
        """Two values, directions from -1 to 1."""
        return [self.horizontal, self.vertical]

    def _rates(self) -> dict[str, float]:
        return {"per_minute": self.per_minute, "length": self.jump}


@dataclass(frozen=True)
class Sway(Layer):
    """Slow smooth motion of each control by itself, as of a head.

    Attributes
    ----------
    controls : mapping from name to amount
        Standard deviation.
    timescale : float
        Seconds in which the motion changes, at least a millisecond.
    """

    name: str = "sway"
    controls: Mapping[str, float] = field(default_factory=dict)
    timescale: float = 1.5

    def amounts(self) -> list[Mapping[str, float]]:
        """One value per control, a draw of a Gaussian process in time."""
        return [{control: amount} for control, amount in self.controls.items()]

    def _rates(self) -> dict[str, float]:
        return {"timescale": self.timescale}


KINDS = {"blinks": Blinks, "gaze": Gaze, "sway": Sway}
