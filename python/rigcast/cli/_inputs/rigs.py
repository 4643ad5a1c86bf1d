"""Opening the rig that a command names."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

from rigcast._formats.registry import RIG, first_endings, takers
from rigcast._rigs.source_notes import opened
from rigcast.cli._arguments import degrees_or_source, existing_file, unit
from rigcast.cli._result import WrongInput

Ranges = dict[str, tuple[float, float]]

# Options of commands that are arguments of the opener; the registry says for which formats.
OPTIONS = ("mesh", "armature", "limits", "ranges", "blender", "hold", "free", "run_scripts")
GLTF_TURNS = (".rx", ".ry", ".rz")  # how the names of a glTF rig's rotations end


def _files(option: str) -> str:
    return first_endings(RIG, option)


def add_rig_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that say how a rig file is opened."""
    group = parser.add_argument_group("the rig")
    group.add_argument(
        "--mesh",
        metavar="NAME",
        action="append",
        help=f"a mesh to take; may be repeated ({_files('mesh')}; default: all that one armature, or one skin, moves)",
    )
    group.add_argument(
        "--armature", metavar="NAME", help=f"the armature, if the file holds several ({_files('armature')})"
    )
    group.add_argument(
        "--limits", metavar="FILE", type=existing_file, help=f"channel ranges as JSON ({_files('limits')})"
    )
    group.add_argument(
        "--ranges",
        metavar="DEGREES",
        type=degrees_or_source,
        help=f"joints without limits turn so far either way ({_files('ranges')}); actions: as far as the file's own; "
        "people: controls of a control rig as far as joints of people (.blend); default: what the model or the data "
        "set was sampled with, if one is given; else of a control rig without limits its actions, or people",
    )
    add_run_scripts(group)
    group.add_argument(
        "--blender",
        metavar="PROGRAM",
        help=f"a Blender program, or a Python that has bpy; default the bpy wheel ({_files('blender')})",
    )
    group.add_argument(
        "--meters-per-unit",
        metavar="UNIT",
        type=unit,
        help="of the rig, whatever its file states: mm, cm, dm, m, in, ft or meters; its numbers stay",
    )
    group.add_argument(
        "--dials-only",
        action="store_true",
        help="poses are the dials alone: joints are no inputs, and what turns them is held at rest; default: as the "
        "model or the data set was made, if one is given",
    )


def add_run_scripts(parser: argparse._ActionsContainer) -> None:
    """``--run-scripts``, with the same words in every command."""
    parser.add_argument(
        "--run-scripts",
        action="store_const",
        const=True,
        help=f"run Python that is stored in the file, as drivers ({_files('run_scripts')}): only for files that you "
        "trust",
    )


def add_hold_arguments(parser: argparse.ArgumentParser) -> None:
    """``--hold`` and ``--free``: what stays as saved, and what does not after all."""
    group = parser.add_argument_group(f"what stays as saved ({_files('hold')})")
    group.add_argument(
        "--hold",
        metavar="NAME",
        action="append",
        help="a channel that stays as saved, or a pattern such as 'torso.*'; may be repeated",
    )
    group.add_argument(
        "--free",
        metavar="NAME",
        action="append",
        help="a setting of a control rig that is a channel after all, or a pattern such as '*.IK_Stretch'; may be "
        "repeated",
    )


def ranges_of(learned: Any) -> Ranges:
    """The channels of a model or a data set with their ranges, as the rig had them that it was sampled from."""
    if hasattr(learned, "channels") and not hasattr(learned, "channel_ranges"):
        return {channel.name: (channel.low, channel.high) for channel in learned.channels}
    return {name: (low, high) for name, (low, high) in zip(learned.channel_names, learned.channel_ranges, strict=True)}


@contextlib.contextmanager
def opened_rig(
    args: argparse.Namespace, path: Any, learned: Any = None, *, needs_channels: bool = True
) -> Iterator[Any]:
    """The rig of a file, closed afterwards.

    Parameters
    ----------
    args : Namespace
    path : Path
    learned : Deformer or Dataset, optional
        Of this rig. Its ranges are taken unless ``--ranges`` or ``--limits`` are given; if it has no joints, the rig
        is opened by its dials alone.
    needs_channels : bool
        Whether a file with nothing to turn is refused.

    Raises
    ------
    ValueError
        If the file is not a rig, an option does not apply to its format, or ``--dials-only`` is given for a rig
        without dials.
    """
    from rigcast import sources

    options: dict[str, Any] = {name: getattr(args, name, None) for name in OPTIONS}
    given = {name: value for name, value in options.items() if value is not None}
    suffix = path.suffix.lower()
    for name in given:
        if suffix not in takers(RIG, name):
            raise WrongInput(f"--{name.replace('_', '-')} does not apply to {suffix or 'such'} files")
    known = {} if learned is None or {"ranges", "limits"} & given.keys() else _as_learned(suffix, ranges_of(learned))
    try:
        rig = sources.load(path, **known | given)
    except ValueError:
        if not known:
            raise
        rig = sources.load(path, **given)  # another character: whoever compares it with the model says so
    if getattr(args, "meters_per_unit", None) is not None:
        rig.meters_per_unit = args.meters_per_unit  # type: ignore[attr-defined]  # which a rig may state
    try:
        if needs_channels and not list(rig.channel_names):
            raise WrongInput(
                f"{path} holds nothing to turn: no bone, shape key or property with a range moves its mesh; sampling "
                "needs a rig"
            )
        yield opened(path, sources.dials_only(rig)) if _wants_dials_only(args, rig, learned) else rig
    finally:
        close = getattr(rig, "close", None)
        if close is not None:
            close()


def _wants_dials_only(args: argparse.Namespace, rig: Any, learned: Any) -> bool:
    """True if poses are the dials alone: asked for, or because the model or data set was made without joints."""
    if args.dials_only:
        return True
    if learned is None or learned.skeleton is not None or getattr(rig, "skeleton", None) is None:
        return False
    dials = set(rig.dial_names) & set(rig.channel_names)
    return bool(dials) and (dials == set(rig.channel_names) or dials == set(ranges_of(learned)))


def _as_learned(suffix: str, known: Ranges) -> dict[str, Any]:
    """Options that open a rig with the channels it was sampled with."""
    if not known or suffix not in takers(RIG, "ranges"):
        return {}
    if suffix in takers(RIG, "limits"):
        return {"limits": {name: ends for name, ends in known.items() if ends[0] < ends[1]}, "hold": "*"}
    turns = {bounds for name, bounds in known.items() if name[-3:] in GLTF_TURNS}
    (low, high), *others = turns or {(0.0, 0.0)}
    return {"ranges": high} if high > 0 and low == -high and not others else {}
