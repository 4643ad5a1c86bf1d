"""``--read``: weights and landmarks that a network reads in the pictures of a shot."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from rigcast import capture
from rigcast._atomic_files import atomic_npz
from rigcast.capture._network.solve_read import OWN_SHAPES
from rigcast.cli import _arguments as arguments
from rigcast.cli._overwrite import check_overwrite
from rigcast.cli._result import WrongInput

PACKAGED = Path()  # stands for the network of the package
USES = {
    "both": capture.ReadingUse(),
    "weights": capture.ReadingUse(landmarks="none"),
    "landmarks": capture.ReadingUse(prior=0.0),
}


def add_arguments(group: Any) -> None:
    """Options of a network."""
    group.add_argument(
        "--read",
        metavar="NETWORK",
        nargs="?",
        type=arguments.existing_file,
        const=PACKAGED,
        help="read weights and landmarks in the pictures with a network of rigcast capture train (default: the "
        "package's own, of the ICT face's shapes); needs a video or --pictures",
    )
    group.add_argument(
        "--read-for",
        choices=list(USES),
        help="use what was read as priors of the weights, as landmarks beside the points, or as both (default)",
    )
    group.add_argument(
        "--read-map",
        metavar="JSON",
        type=arguments.existing_file,
        help="vertices of the network's landmarks, as --map (default: found, if they are 68 or as many as the points)",
    )


def network_of(args: argparse.Namespace, seen: Path | None) -> capture.CaptureNetwork | None:
    """The network of ``--read``, if it is given.

    Raises
    ------
    ValueError
        For options that need other input, and for a result that is there already.
    """
    if args.read is None:
        for name in ("read_for", "read_map"):
            if getattr(args, name) is not None:
                raise WrongInput(f"--{name.replace('_', '-')} is about what --read reads")
        return None
    if seen is None:
        raise WrongInput("--read needs a video, or the --pictures of the points")
    check_overwrite([joined_points(args)], args.overwrite)
    return capture.load_network(None if args.read == PACKAGED else args.read)


def joined_points(args: argparse.Namespace) -> Path:
    """The file of the points that are solved, with those that were read."""
    first: Path = args.output[0]
    return first.with_name(first.stem + ".read.npz")


def solve(
    network: capture.CaptureNetwork,
    args: argparse.Namespace,
    rig: Any,
    found: capture.Capture,
    pictures: capture.Pictures,
    tracks: capture.Tracks,
    given: dict[str, Any],
) -> capture.ReadCapture:
    """Read the pictures beside the neutral of a capture, and solve again with what was read."""
    landmarks = None if args.read_map is None else capture.load_places(args.read_map, rig, network.num_landmarks)
    reading = network.read(pictures, tracks, int(found.neutral[0]))
    use = USES[args.read_for or "both"]
    if args.corrected is not None:
        use = replace(use, prior=min(use.prior, OWN_SHAPES))
    read = capture.solve_read(
        rig,
        found,
        reading,
        points=tracks,
        landmarks=landmarks,
        use=use,
        fixed=given["fixed"],
        priors=given["priors"],
        settings=given["settings"],
    )
    if read.tracks.points.shape == tracks.points.shape:
        return read
    file, joined = joined_points(args), read.tracks
    size = {} if joined.size is None else {"size": joined.size}
    atomic_npz(file, {"points": joined.points, "certainty": joined.certainty, "fps": joined.fps, **size})
    notes = (*read.found.notes, f"all points, those of the network last, are in {file}")
    return replace(read, found=replace(read.found, notes=notes))
