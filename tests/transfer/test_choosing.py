"""Contacts where they help: the count of crossings decides, shape by shape."""

from __future__ import annotations

import numpy as np
import pytest

import rigwright as rw
from tests.transfer.test_contacts import clam


def test_each_shape_is_the_one_that_crosses_less():
    neutral, faces = clam(1.0)
    rims = np.array([[8 + 9 * r, 8 + 9 * (24 - r)] for r in range(8)])
    through = neutral.copy()
    through[neutral[:, 1] > -6.0, 2] *= -1.0  # near the fold the two leaves have changed sides
    counts = [rw.transfer.crossings(x, faces, rims) for x in (neutral, through)]
    assert counts[0] < counts[1]
    free, held = np.stack([neutral, through, neutral]), np.stack([through, neutral, neutral + 1])
    shapes, used = rw.transfer.fewer_crossings(free, held, faces, rims)
    assert used.tolist() == [False, True, True], "a tie goes to the contacts"
    np.testing.assert_array_equal(shapes, np.stack([neutral, neutral, neutral + 1]))


def test_sizes_must_agree():
    neutral, faces = clam(1.0)
    with pytest.raises(ValueError, match=r"fewer_crossings: held is \(2, 225, 3\); it must be as free, \(1, 225, 3\)"):
        rw.transfer.fewer_crossings(neutral[None], np.stack([neutral] * 2), faces, [[0, 1]])
