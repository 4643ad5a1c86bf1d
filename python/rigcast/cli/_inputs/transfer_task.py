"""Opening what ``rigcast transfer`` needs: every argument is looked at before any work begins."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rigcast import errors, sources, transfer
from rigcast._atomic_files import atomic_file
from rigcast._formats.gltf.surface import read_surface
from rigcast._formats.registry import GLTF
from rigcast._formats.textures import lost_textures
from rigcast._pages.words import figure
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._rigs.up_axis import seeming_up_axis
from rigcast._validate import bad_argument
from rigcast.cli._inputs.faces import open_rig
from rigcast.cli._inputs.meshes import lies_otherwise, unit_note
from rigcast.cli._result import WrongInput
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._transfer.measured import check_truth
from rigcast.transfer._matching.landmarks import doubtful_landmarks
from rigcast.transfer._targets import matched

Float32 = NDArray[np.float32]
MOST_LINES = 3  # of landmarks named


@dataclass(frozen=True)
class TransferTask:
    """The opened arguments of a transfer, with the source in the target's topology.

    Attributes
    ----------
    examples, weights : (J, V, 3), (J, K), or None
        Expressions of the target, and what is known of their weights.
    notes : list of str
        What the user should know.
    surface_of : path or None
        The target, if it is a glTF file whose texture coordinates and materials are kept.
    """

    args: argparse.Namespace
    rig: Any
    neutral: Float32
    faces: NDArray[np.int32]
    metadata: dict[str, Any]
    truth: Any
    examples: Float32 | None
    weights: NDArray[np.float64] | None
    source: Float32
    shapes: Float32
    contacts: NDArray[Any] | None
    fixed: NDArray[np.int64] | Literal["each"] | None
    match: transfer.Correspondence | None
    notes: list[str]
    surface_of: Path | None


def choice(*words: str, what: str) -> Callable[[str], Path | str]:
    """An argument that is one of ``words``, or a file that must be there."""

    def chosen(text: str) -> Path | str:
        if text in words:
            return text
        if not Path(text).is_file():
            raise argparse.ArgumentTypeError(f"{text!r} is no file; it must be {', '.join(words)} or a file of {what}")
        return Path(text)

    return chosen


def open_task(args: argparse.Namespace, progress: ProgressCallback) -> TransferTask:
    """Open and check everything, then match topologies and find contacts where that is asked for.

    Raises
    ------
    ValueError
        Naming the argument or file.
    """
    _check_options(args)
    rig = open_rig(args.rig, None, args.drop_unreadable, args.run_scripts)
    if not len(rig.faces):
        raise bad_argument("transfer", "SOURCE_RIG", "without faces", "a rig with faces")
    target = sources.load_mesh(args.target)
    if args.up_axis is not None:
        target = replace(target, up_axis=args.up_axis)
    unit = target.meters_per_unit if args.unit is None else args.unit
    about = {key: value for key, value in (("meters_per_unit", unit), ("up_axis", target.up_axis)) if value is not None}
    licence, surface_of, lost = _surface(rig, args.target, len(target.vertices))
    about |= licence
    truth = None if args.truth is None else sources.load_blendshapes(args.truth)
    check_truth(target.vertices, rig.shape_names, truth)
    examples, weights = _open_examples(args, rig, target)
    fixed: Any = _open_vertices(args.fixed, 1, "--fixed", len(target.vertices))
    contacts = _open_vertices(args.contacts, 2, "--contacts", len(target.vertices))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.CorrespondenceWarning)  # a note says it
        placed = matched("", str(args.target), rig, target, args.landmarks, threads=args.threads, progress=progress)
    doubt = "" if placed.match is None else placed.match.doubt()
    source, shapes, faces = placed.source, placed.shapes, placed.faces
    if args.contacts == "auto":
        progress(Progress("finding contacts", 0, 0))
        contacts = transfer.find_contacts(source, shapes, faces, threads=args.threads).astype(np.int64)
    if args.save_contacts is not None:
        with atomic_file(args.save_contacts) as stream:
            np.savetxt(stream, np.zeros((0, 2)) if contacts is None else contacts, fmt="%d")
    if args.fixed == "rest":
        fixed = transfer.resting_vertices(source, shapes)
    elif args.fixed == "each":
        fixed = "each"
    longer = (unit or rig.meters_per_unit) / rig.meters_per_unit
    lost += lost_textures(args.target, args.output, surface_of is not None or bool(lost))
    note = unit_note(source, target.vertices, longer, args.target, "source", unit or rig.meters_per_unit)
    return TransferTask(
        args=args,
        rig=rig,
        neutral=target.vertices,
        faces=faces,
        metadata={"name": f"{rig.metadata.get('name') or args.rig.stem}, transferred to {args.target.stem}"} | about,
        truth=truth,
        examples=examples,
        weights=weights,
        source=source,
        shapes=shapes,
        contacts=contacts,
        fixed=fixed,
        match=placed.match,
        notes=[
            *(text for text in (note, doubt) if text),
            *_axis_notes(args, placed.lies, target, examples, str(rig.up_axis)),
            *lost,
            *_landmark_notes(placed.match, rig, target.vertices, unit),
        ],
        surface_of=surface_of,
    )


def _axis_notes(
    args: argparse.Namespace, lies: str | None, target: sources.Mesh, examples: Float32 | None, own: str
) -> list[str]:
    """Notes on a target, and on examples, that lie as if another axis pointed up."""
    notes = [] if lies is None else [lies_otherwise(args.target.name, "a mesh", lies, "--up-axis", "the source does")]
    stated = target.up_axis or own
    scans = None if examples is None else seeming_up_axis(target.vertices, examples.mean(axis=0), stated, stated)
    if scans is not None:
        notes.append(lies_otherwise("a scan", "one", scans, "--examples-up-axis", "the target does"))
    return notes


def _landmark_notes(match: transfer.Correspondence | None, rig: Any, target: Float32, unit: float | None) -> list[str]:
    """The landmarks that both faces do not agree on, by line, vertices and millimeters."""
    if match is None or len(match.landmarks) < 4:
        return []
    rows, missed = doubtful_landmarks(match.landmarks, rig.rest_vertices, target)
    millimeters = 1e3 * float(unit or rig.meters_per_unit)
    misses = [
        f"line {n + 1} (vertex {match.landmarks[n, 0]} to {match.landmarks[n, 1]}) by {figure(millimeters * by)} mm"
        for n, by in zip(rows[:MOST_LINES].tolist(), missed.tolist(), strict=False)
    ]
    more = f" and {len(rows) - MOST_LINES} more" if len(rows) > MOST_LINES else ""
    cure = "look at both vertices of these lines; what they tie is carried to the wrong place"
    return [
        f"landmarks that miss each other when the faces are laid over each other: {', '.join(misses)}{more}; {cure}"
    ] * bool(misses)


def _surface(rig: Any, target: Path, count: int) -> tuple[dict[str, str], Path | None, list[str]]:
    """The source's licence and that of a glTF target, where texture coordinates come from, and notes."""
    if target.suffix.lower() not in GLTF.endings:
        return {}, None, []
    surface = read_surface(target)
    own, other = str(rig.metadata.get("licence") or ""), surface.licence
    both = f"{other} (mesh); {own} (shapes)" if own else f"{other} (mesh)"
    licence = {"licence": both} if other and own != other else {}
    if surface.count == count:
        return licence, target, []
    return (
        licence,
        None,
        [f"{target}: its texture coordinates and materials are not kept: other vertices"],
    )


