"""Lips: two sheets of one surface that meet."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.transfer.meshes import bend, sheet


def clam(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """A sheet folded over itself: V-shaped in y and z, its two rims facing each other across ``gap``."""
    points, faces = sheet(8, 24, 0, True)
    points[:] = np.stack(np.meshgrid(np.arange(25), np.arange(9), indexing="ij"), -1)[..., [1, 0, 0]].reshape(-1, 3)
    along = points[:, 1] - 12.0  # 0 at the fold
    depth = np.abs(along)
    points[:, 1] = -depth
    points[:, 2] = np.sign(along) * gap * np.minimum(depth / 6.0, 1.0)
    return points.astype(np.float32), faces


def closed(points: np.ndarray, gap: float) -> np.ndarray:
    shape = points.copy()
    shape[:, 2] *= 0.02
    return shape


def test_facing_rims_are_found_and_nothing_else():
    """Sheets that wind as these do face each other across air: vertex c of row r meets that of the opposite row."""
    neutral, faces = clam(1.5)
    pairs = rc.transfer.find_contacts(neutral, closed(neutral, 1.5)[None], faces, reach=0.5)
    rows, columns = np.divmod(pairs, 9)
    assert len(pairs) > 40
    np.testing.assert_array_equal(rows.sum(axis=1), 24)
    np.testing.assert_array_equal(columns[:, 0], columns[:, 1])


def test_the_two_sides_of_something_solid_are_no_contact():
    """Wound the other way, the same gap is a thickness."""
    neutral, faces = clam(1.5)
    inward = faces[:, [0, 3, 2, 1]]
    assert len(rc.transfer.find_contacts(neutral, closed(neutral, 1.5)[None], inward, reach=0.5)) == 0


def facing(neutral: np.ndarray, shapes: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Faces so turned that the two rims face each other's outer sides, and the contacts found then."""
    turns = (faces, faces[:, [0, 3, 2, 1]])
    found = [rc.transfer.find_contacts(neutral, shapes, turned) for turned in turns]
    best = int(len(found[1]) > len(found[0]))
    assert len(found[best])
    return turns[best], found[best]


def test_what_closes_in_the_source_closes_in_the_target():
    neutral, faces = clam(2.0)
    shape = closed(neutral, 2.0)[None]
    target = bend(clam(2.6)[0], 3, 0.1)
    faces, _ = facing(neutral, shape, faces)
    pairs = np.array([[8 + 9 * r, 8 + 9 * (24 - r)] for r in range(6)])  # the rims beyond the fold

    def gaps(points):
        return np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)

    loose = rc.transfer.deformation_transfer(neutral, shape, target, faces, contacts=None)[0]
    held = rc.transfer.deformation_transfer(neutral, shape, target, faces, contacts=pairs)[0]
    assert gaps(held).mean() < 0.5 * gaps(loose).mean()


def test_contacts_are_met_by_shapes_that_examples_leave_open_only(tolerance):
    neutral, faces = clam(2.0)
    half = neutral + 0.5 * (closed(neutral, 2.0) - neutral) * (neutral[:, :1] > 4)
    shapes = np.stack([closed(neutral, 2.0), half])
    target = bend(clam(2.6)[0], 3, 0.1)
    faces, pairs = facing(neutral, shapes, faces)
    examples, weights = closed(target, 2.6)[None], [[1.0, 0.0]]
    free, held = (
        rc.transfer.DeformationTransfer(neutral, target, faces, contacts=found).transfer_with_examples(
            shapes, examples, weights, 0.02
        )
        for found in (None, pairs)
    )
    alone = rc.transfer.deformation_transfer(neutral, shapes, target, faces, contacts=pairs, fixed=None)
    assert np.abs(held[1] - free[1]).max() > 1e-3  # the contacts ask for something
    np.testing.assert_allclose(held[1], alone[1], atol=tolerance["float32_scaled"])
    assert held[0].tobytes() == free[0].tobytes()
    assert np.abs(alone[0] - free[0]).max() > 1e-3


