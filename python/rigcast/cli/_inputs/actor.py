"""The actor of a capture: a face that is fitted to his neutral frames, and frames that an artist corrected."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from rigcast import capture
from rigcast.capture._detectors import of_count
from rigcast.capture._neutral import full_frames
from rigcast.capture._own_rig.identity import pairs_of, places_on
from rigcast.cli import _arguments as arguments
from rigcast.cli._overwrite import check_overwrite
from rigcast.cli._result import WrongInput

NOT_THE_ACTORS = "the points lie on --identity's face: --own-rig says that RIG is the actor's own already"


def add_identity(group: Any) -> None:
    """``--identity`` and what belongs to it."""
    group.add_argument(
        "--identity",
        metavar="FOLDER",
        type=arguments.existing,
        help="a copy of ICT-FaceKit: the actor's face is fitted to the neutral frame by its identities, the shapes of "
        "RIG are brought to it, and the shot is solved there",
    )
    group.add_argument(
        "--at-rest",
        metavar="FRAME",
        nargs="+",
        type=int,
        help="more frames of a face at rest for --identity, best with the head turned: they tell more of it",
    )


def fitted(
    args: argparse.Namespace, rig: Any, tracks: capture.Tracks, given: dict[str, Any]
) -> capture.ActorFit | None:
    """The actor's face with the character's shapes; ``given`` then says where the points lie on it.

    Parameters
    ----------
    args : Namespace
    rig : BlendshapeRig
        The character.
    tracks : Tracks
    given : dict
        Arguments of the solve, changed in place: ``landmarks``, ``focal``, ``settings``.
    """
    if args.identity is None:
        if args.at_rest is not None:
            raise WrongInput("--at-rest is about the face that --identity fits")
        return None
    if args.own_rig:
        raise WrongInput(NOT_THE_ACTORS)
    cast, on_rig = capture.ict_cast(args.identity), given["landmarks"]
    is_same = rig.num_vertices == cast.character.num_vertices
    on_face = places_on(cast, tracks, on_rig if is_same else None)
    if on_rig is None and not is_same:
        first = full_frames(tracks)[0] if args.neutral is None else args.neutral
        layout = of_count(tracks.points.shape[1])
        on_rig = capture.fit_places(
            rig, tracks.points[first], args.detector or (layout.name if layout else "mediapipe")
        )
    frames = [*([] if args.neutral is None else [args.neutral]), *(args.at_rest or [])]
    fit = capture.fit_actor(
        cast,
        tracks,
        on_face,
        neutral=frames or None,
        focal=args.focal,
        noise=args.point_noise,
        character=rig,
        pairs=None if is_same else pairs_of(on_rig, on_face),
    )
    given |= {"landmarks": fit.places, "focal": fit.focal, "settings": replace(given["settings"], offsets=False)}
    return fit


def own_face(args: argparse.Namespace) -> Path | None:
    """The file of the actor's face with his shapes, beside the first output; None where RIG alone is solved.

    Raises
    ------
    ValueError
        If it exists, and is not to be replaced.
    """
    if args.identity is None and args.corrected is None:
        return None
    first: Path = args.output[0]
    path = first.with_name(first.stem + ".actor.safetensors")
    check_overwrite([path], args.overwrite)
    return path


def keep_face(path: Path | None, rig: Any) -> tuple[str, ...]:
    """Write the face that was solved, and say so."""
    if path is None:
        return ()
    rig.save(path)
    return (f"the actor's face, of which rigcast capture report makes a page, is in {path}",)