def _check_options(args: argparse.Namespace) -> None:
    if not args.examples and (args.examples_weights or args.estimate):
        raise WrongInput("--examples-weights and --estimate are about --examples, of which there are none")
    if not args.examples and args.examples_up_axis is not None:
        raise WrongInput("--examples-up-axis is about --examples, of which there are none")
    if args.examples and args.fixed == "each":
        raise WrongInput(
            "--fixed each holds no vertices where examples correct shapes; with --examples it must be rest"
        )
    for name in ("report", "truth"):
        if args.no_measure and getattr(args, name) is not None:
            raise WrongInput(f"--{name} needs what --no-measure leaves out")


def _open_examples(
    args: argparse.Namespace, rig: Any, target: sources.Mesh
) -> tuple[Float32 | None, NDArray[np.float64] | None]:
    """Expressions of the target, in its axes, and their weights, both None where there are none."""
    if not args.examples:
        return None, None
    examples = sources.load_scans(args.examples, len(target.vertices))
    if args.examples_up_axis is not None:
        turn = TO_Y_UP[target.up_axis or str(rig.up_axis)].T @ TO_Y_UP[args.examples_up_axis]
        examples = (examples @ turn.T).astype(np.float32)
    known = (
        None
        if args.examples_weights is None
        else transfer.load_example_weights(args.examples_weights, rig, len(examples))
    )
    return examples, known


def _open_vertices(given: Path | str, columns: int, option: str, count: int) -> NDArray[np.int64] | None:
    """Vertex indices of a file, None for a word."""
    if not isinstance(given, Path):
        return None
    table = sources.load_vertex_indices(given) if columns == 1 else sources.load_landmarks(given)
    wrong = np.argwhere((table < 0) | (table >= count))
    if len(wrong):
        got = f"{table[tuple(wrong[0])]} in line {wrong[0, 0] + 1}"
        raise WrongInput(f"{option} {given}: {got}; it must be vertices of the target, from 0 to {count - 1}")
    if columns == 2 and len(same := np.flatnonzero(table[:, 0] == table[:, 1])):
        raise WrongInput(f"{option} {given}: vertex {table[same[0], 0]} with itself in line {same[0] + 1}")
    return table
