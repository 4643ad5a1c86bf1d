"""Contacts only where they help."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright.errors import bad_argument
from rigwright.transfer.contacts import crossings


def fewer_crossings(
    free: ArrayLike, held: ArrayLike, faces: ArrayLike, contacts: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Of each shape transferred without and with contacts, the one in which fewer faces cross near them.

    Contacts close what the source closes. Where lips are much thicker or of another form than the source's, that pulls
    their surfaces through each other; such shapes are better off without. Equal counts: with contacts.

    Parameters
    ----------
    free, held : (K, V, 3)
        The same shapes, transferred without and with contacts: positions.
    faces : (F, 3) or (F, 4)
    contacts : (P, 2) integers

    Returns
    -------
    shapes : (K, V, 3) float32
    used : (K,) bool
        Where contacts were used.

    Raises
    ------
    ValueError
        If the two are not of one size.
    """
    loose, tight = np.asarray(free, np.float32), np.asarray(held, np.float32)
    if loose.shape != tight.shape or loose.ndim != 3:
        raise bad_argument("fewer_crossings", "held", str(tight.shape), f"as free, {loose.shape}")
    pairs = [(crossings(a, faces, contacts), crossings(b, faces, contacts)) for a, b in zip(loose, tight, strict=True)]
    used = np.array([after <= before for before, after in pairs], bool)
    return np.where(used[:, None, None], tight, loose), used
