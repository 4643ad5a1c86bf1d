"""A face of blendshapes as a rig: its shapes are dials, its correctives stay products of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rigcast._rigs.description import DIAL, Factor, Facts, Morph, RigChannel
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.source_notes import notes_of
from rigcast._rigs.surface import surface_of
from rigcast._validate import check_blendshape_rig

if TYPE_CHECKING:
    from rigcast._blendshapes import Tent
    from rigcast._core import BlendshapeRig


def rig_of_face(face: BlendshapeRig) -> SkinnedRig:
    """A face of blendshapes as a rig that can be sampled.

    Every shape is a dial with the bounds of its weight. Correctives are no dials: they follow the weights that they
    belong to, as in the face.

    Parameters
    ----------
    face : BlendshapeRig

    Returns
    -------
    SkinnedRig
        Without joints; the vertices of a pose are ``face.evaluate`` of its dials.

    Raises
    ------
    ValueError
        If ``face`` is no blendshape rig.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> rig = rc.sources.rig_of_face(face)
    >>> rig.dial_names == face.shape_names
    True
    >>> data = rc.sampling.sample(rig, "face.rwdata", 20, sampler="sparse", probe=0)
    >>> float(np.abs(face.evaluate(data.poses) - data.vertices).max()) < 1e-4
    True
    """
    check_blendshape_rig("rig_of_face", face)
    about, columns = face.metadata, face.columns()
    shapes, names = face.num_shapes, face.column_names
    dials = [
        RigChannel(name, DIAL, -1, float(low), float(high), float(np.clip(0.0, low, high)))
        for name, (low, high) in zip(face.shape_names, face.bounds, strict=True)
    ]
    linear = [Morph.dense(names[k], columns[k], ((k, 1.0),)) for k in range(shapes)]
    correctives = [
        Morph.dense(names[shapes + c], columns[shapes + c], constant=1.0, factors=tuple(map(factor_of, drivers)))
        for c, drivers in enumerate(face.combinations)
    ]
    facts = Facts(
        str(about.get("name") or ""),
        float(face.meters_per_unit),
        str(face.up_axis),
        str(about.get("licence") or ""),
        str(about.get("origin") or ""),
    )
    morphs = linear + correctives
    rig = SkinnedRig(
        face.rest_vertices,
        face.faces,
        None,
        skin=None,
        channels=dials,
        morphs=morphs,
        facts=facts,
        surface=surface_of(face),
    )
    rig.notes = notes_of(face)
    return rig


def factor_of(driver: int | Tent) -> Factor:
    """A driver of a corrective, as a factor over the dial of its shape."""
    if isinstance(driver, int):
        return driver, None
    return int(driver.shape), (float(driver.x1), float(driver.x2), float(driver.x3))
