"""Shapes transferred between meshes of one topology."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import DeformationTransfer
from rigcast._validate import check_threads
from rigcast.transfer._contacts import Contacts, contact_pairs
from rigcast.transfer._positions import check_positions
from rigcast.transfer._resting import Fixed, held_vertices, holds_each


def deformation_transfer(
    source_neutral: ArrayLike,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    faces: ArrayLike,
    *,
    fixed: Fixed = "rest",
    contacts: Contacts = "auto",
    contact_weight: float = 1.0,
    threads: int = 0,
) -> NDArray[np.float32]:
    """Give the shapes of a source to a target of the same topology (Sumner and Popovic 2004).

    Every triangle of the target takes on the deformation gradient of the source's triangle, in least squares weighted
    by the target's areas (their equation 8; the free fourth vertices are eliminated, which leaves the minimizer as it
    is). :class:`DeformationTransfer` is the same with the factorization kept for more shapes, and says how components,
    fixed vertices, quads and degenerate triangles are treated.

    Parameters
    ----------
    source_neutral, target_neutral : array_like, shape (V, 3)
        The two neutrals.
    source_shapes : array_like, shape (K, V, 3)
        Shapes of the source: positions of its vertices, not offsets.
    faces : array_like, shape (F, 3) or (F, 4)
        Vertex indices; -1 in the last column pads triangles.
    fixed : "rest", "each", (M,) integers or None
        Vertices that stay at the target's neutral. ``"rest"``: those that move in none of the source's shapes
        (:func:`resting_vertices`), so that what rests there rests here and shapes stay sparse. ``"each"``: in each
        shape those that rest in it, which is sparser and nearer to sculpted shapes, but factors every shape's moving
        part by itself (:meth:`DeformationTransfer.transfer_keep_rest`). Indices: these and no others; None: none, and
        every component moves as a whole to where its shape asks for it in weighted mean.
    contacts : "auto", (P, 2) integers or None
        Pairs of facing vertices, which say where lips and lids are: what comes together there in the source comes
        together in the target, at the same place, and surfaces of one component that cross neither in the source's
        shape nor in the neutrals are pushed apart where they cross in the target's. What crosses in the source is left
        alone. Corrections fade into the surroundings that move. ``"auto"``: the pairs that :func:`find_contacts`
        finds; call it to look at them and to edit them, and :func:`quality` to see what they do. None: no contacts.
    contact_weight : float
        Weight of a contact's goal in the correction, relative to the mesh's own edges, above 0.
    threads : int
        Number of threads; 0 means all processors that this process may use.
        The result has the same bytes for any number.

    Returns
    -------
    (K, V, 3) float32
        The target's shapes: positions, as ``source_shapes``. A shape equal to the source's neutral gives
        ``target_neutral``.

    Raises
    ------
    ValueError
        On sizes that differ, values that are not finite, and indices out of range.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> shapes = rc.transfer.positions_from_rig(rig)[:2]
    >>> wider = rig.rest_vertices * np.float32([1.2, 1, 1])
    >>> rc.transfer.deformation_transfer(rig.rest_vertices, shapes, wider, rig.faces).shape
    (2, 2536, 3)
    """
    check_threads("deformation_transfer", threads)
    check_positions("deformation_transfer", source_neutral, source_shapes, "source_shapes")
    pairs = contact_pairs("deformation_transfer", contacts, source_neutral, source_shapes, faces, threads)
    held = held_vertices("deformation_transfer", fixed, source_neutral, source_shapes)
    solver = DeformationTransfer(
        source_neutral, target_neutral, faces, held, contacts=pairs, contact_weight=contact_weight
    )
    transfer = solver.transfer_keep_rest if holds_each(fixed) else solver.transfer
    return transfer(source_shapes, threads=threads)
