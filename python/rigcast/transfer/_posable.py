"""Shapes of a rig that nobody can pose alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from rigcast._core import BlendshapeRig
from rigcast._validate import check_blendshape_rig

CORRECTIVE = {"corrective", "correctives", "correction", "corr", "fix"}
AT = re.compile(r"(.+?)(?: at |@)[0-9.]+")


def unposable_shapes(rig: BlendshapeRig) -> dict[str, str]:
    """Find the shapes that an actor cannot show alone, so that ``pack`` asks nobody to: by their names.

    Pupils, which nobody widens at will, and ears, which few can move. What corrects other shapes and means nothing
    without them: ARKit's ``mouthClose``, which closes the lips of an open jaw, where there is a ``jawOpen``; names with
    a word such as "corrective"; products and in-betweens that became shapes of their own (``a * b``, ``a_b`` of two
    shapes ``a`` and ``b``, ``a at 0.5``, ``a@0.5``), as in a .glb. The rig's combinations are no shapes: nobody poses
    them.

    Parameters
    ----------
    rig : BlendshapeRig

    Returns
    -------
    dict of str to str
        Names to reasons, in the rig's order. Hand their places to ``without`` of :func:`pack_expressions`.

    Raises
    ------
    ValueError
        If ``rig`` is no blendshape rig.

    Examples
    --------
    >>> import numpy as np
    >>> import rigcast as rc
    >>> names = ["jawOpen", "mouthClose", "PupilDilate_L"]
    >>> rig = rc.BlendshapeRig(np.eye(3), np.ones((3, 3, 3)), names=names)
    >>> rc.transfer.unposable_shapes(rig)
    {'mouthClose': 'corrects jawOpen', 'PupilDilate_L': 'a pupil'}
    """
    check_blendshape_rig("unposable_shapes", rig)
    names = list(rig.shape_names)
    found = {name: _reason(name, names) for name in names}
    return {name: reason for name, reason in found.items() if reason}


def _reason(name: str, names: Sequence[str]) -> str:
    words = set(words_of(name))
    others = [other for other in names if other != name]
    if words & {"pupil", "pupils"}:
        return "a pupil"
    if words & {"ear", "ears"}:
        return "an ear, which few can move"
    jaw = [other for other in others if set(words_of(other)) == {"jaw", "open"}]
    if words == {"mouth", "close"} and jaw:
        return f"corrects {jaw[0]}"
    if factors := _factors(name, set(others)):
        return f"corrects {' with '.join(factors)}"
    if words & CORRECTIVE:
        return "a corrective by its name"
    return ""


def _factors(name: str, others: set[str]) -> list[str]:
    """The shapes that a name is made of: ``a * b``, ``a at 0.5``, or ``a_b_c``."""
    plain = [found[1] if (found := AT.fullmatch(part)) else part for part in name.split(" * ")]
    if plain != [name] and all(part in others for part in plain):
        return plain
    places = [place for place, letter in enumerate(name) if letter == "_"]
    for count in range(1, min(len(places), 3) + 1):
        for cuts in combinations(places, count):
            parts = [name[a + 1 : b] for a, b in pairwise([-1, *cuts, len(name)])]
            if all(part in others for part in parts):
                return parts
    return []


def words_of(name: str) -> list[str]:
    """``PupilDilate_L`` is pupil, dilate, l."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word.lower() for word in re.split(r"[\s_\-.:]+", apart) if word]