@pytest.mark.parametrize("opening", [0.6, 1.5])
def test_a_lid_ends_where_the_sources_does(opening):
    """Gradients turn a leaf by the source's angle: short of the other one where it is farther, through it where not."""
    neutral, faces = clam(2.0)
    upper = np.arange(len(neutral)) >= 9 * 13
    shape = neutral.copy()
    shape[upper, 2] -= 3.9 * np.minimum(-neutral[upper, 1] / 6.0, 1.0)  # comes down on the other leaf
    target = neutral * np.float32([1, 1, opening])
    faces, pairs = facing(neutral, shape[None], faces)
    rims = np.array([[8 + 9 * (24 - r), 8 + 9 * r] for r in range(4)])

    def off(points):
        apart = (points[rims[:, 0]] - points[rims[:, 1]]) - (shape[rims[:, 0]] - shape[rims[:, 1]])
        return np.linalg.norm(apart, axis=1).mean()

    loose = rc.transfer.deformation_transfer(neutral, shape[None], target, faces, contacts=None)[0]
    held = rc.transfer.deformation_transfer(neutral, shape[None], target, faces, contacts=pairs)[0]
    assert off(loose) > 0.5
    assert off(held) < 0.2 * off(loose)


def test_less_crosses_that_does_not_in_the_source():
    neutral, faces = clam(1.0)
    shape = neutral[None] * np.float32([1, 1, 0.1])
    faces, pairs = facing(neutral, shape, faces)
    before = after = 0
    for seed in range(6):
        target = neutral.copy()
        target[:, 2] += 0.05 * np.random.default_rng(seed).standard_normal(len(target)).astype(np.float32)
        loose = rc.transfer.deformation_transfer(neutral, shape, target, faces, contacts=None)[0]
        held = rc.transfer.deformation_transfer(neutral, shape, target, faces, contacts=pairs)[0]
        before += len(rc.transfer.new_crossings(shape[0], target, loose, faces=faces))
        after += len(rc.transfer.new_crossings(shape[0], target, held, faces=faces))
    assert before > 40
    assert after < 0.75 * before


def test_new_crossings_are_those_the_source_does_not_have():
    neutral, faces = clam(1.0)
    crossed = neutral * np.float32([1, 1, -0.3])
    assert len(rc.transfer.new_crossings(neutral, neutral, neutral, faces=faces)) == 0
    new = rc.transfer.new_crossings(neutral, neutral, crossed, faces=faces)
    assert len(new) == rc.transfer.count_crossings(crossed, faces)
    assert len(rc.transfer.new_crossings(crossed, neutral, crossed, faces=faces)) == 0
    assert len(rc.transfer.new_crossings(neutral, crossed, crossed, faces=faces)) == 0


def test_meetings_of_fixed_vertices_alone_change_nothing():
    neutral, faces = clam(2.0)
    shape = closed(neutral, 2.0)
    moving = np.flatnonzero((shape != neutral).any(axis=1))
    pairs = np.array([[8 + 9 * r, 8 + 9 * (24 - r)] for r in range(6)])
    target = bend(clam(2.6)[0], 3, 0.1)
    alone, held = (
        rc.transfer.deformation_transfer(neutral, shape[None], target, faces, contacts=found, fixed=moving)
        for found in (None, pairs)
    )
    assert np.array_equal(alone, held)


def test_open_gaps_are_nobodys_contact(tolerance):
    neutral, faces = clam(1.5)
    shape = bend(neutral, 1, 0.2)
    target = bend(neutral, 2, 0.1)
    pairs = np.array([[8 + 9 * r, 8 + 9 * (24 - r)] for r in range(3)])
    assert np.linalg.norm(shape[pairs[:, 0]] - shape[pairs[:, 1]], axis=1).min() > 1.5
    loose = rc.transfer.deformation_transfer(neutral, shape[None], target, faces, contacts=None)
    held = rc.transfer.deformation_transfer(neutral, shape[None], target, faces, contacts=pairs)
    np.testing.assert_allclose(held, loose, atol=10 * tolerance["float32"])


