"""Layers over what a synthesizer plays: blinks, gaze and sway, each a function of time and seed alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._safe_reading import errors_naming, read_settings
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown

MASK = 2**64 - 1  # the largest seed
Float64 = NDArray[np.float64]
AnyLayer = TypeVar("AnyLayer", bound="Layer")


@one_line
@dataclass(frozen=True, kw_only=True)
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
        check = Arguments(type(self).__name__)
        check.names("name", [self.name])
        check.number("strength", self.strength)
        check.whole("seed", self.seed, most=MASK)
        if self.frozen_at is not None:
            check.number("frozen_at", self.frozen_at)
        if type(self) is not Layer:
            self._check(check)
            self.engine()

    def amounts(self) -> list[Mapping[str, float]]:
        """Amount per control of each value of :meth:`values`."""
        raise NotImplementedError

    def values(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """(H, T, n) values of H players at T times, about 1 in size, as if the layer never stood still."""
        return replace(self, frozen_at=None).at(seconds, seeds)

    def at(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """:meth:`values`, but for what is frozen."""
        return np.asarray(self.engine().values(seconds, seeds))

    def frozen(self: AnyLayer, seconds: float) -> AnyLayer:
        """The same layer, standing still from a time on as it is then."""
        return replace(self, frozen_at=seconds)

    def engine(self) -> _core.PlayLayer:
        """The same for the engine, which checks the ranges."""
        return _core.PlayLayer(
            kind=type(self).__name__.lower(),
            name=self.name,
            strength=self.strength,
            seed=self.seed,
            frozen_at=self.frozen_at,
            amounts=[list(part.items()) for part in self.amounts()],
            **self._rates(),
        )

    def _check(self, check: Arguments) -> None:
        """Check the types of what a kind of layer adds."""

    def _rates(self) -> dict[str, float]:
        """Numbers of a kind of layer, as the engine names them."""
        return {}


def _amounts(check: Arguments, argument: str, given: object) -> None:
    if not isinstance(given, Mapping):
        raise check.wrong(argument, f"a {type(given).__name__}", "a mapping from names of controls to amounts")
    for control, amount in given.items():
        check.number(f"{argument}[{control!r}]", amount)


@one_line
@dataclass(frozen=True, kw_only=True)
class Blinks(Layer):
    """Blinks: one at a random moment of each interval.

    Attributes
    ----------
    controls : mapping from name to amount
        Amount at closed lids.
    per_minute : float
    length : float
        Seconds of a blink; two fifths of it close.

    Examples
    --------
    >>> blinks = rc.synthesis.Blinks(controls={"eyeBlink_L": 1.0, "eyeBlink_R": 1.0}, per_minute=12)
    >>> round(float(blinks.values(np.arange(0, 60, 1 / 24), np.array([7], np.uint64)).max()), 1)
    1.0
    """

    name: str = "blinks"
    controls: Mapping[str, float] = field(default_factory=dict)
    per_minute: float = 15.0
    length: float = 0.25

    def amounts(self) -> list[Mapping[str, float]]:
        """One value, the closure of the lids from 0 to 1."""
        return [self.controls]

    def _check(self, check: Arguments) -> None:
        _amounts(check, "controls", self.controls)
        check.number("per_minute", self.per_minute)
        check.number("length", self.length)

    def _rates(self) -> dict[str, float]:
        return {"per_minute": self.per_minute, "length": self.length}


@one_line
@dataclass(frozen=True, kw_only=True)
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

    def _check(self, check: Arguments) -> None:
        _amounts(check, "horizontal", self.horizontal)
        _amounts(check, "vertical", self.vertical)
        check.number("per_minute", self.per_minute)
        check.number("jump", self.jump)

    def _rates(self) -> dict[str, float]:
        return {"per_minute": self.per_minute, "length": self.jump}


@one_line
@dataclass(frozen=True, kw_only=True)
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

    def _check(self, check: Arguments) -> None:
        _amounts(check, "controls", self.controls)
        check.number("timescale", self.timescale)

    def _rates(self) -> dict[str, float]:
        return {"timescale": self.timescale}


KINDS: dict[str, type[Layer]] = {"blinks": Blinks, "gaze": Gaze, "sway": Sway}


def load_layers(path: str | os.PathLike[str]) -> list[Layer]:
    """Read layers from JSON: ``[{"kind": "blinks", "controls": {"eyeBlinkLeft": 1.0}, "per_minute": 12}]``.

    Kinds are ``blinks`` (:class:`Blinks`), ``gaze`` (:class:`Gaze`) and ``sway`` (:class:`Sway`), whose arguments are
    the other entries.

    Raises
    ------
    ValueError
        If it is no such file.
    FileNotFoundError
    """
    content = read_settings("load_layers", "path", path, "a list of layers")
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise bad_argument("load_layers", "path", f"{str(path)!r}, no list of objects", "a list of layers", path)
    with errors_naming(path):
        return [_layer(index, entry) for index, entry in enumerate(content)]


def _layer(index: int, entry: dict[str, Any]) -> Layer:
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise bad_argument("load_layers", f"[{index}].kind", shown(kind), f"one of {', '.join(KINDS)}")
    known = {f.name for f in fields(KINDS[kind])}
    given = {key: value for key, value in entry.items() if key != "kind"}
    if unknown := sorted(set(given) - known):
        expected = f"one of {', '.join(sorted(known))}"
        raise bad_argument("load_layers", f"[{index}].{unknown[0]}", "no argument", expected)
    return KINDS[kind](**given)
