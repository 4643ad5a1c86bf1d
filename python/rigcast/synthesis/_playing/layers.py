"""Layers over what a synthesizer plays: blinks, gaze and sway, each a function of time and seed alone."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._safe_reading import errors_naming, read_settings
from rigcast._validate import Arguments, bad_argument, shown

MASK = 2**64 - 1  # the largest seed
SHORTEST_TIMESCALE = 1e-3  # seconds: memory and time of a frame grow with its number of timescales
Float64 = NDArray[np.float64]
AnyLayer = TypeVar("AnyLayer", bound="Layer")


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
        check.number("strength", self.strength, least=0.0, most=1e6)
        check.whole("seed", self.seed, most=MASK)
        if self.frozen_at is not None:
            check.number("frozen_at", self.frozen_at, least=0.0, most=1e9)
        self._check(check)

    def amounts(self) -> list[Mapping[str, float]]:
        """Amount per control of each value of :meth:`values`."""
        raise NotImplementedError

    def values(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """(H, T, n) values of H players at T times, about 1 in size."""
        raise NotImplementedError

    def at(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """:meth:`values`, but for what is frozen."""
        return self.values(seconds if self.frozen_at is None else np.minimum(seconds, self.frozen_at), seeds)

    def frozen(self: AnyLayer, seconds: float) -> AnyLayer:
        """The same layer, standing still from a time on as it is then."""
        return replace(self, frozen_at=seconds)

    def _check(self, check: Arguments) -> None:
        """Check what a kind of layer adds."""

    @staticmethod
    def _since(
        seconds: Float64, seeds: NDArray[np.uint64], interval: float, length: float
    ) -> tuple[Float64, NDArray[np.int64]]:
        """(H, T) seconds since the event of each interval, one at a random moment, and the numbers of intervals.

        Each player's intervals begin at a moment of its own: common ones would leave moments without any event.
        """
        shifted = seconds + interval * _core.uniform_numbers(seeds, 1, np.zeros(1, np.int64))
        number = np.floor(shifted / interval).astype(np.int64)
        begin = number * interval + (interval - length) * _drawn(seeds, 0, number)
        return shifted - begin, number

    def _seeds(self, seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
        own = (self.seed * 0x9E3779B97F4A7C15 + zlib.crc32(self.name.encode())) & MASK
        mixed = [(int(seed) * 0xBF58476D1CE4E5B9 + own) & MASK for seed in seeds]
        return np.array(mixed, np.uint64)


def _drawn(seeds: NDArray[np.uint64], channel: int, places: NDArray[np.int64]) -> Float64:
    """(H, T) uniform numbers at places (H, T)."""
    if not places.size:
        return np.zeros(places.shape)
    first = int(places.min())
    table = _core.uniform_numbers(seeds, channel, np.arange(first, int(places.max()) + 1))
    return np.asarray(np.take_along_axis(table, places - first, axis=1))


def _amounts(check: Arguments, argument: str, given: object) -> None:
    if not isinstance(given, Mapping):
        raise check.wrong(argument, f"a {type(given).__name__}", "a mapping from names of controls to amounts")
    for control, amount in given.items():
        check.number(f"{argument}[{control!r}]", amount, least=-1e6, most=1e6)


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

    def _check(self, check: Arguments) -> None:
        _amounts(check, "controls", self.controls)
        check.number("per_minute", self.per_minute, above=0.0, most=600.0)
        check.number("length", self.length, above=0.0, most=30.0 / self.per_minute)

    def amounts(self) -> list[Mapping[str, float]]:
        """One value, the closure of the lids."""
        return [self.controls]

    def values(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """(H, T, 1) closure from 0 to 1."""
        place = self._since(seconds, self._seeds(seeds), 60.0 / self.per_minute, self.length)[0] / self.length
        rising, falling = np.clip(place / 0.4, 0.0, 1.0), np.clip((1.0 - place) / 0.6, 0.0, 1.0)
        shape = np.minimum(rising, falling)
        return np.asarray((shape**2 * (3.0 - 2.0 * shape))[..., None])


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

    def _check(self, check: Arguments) -> None:
        _amounts(check, "horizontal", self.horizontal)
        _amounts(check, "vertical", self.vertical)
        check.number("per_minute", self.per_minute, above=0.0, most=600.0)
        check.number("jump", self.jump, above=0.0, most=30.0 / self.per_minute)

    def amounts(self) -> list[Mapping[str, float]]:
        """Two values, from -1 to 1."""
        return [self.horizontal, self.vertical]

    def values(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """(H, T, 2) directions."""
        mixed = self._seeds(seeds)
        since, interval = self._since(seconds, mixed, 60.0 / self.per_minute, self.jump)
        place = np.clip(since / self.jump, 0.0, 1.0)
        share = place**2 * (3.0 - 2.0 * place)
        axes = []
        for channel in (2, 3):
            before, after = (2.0 * _drawn(mixed, channel, interval + n) - 1.0 for n in (-1, 0))
            axes.append(before + share * (after - before))
        return np.stack(axes, axis=-1)


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

    def _check(self, check: Arguments) -> None:
        _amounts(check, "controls", self.controls)
        check.number("timescale", self.timescale, least=SHORTEST_TIMESCALE, most=1e6)

    def amounts(self) -> list[Mapping[str, float]]:
        """One value per control."""
        return [{control: amount} for control, amount in self.controls.items()]

    def values(self, seconds: Float64, seeds: NDArray[np.uint64]) -> Float64:
        """(H, T, k) draws of Gaussian processes in time."""
        count = len(self.controls)
        draws = [_core.smooth_noise(int(seed), count, seconds, self.timescale) for seed in self._seeds(seeds)]
        return np.array(draws).reshape(len(seeds), len(seconds), count)


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
