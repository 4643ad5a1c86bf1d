"""What ``rigwright solve`` is told of the weights beforehand: bounds, pins, priors, symmetric pairs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._formats.npz.archive import Member, read_arrays
from rigwright._reading import read_json
from rigwright.cli._arguments import existing_file
from rigwright.cli._meshes import read_weights

Float64 = NDArray[np.float64]
PINS = (".npy", ".npz")
PRIORS = ("target", "strength")


def add_constraint_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that hold weights where an artist wants them."""
    group = parser.add_argument_group("the weights")
    group.add_argument(
        "--bounds", metavar=("LOW", "HIGH"), nargs=2, type=float, help="of all weights (default: the rig's)"
    )
    group.add_argument(
        "--pins",
        metavar="FILE",
        type=existing_file,
        help="weights (T, K) or (K,) as .npy, NaN where they are free; or an .npz of write_weights or rigwright solve,"
        " whose names leave the other shapes free",
    )
    group.add_argument(
        "--priors",
        metavar="FILE",
        type=existing_file,
        help="an .npz with the arrays target and strength, each a number, (K,) or (T, K):"
        " strength (weight - target)^2 is added to a frame's objective",
    )
    group.add_argument(
        "--symmetric",
        metavar="JSON",
        type=existing_file,
        help='pairs of shapes whose weights are equal: [["browLeft", "browRight"], ...]',
    )


def read_pins(path: Path, rig: Any, num_frames: int, bounds: Any) -> Any:
    """Pinned weights of the whole shot: what is wrong with its last frame is said before the first is solved.

    Raises
    ------
    ValueError
        Naming the file.
    """
    if path.suffix.lower() not in PINS:
        raise ValueError(f"{path}: no array of weights; its name must end in {' or '.join(PINS)}")
    pins = read_weights(path, rig, missing=np.nan)
    shape = (num_frames, rig.num_shapes)
    if pins.shape not in (shape, shape[1:]):
        raise ValueError(
            f"{path}: pins of shape {pins.shape}; the shot has {shape[0]:,} frames, the rig {shape[1]} shapes"
        )
    low, high = np.broadcast_to(rig.bounds if bounds is None else bounds, (rig.num_shapes, 2)).T
    outside = np.argwhere(np.atleast_2d((pins < low) | (pins > high)))
    if len(outside):
        t, k = outside[0]
        got = f"{np.atleast_2d(pins)[t, k]:g} for {rig.shape_names[k]} at frame {t}"
        raise ValueError(f"{path}: {got}, outside its bounds [{low[k]:g}, {high[k]:g}]")
    return pins


def read_priors(path: Path, rig: Any, num_frames: int) -> tuple[Float64, Float64]:
    """Targets and strengths of the weights.

    Raises
    ------
    ValueError
        Naming the file.
    """
    try:
        found = read_arrays(path, dict.fromkeys(PRIORS, Member("fiu", None)), "priors")
    except ValueError as error:
        raise ValueError(f"{path}: no .npz of priors ({str(error).removeprefix('priors: ')})") from None
    if set(found) != set(PRIORS):
        raise ValueError(f"{path}: holds {', '.join(sorted(found)) or 'nothing'}; priors are target and strength")
    found = {name: array.astype(np.float64) for name, array in found.items()}
    shape = (num_frames, rig.num_shapes)
    for name, array in found.items():
        if array.shape not in ((), shape[1:], shape):
            raise ValueError(
                f"{path}: {name} of shape {array.shape}; the shot has {shape[0]:,} frames, the rig {shape[1]} shapes"
            )
        if not np.isfinite(array).all() or (name == "strength" and (array < 0).any()):
            must = "finite and at least 0" if name == "strength" else "finite"
            raise ValueError(f"{path}: {name} must be {must} everywhere")
    return found["target"], found["strength"]


def read_pairs(path: Path, rig: Any) -> list[tuple[str, str]]:
    """Pairs of names of the rig's shapes.

    Raises
    ------
    ValueError
        Naming the file.
    """
    pairs = read_json(path)
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in pairs
    ):
        raise ValueError(f'{path}: no list [["shape", "shape"], ...]')
    names = [name for pair in pairs for name in pair]
    unknown = sorted(set(names) - set(rig.shape_names))
    if unknown:
        raise ValueError(f"{path}: {unknown[0]!r} is no shape of the rig ({', '.join(rig.shape_names)[:200]})")
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: {max(names, key=names.count)!r} is in two pairs, or beside itself")
    return [(left, right) for left, right in pairs]
