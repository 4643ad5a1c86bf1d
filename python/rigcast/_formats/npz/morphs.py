"""Morphs of the ``.npz`` rig: their drivers, and the factors of correctives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member
from rigcast._rigs.description import Factor, Morph
from rigcast._validate import Arguments, bad_argument

Arrays = dict[str, NDArray[Any]]

MORPHS = {
    "morph_names": Member("U", ("M",)),
    "morph_offsets": Member("iu", ("M+1",)),
    "morph_vertices": Member("iu", ("P",)),
    "morph_deltas": Member("f", ("P", 3)),
    "morph_constants": Member("fiu", ("M",)),
    "morph_clamps": Member("fiu", ("M", 2)),
}
DRIVERS = {
    "driver_morphs": Member("iu", ("D",)),
    "driver_channels": Member("iu", ("D",)),
    "driver_slopes": Member("fiu", ("D",)),
}
FACTORS = {
    "factor_morphs": Member("iu", ("E",)),
    "factor_channels": Member("iu", ("E",)),
    "factor_tents": Member("f", ("E", 3)),
}


def read_morphs(arrays: Arrays) -> list[Morph]:
    if "morph_names" not in arrays:
        for name in ("driver_morphs", "factor_morphs"):
            if name in arrays:
                raise bad_argument("load_npz_rig", name, "given without morphs", f"beside {', '.join(MORPHS)}")
        return []
    names, rows = texts(arrays, "morph_names"), len(arrays["morph_vertices"])
    offsets = _indices(arrays, "morph_offsets", rows + 1, str(len(names) + 1))
    if (np.diff(offsets) < 0).any() or offsets[0] != 0 or offsets[-1] != rows:
        raise bad_argument("load_npz_rig", "morph_offsets", "not rising from 0 to P", f"ascending from 0 to {rows}")
    drivers, factors = _drivers(arrays, len(names)), _factors(arrays, len(names))
    constants = arrays["morph_constants"].astype(np.float64).tolist()
    clamps = arrays["morph_clamps"].astype(np.float64).tolist()
    return [
        Morph(
            name,
            arrays["morph_vertices"][offsets[m] : offsets[m + 1]],
            arrays["morph_deltas"][offsets[m] : offsets[m + 1]],
            drivers=tuple(drivers[m]),
            constant=constants[m],
            clamp=(clamps[m][0], clamps[m][1]),
            factors=tuple(factors[m]),
        )
        for m, name in enumerate(names)
    ]


def _drivers(arrays: Arrays, count: int) -> list[list[tuple[int, float]]]:
    result: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    if "driver_morphs" in arrays:
        morphs = _indices(arrays, "driver_morphs", count)
        channels = _channel_indices(arrays, "driver_channels")
        slopes = arrays["driver_slopes"].astype(np.float64)
        for morph, channel, slope in zip(morphs, channels.tolist(), slopes.tolist(), strict=True):
            result[morph].append((channel, slope))
    return result


def _factors(arrays: Arrays, count: int) -> list[list[Factor]]:
    result: list[list[Factor]] = [[] for _ in range(count)]
    if "factor_morphs" in arrays:
        morphs = _indices(arrays, "factor_morphs", count)
        channels = _channel_indices(arrays, "factor_channels").tolist()
        tents = arrays["factor_tents"].astype(np.float64).tolist()
        for morph, channel, (x1, x2, x3) in zip(morphs, channels, tents, strict=True):
            result[morph].append((channel, (x1, x2, x3) if x1 or x2 or x3 else None))
    return result


def _channel_indices(arrays: Arrays, name: str) -> NDArray[np.int32]:
    return _indices(arrays, name, len(arrays["channel_names"]) if "channel_names" in arrays else 0)


def _indices(arrays: Arrays, name: str, below: int, count: str = "n") -> NDArray[np.int32]:
    return Arguments("load_npz_rig").integers(name, arrays[name], count, below=below, dtype=np.int32)


def texts(arrays: Arrays, name: str) -> list[str]:
    return [str(text) for text in arrays[name].tolist()]


def morph_arrays(morphs: tuple[Morph, ...]) -> Arrays:
    factors = [
        (m, channel, tent or (0.0, 0.0, 0.0)) for m, morph in enumerate(morphs) for channel, tent in morph.factors
    ]
    correctives: Arrays = {
        "factor_morphs": np.array([m for m, _, _ in factors], np.int32),
        "factor_channels": np.array([channel for _, channel, _ in factors], np.int32),
        "factor_tents": np.array([tent for _, _, tent in factors], np.float64),
    }
    drivers = [(m, channel, slope) for m, morph in enumerate(morphs) for channel, slope in morph.drivers]
    return {
        "morph_names": np.array([morph.name for morph in morphs]),
        "morph_offsets": np.cumsum([0, *(len(morph.vertices) for morph in morphs)]),
        "morph_vertices": np.concatenate([morph.vertices for morph in morphs]),
        "morph_deltas": np.concatenate([morph.deltas for morph in morphs]),
        "morph_constants": np.array([morph.constant for morph in morphs], np.float64),
        "morph_clamps": np.array([morph.clamp for morph in morphs], np.float64),
        "driver_morphs": np.array([m for m, _, _ in drivers], np.int32),
        "driver_channels": np.array([channel for _, channel, _ in drivers], np.int32),
        "driver_slopes": np.array([slope for _, _, slope in drivers], np.float64),
        **(correctives if factors else {}),
    }