def test_contacts_change_nothing_where_the_target_is_the_source(tolerance):
    neutral, faces = clam(0.4)
    shapes = np.stack([closed(neutral, 0.4), bend(neutral, 1, 0.2)])
    pairs = np.array([[8 + 9 * r, 8 + 9 * (24 - r)] for r in range(8)])
    result = rc.transfer.deformation_transfer(neutral, shapes, neutral, faces, contacts=pairs)
    np.testing.assert_allclose(result, shapes, atol=tolerance["float32_scaled"])


def slow_crossings(points, faces):
    """Every pair of triangles, every edge against every inside."""

    def volume(a, b, c, d):
        return np.dot(np.cross(b - a, c - a), d - a)

    def pierces(p, q, t):
        if volume(*t, p) * volume(*t, q) >= 0:
            return False
        signs = [volume(p, q, t[i], t[(i + 1) % 3]) for i in range(3)]
        return all(s > 0 for s in signs) or all(s < 0 for s in signs)

    count = 0
    for f in range(len(faces)):
        for g in range(f + 1, len(faces)):
            if set(faces[f]) & set(faces[g]):
                continue
            a, b = points[faces[f]].astype(np.float64), points[faces[g]].astype(np.float64)
            count += any(pierces(a[i], a[(i + 1) % 3], b) or pierces(b[i], b[(i + 1) % 3], a) for i in range(3))
    return count


@pytest.mark.parametrize("seed", range(3))
def test_crossings_are_counted(seed):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((30, 3)).astype(np.float32)
    faces = rng.permutation(30).reshape(10, 3)
    expected = slow_crossings(points, faces)
    assert expected > 0
    assert rc.transfer.count_crossings(points, faces, depth=0.0) == expected
    assert rc.transfer.count_crossings(points, faces, near=[]) == 0


def test_a_flat_sheet_crosses_nothing():
    points, faces = sheet(5, 5, 0, True)
    points[:, 2] = 0
    assert rc.transfer.count_crossings(points, faces) == 0


def test_wrong_input_is_named():
    neutral, faces = sheet(2, 2, 0, True)
    with pytest.raises(ValueError, match=r"find_contacts: shapes is float32 \(8, 3\); it must be numbers \(K, 9, 3\)"):
        rc.transfer.find_contacts(neutral, neutral[:8], faces)
    with pytest.raises(ValueError, match=r"find_contacts: reach is 0\.0+; it must be above 0"):
        rc.transfer.find_contacts(neutral, neutral[None], faces, reach=0.0)
    with pytest.raises(ValueError, match="find_contacts: faces is 9 in face 0"):
        rc.transfer.find_contacts(neutral, neutral[None], [[0, 1, 9]])


def test_contacts_may_be_found_on_the_way():
    neutral, faces = clam(1.0)
    shape, target = closed(neutral, 1.0)[None], bend(clam(1.6)[0], 3, 0.1)
    turned, pairs = facing(neutral, shape, faces)
    expected = rc.transfer.deformation_transfer(neutral, shape, target, turned, contacts=pairs)
    result = rc.transfer.deformation_transfer(neutral, shape, target, turned, contacts="auto")
    assert result.tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="deformation_transfer: contacts is 'lips'; it must be \"auto\""):
        rc.transfer.deformation_transfer(neutral, shape, target, faces, contacts="lips")


@pytest.mark.parametrize(
    ("near", "words"),
    [
        ([9], r"near is 9 at 0; it must be vertex indices from 0 to 8"),
        ([0, -1], r"near is -1 at 1"),
        ([0.7], r"near is float64 \(1,\); it must be integers"),
    ],
)
def test_vertices_to_look_near_are_checked(near, words):
    points, faces = sheet(2, 2, 0, True)
    with pytest.raises(ValueError, match="^count_crossings: " + words):
        rc.transfer.count_crossings(points, faces, near)
    with pytest.raises(ValueError, match="^new_crossings: " + words):
        rc.transfer.new_crossings(points, points, points, faces=faces, near=near)


@pytest.mark.parametrize("rings", [-1, 0.5, True])
def test_rings_are_checked(rings):
    points, faces = sheet(2, 2, 0, True)
    with pytest.raises(ValueError, match=r"count_crossings: rings is .*; it must be a whole number of at least 0"):
        rc.transfer.count_crossings(points, faces, [0], rings=rings)
