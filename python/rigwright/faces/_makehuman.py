"""MakeHuman's base mesh (hm08, CC0) with sculpted expressions, and its macro targets as a multiplicative model."""

from __future__ import annotations

import gzip
import itertools
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigwright._formats.obj.mesh import faces_of, read_text, vertices_of
from rigwright._reading import parse_json
from rigwright._validate import bad_argument
from rigwright.faces._packed import Float32, check_folder, read_sparse_shapes

if TYPE_CHECKING:
    from rigwright import BlendshapeRig, Tent

NUM_VERTICES, BODY_VERTICES = 19_158, 13_380  # what follows the body is helper geometry and joint markers
SETS = {
    "caucasian": ("expression_units_caucasian.npz", "CC0"),
    "african": ("expression_units_african.npz", "CC0"),
    "arkit": (
        "arkit_visemes_talkinghead.npz",
        "MIT (met4citizen/TalkingHead, after MakeHuman community packs, CC0/CC-BY)",
    ),
}
RACES = ("african", "asian", "caucasian")
DIALS = ("gender", "age", "muscle", "weight")


def makehuman(
    folder: str | os.PathLike[str], shapes: str = "arkit", *, whole: bool = False, identity: bool = False
) -> BlendshapeRig:
    """Read MakeHuman's base mesh with one set of sculpted expressions.

    The neutral is the base mesh for every set: ``"caucasian"`` and ``"african"`` are offsets alone, and the face that
    they were sculpted for is no part of their files. ``identity=True`` puts them on it, with the macro targets:
    young, average in muscle and weight, halfway between the genders, all of the set's race. Other faces are other
    dials of :func:`macro`, whose evaluated vertices are the neutral of a rig of these columns.

    Parameters
    ----------
    folder : path
        Holds ``base.obj.gz`` and the sets' ``.npz`` files.
    shapes : str
        ``"caucasian"`` or ``"african"`` (the same 34 units sculpted for two identities), ``"arkit"`` (52 ARKit shapes
        and 15 visemes, of which ``viseme_sil`` moves nothing).
    whole : bool
        With helper geometry and joint markers (19,158 vertices); without, the body (13,380).
    identity : bool
        On the neutral of the identity that the set was sculpted for, not on the base mesh; the folder then holds the
        files of :func:`macro` too.

    Returns
    -------
    BlendshapeRig
        Linear shapes with bounds [0, 1]. Units are decimeters, y is up.

    Raises
    ------
    ValueError
        If the set is unknown or has no identity, or a file is missing or malformed.
    """
    from rigwright import BlendshapeRig

    if shapes not in SETS:
        raise bad_argument("faces.makehuman", "shapes", repr(shapes), f"one of {', '.join(SETS)}")
    if identity and shapes not in RACES:
        got = f"True for {shapes!r}, which was sculpted on the base mesh"
        raise bad_argument("faces.makehuman", "identity", got, "False, or the shapes 'caucasian' or 'african'")
    path = check_folder(folder, "faces.makehuman")
    neutral, faces = _base_mesh(path, whole, "faces.makehuman")
    if identity:
        neutral = _identity(path, shapes, whole)
    file, licence = SETS[shapes]
    names, deltas = read_sparse_shapes(path / file, NUM_VERTICES, "faces.makehuman")
    facts = _facts(f"MakeHuman hm08, {shapes} shapes", licence)
    return BlendshapeRig(neutral, deltas[:, : len(neutral)], names=names, faces=faces, metadata=facts)


