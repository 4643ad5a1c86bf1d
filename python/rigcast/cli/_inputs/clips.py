"""Clips and materials of a file that the live view shows, and clips of a file of motion."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Any

from rigcast import sources
from rigcast._core import BlendshapeRig, Deformer
from rigcast._formats.gltf.materials import SurfaceMaterial, read_materials
from rigcast._formats.readers import suffix_of
from rigcast._formats.registry import MOTION, Content, takers
from rigcast._validate import FPS
from rigcast.cli._inputs.actions import ChosenAction
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of
from rigcast.sources._motions import is_motion, opened_motion
from rigcast.viewer._playing._clips import Clip, ReadClip, clips_of

OWN_WEIGHTS = (".glb", ".gltf", ".vrm")  # files of faces that may animate their own shapes


def clips_of_file(path: Path, subject: Any) -> dict[str, ReadClip]:
    """The clips that the file of what is shown holds, by name, in its order; each is read when it is called.

    Parameters
    ----------
    path : Path
    subject : Deformer, Rig or Dataset
        What was opened of it.
    """
    if not isinstance(subject, BlendshapeRig):
        return clips_of(subject)
    return {name: functools.partial(_weights, path, subject, name) for name in weight_clips(path)}


def weight_clips(path: Path) -> list[str]:
    """Names of the clips of weights that a file holds, if it is of a format that names them."""
    return list(getattr(sources.load(path), "actions", ())) if suffix_of(path) in OWN_WEIGHTS else []


def _weights(path: Path, face: BlendshapeRig, name: str) -> Clip:
    weights, fps = sources.load_blendshape_weights(path, face, clip=name)
    return Clip(poses=weights, fps=fps or FPS)


def materials_of_file(path: Path, subject: Any) -> tuple[dict[str, SurfaceMaterial] | None, list[str]]:
    """The materials of a face's file, which its blendshapes do not know; None where the subject knows its file."""
    if not isinstance(subject, BlendshapeRig) or suffix_of(path) not in OWN_WEIGHTS:
        return None, []
    return read_materials(path)


def program_for(path: Path, blender: str | None, content: Content = MOTION) -> str | None:
    """``--blender``, if such files are read by that program."""
    return blender if suffix_of(path) in takers(content, "blender") else None


def clips_of_motion(args: argparse.Namespace, model: Deformer) -> dict[str, ReadClip]:
    """The clips of ``--motion``, if it is a file that may hold several; ``args.clip`` is the first of them."""
    path = args.motion
    if path.is_dir() or isinstance(model, BlendshapeRig) or not is_motion(path):
        return {}
    names = list(opened_motion(path, blender=program_for(path, args.blender)).clips)
    first = [name for name in names if name == args.clip]
    return {name: functools.partial(_motion, args, model, name) for name in dict.fromkeys([*first, *names])}


def _motion(args: argparse.Namespace, model: Deformer, name: str) -> Clip:
    played = motion_of(model, args.motion, MotionMapping.of(args), name, args.fps)
    return Clip(poses=played.poses, fps=played.fps or args.fps or FPS, notes=played.notes)


def clip_of(action: ChosenAction, fps: float | None) -> Clip:
    """An action that was asked for, at a rate of its own or the one that was asked for."""
    return Clip(action.channels, None, fps or action.fps or FPS)
