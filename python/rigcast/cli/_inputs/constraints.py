"""Options of ``rigcast solve`` that constrain the weights: bounds, pins, priors, symmetric pairs."""

from __future__ import annotations

import argparse

from rigcast.cli._arguments import existing_file


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
        help="weights (T, K) or (K,) as .npy, NaN where they are free; or an .npz of write_blendshape_weights or"
        " rigcast solve, whose names leave the other shapes free",
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
