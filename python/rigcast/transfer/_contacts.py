"""Lips and lids: which vertices face each other."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._validate import Arguments, bad_argument
from rigcast.transfer._positions import check_positions

#: Pairs of facing vertices: those that are found, these, or none.
Contacts = ArrayLike | Literal["auto"] | None


def contact_pairs(
    function: str, contacts: Contacts, neutral: ArrayLike, shapes: ArrayLike, faces: ArrayLike, threads: int
) -> ArrayLike | None:
    """The pairs that ``contacts`` stands for: ``"auto"`` those of :func:`find_contacts`."""
    if not isinstance(contacts, str):
        return contacts
    if contacts != "auto":
        raise bad_argument(function, "contacts", repr(contacts), '"auto", pairs of vertices or None')
    try:
        return find_contacts(neutral, shapes, faces, threads=threads)
    except ValueError:
        return None  # the transfer refuses the same input, by the names of its own arguments


def find_contacts(
    neutral: ArrayLike, shapes: ArrayLike, faces: ArrayLike, *, reach: float = 1.0, threads: int = 0
) -> NDArray[np.int32]:
    """Pairs of vertices whose surfaces meet in the neutral or in a shape, as lips and lids do.

    Two vertices are a pair where, in one of the poses, they are closer than ``reach`` mean edge lengths with their
    normals more than 120 degrees apart; where in the neutral the way from one to the other leads through air and not
    through the solid; and where they belong to one component, more than three edges apart. Each vertex is paired with
    the one that comes nearest.

    Parameters
    ----------
    neutral : array_like, shape (V, 3)
    shapes : array_like, shape (K, V, 3)
        Positions, not offsets.
    faces : array_like, shape (F, 3) or (F, 4)
    reach : float
        In mean lengths of a vertex's edges, above 0.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    (P, 2) int32
        Ascending, the lower vertex of a pair first. The user may remove pairs and add others, between components too.

    Raises
    ------
    ValueError
        On sizes that differ, values that are not finite, and indices out of range.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> pairs = rc.transfer.find_contacts(rig.rest_vertices, rc.transfer.positions_from_rig(rig), rig.faces)
    >>> pairs.shape[1]
    2
    """
    check = Arguments("find_contacts")
    check.threads(threads)
    check_positions("find_contacts", neutral, shapes, "shapes")
    first = check.numbers("neutral", neutral, "V 3", dtype=np.float32)
    others = check.numbers("shapes", shapes, "K V 3", dtype=np.float32)
    return _core.find_contacts(np.concatenate([first[None], others]), faces, reach, threads=threads)