def macro(folder: str | os.PathLike[str], *, whole: bool = False) -> BlendshapeRig:
    """MakeHuman's macro targets: 96 sculpted shapes, each driven by a product of three or four factors.

    Seven dials in [0, 1]: ``gender`` (female to male), ``age`` (baby 0, child 0.1875, young 0.5, old 1), ``muscle``
    and ``weight`` (least, average, most), and the shares ``african``, ``asian``, ``caucasian``, which MakeHuman keeps
    at sum 1. A dial's stops are tents that add up to 1: a stop at the end of the range is a tent whose other half lies
    outside. 24 targets are race x gender x age (order 3), 72 gender x age x muscle x weight (order 4).

    No dial moves anything by itself: the K linear shapes are empty. The neutral is MakeHuman's base mesh, which no
    setting of the dials gives back: with all dials at 0 the targets of the first stops are in full effect.

    Parameters
    ----------
    folder : path
        Holds ``base.obj.gz``, ``macrodetails.npz`` and ``macro.json.gz``.
    whole : bool
        As for :func:`makehuman`.

    Raises
    ------
    ValueError
        If a file is missing or malformed.
    """
    from rigwright import BlendshapeRig

    path = check_folder(folder, "faces.macro")
    neutral, faces = _base_mesh(path, whole, "faces.macro")
    names, deltas = read_sparse_shapes(path / "macrodetails.npz", NUM_VERTICES, "faces.macro")
    stops = _stops(path / "macro.json.gz")
    controls = [*DIALS, *RACES]
    combinations = [
        (_factors(name, controls, stops), delta[: len(neutral)]) for name, delta in zip(names, deltas, strict=True)
    ]
    facts = _facts("MakeHuman hm08, macro targets", "CC0") | {"combination_names": names}
    still = np.zeros((len(controls), *neutral.shape), np.float32)
    return BlendshapeRig(neutral, still, combinations, names=controls, faces=faces, metadata=facts)


def _identity(path: Path, race: str, whole: bool) -> Float32:
    """Vertices of a race's face: its expressions were sculpted young, average and between the genders."""
    dials = dict.fromkeys(DIALS, 0.5) | {race: 1.0}
    model = macro(path, whole=whole)
    return np.asarray(model.evaluate([dials.get(name, 0.0) for name in model.shape_names]), np.float32)


def _facts(name: str, licence: str) -> dict[str, Any]:
    origin = "MakeHuman / MPFB2 (makehumancommunity), base mesh hm08"
    return {"name": name, "meters_per_unit": 0.1, "up_axis": "Y", "licence": licence, "origin": origin}


def _base_mesh(path: Path, whole: bool, function: str) -> tuple[Float32, NDArray[np.int32]]:
    file = path / "base.obj.gz"
    content = read_text(file, function)
    vertices = vertices_of(content, file, function)
    if len(vertices) != NUM_VERTICES:
        raise bad_argument(function, "folder", f"with {len(vertices)} vertices in {file}", f"with {NUM_VERTICES}")
    faces = faces_of(content, len(vertices), file, function)
    count = NUM_VERTICES if whole else BODY_VERTICES
    return vertices[:count].astype(np.float32), faces[(faces < count).all(axis=1)]


def _stops(path: Path) -> dict[str, dict[str, tuple[float, float, float]]]:
    """For every dial the tent of each of its stops.

    The file describes a dial as pieces between two stops. It pads the ends of a dial by 0.01 and leaves gaps of up to
    2e-5 between pieces, so that its users' comparisons never miss; both are taken out again.
    """
    try:
        with gzip.open(path) as stream:
            pieces = parse_json(stream.read(1 << 22))["macrotargets"]
        return {dial: _tents(pieces[dial]["parts"]) for dial in DIALS}
    except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError) as error:
        raise bad_argument("faces.macro", "folder", f"with {path} unreadable ({error!r})", "complete") from error


def _tents(parts: list[dict[str, Any]]) -> dict[str, tuple[float, float, float]]:
    labels = [str(parts[0]["low"]), *(str(part["high"]) for part in parts)]
    if labels[1:-1] != [str(part["low"]) for part in parts[1:]]:
        raise ValueError("pieces that do not join")
    knots = [parts[0]["lowest"], *(0.5 * (a["highest"] + b["lowest"]) for a, b in itertools.pairwise(parts))]
    places = np.clip(np.round([*knots, parts[-1]["highest"]], 4), 0.0, 1.0).tolist()
    before = [2 * places[0] - places[1], *places[:-1]]
    after = [*places[1:], 2 * places[-1] - places[-2]]
    return dict(zip(labels, zip(before, places, after, strict=True), strict=True))


def _factors(
    target: str, controls: list[str], stops: dict[str, dict[str, tuple[float, float, float]]]
) -> tuple[int | Tent, ...]:
    """The product that a target's name spells: ``african-female-baby``, ``universal-male-old-maxmuscle-minweight``."""
    from rigwright import Tent

    result: list[int | Tent] = []
    for word in target.split("-"):
        owner = next((dial for dial in DIALS if word in stops[dial]), None)
        if owner is not None:
            result.append(Tent(controls.index(owner), *stops[owner][word]))
        elif word in RACES:
            result.append(controls.index(word))
        elif word != "universal":
            raise bad_argument("faces.macro", "folder", f"with a target {target!r}", "made of the dials' stops")
    return tuple(result)
