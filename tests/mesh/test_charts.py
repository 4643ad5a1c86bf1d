"""Charts for meshes without texture coordinates: disks, holes, closed surfaces, handles, and little stretch."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from rigcast import _core

SIDE = 12


def grid(side=SIDE):
    """A bent square sheet: vertices and quads."""
    x, y = np.meshgrid(np.linspace(0.0, 1.0, side), np.linspace(0.0, 1.0, side))
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    quads = np.stack([corner, corner + 1, corner + side + 1, corner + side], axis=1)
    return np.stack([x.ravel(), y.ravel(), 0.3 * np.sin(3.0 * x.ravel())], axis=1), quads


def torus(around=16, across=9):
    """A closed surface with a handle."""
    a, b = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in (around, across)), indexing="ij")
    points = np.stack([(2 + np.cos(b)) * np.cos(a), (2 + np.cos(b)) * np.sin(a), np.sin(b)], axis=2).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    at = [((i + di) % around) * across + (j + dj) % across for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return points, np.stack(at, axis=2).reshape(-1, 4)


def ball(around=10, rings=7):
    """A closed surface without a handle."""
    theta, phi = np.pi * np.arange(1, rings) / rings, 2 * np.pi * np.arange(around) / around
    ring = np.stack(
        np.broadcast_arrays(
            np.sin(theta)[:, None] * np.cos(phi), np.sin(theta)[:, None] * np.sin(phi), np.cos(theta)[:, None]
        ),
        axis=2,
    )
    points = np.concatenate([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    faces = []
    for k in range(around):
        n = (k + 1) % around
        faces += [
            [r * around + k, r * around + n, (r + 1) * around + n, (r + 1) * around + k] for r in range(rings - 2)
        ]
        faces += [[len(points) - 2, k, n, -1]]
        faces += [[len(points) - 1, (rings - 2) * around + n, (rings - 2) * around + k, -1]]
    return points, np.array(faces)


def signed_areas(uvs, faces):
    """Twice the areas of the triangles of faces."""
    a, b = (np.array([uvs[t[k]] - uvs[t[0]] for t in triangles(faces)]) for k in (1, 2))
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def triangles(faces):
    """Quads split at their first corner."""
    kept = [[v for v in face if v >= 0] for face in faces]
    return [(face[0], b, c) for face in kept for b, c in itertools.pairwise(face[1:])]


def mean_value_map(points, faces, uvs, inner):
    """Inner vertices as the means of their neighbors by mean value weights; the others keep their coordinates."""
    weights = np.zeros((len(points), len(points)))
    for t in triangles(faces):
        for k in range(3):
            v, b, c = t[k], t[(k + 1) % 3], t[(k + 2) % 3]
            to_b, to_c = points[b] - points[v], points[c] - points[v]
            lengths = np.linalg.norm(to_b), np.linalg.norm(to_c)
            angle = np.arccos(to_b @ to_c / (lengths[0] * lengths[1]))
            weights[v, b] += np.tan(angle / 2) / lengths[0]
            weights[v, c] += np.tan(angle / 2) / lengths[1]
    weights /= weights.sum(axis=1, keepdims=True)
    found = uvs.copy()
    system = np.eye(len(points)) - weights
    found[inner] = np.linalg.solve(system[np.ix_(inner, inner)], weights[np.ix_(inner, ~inner)] @ uvs[~inner])
    return found


def stretch(points, faces, uvs, border):
    """Sander et al. 2001, L2, without triangles whose vertices all lie on the border; 1 keeps all lengths."""
    total = area = texture = 0.0
    for t in triangles(faces):
        if border[list(t)].all():
            continue
        sides = np.array([points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]])
        in_texture = np.array([uvs[t[1]] - uvs[t[0]], uvs[t[2]] - uvs[t[0]]])
        own = 0.5 * np.linalg.norm(np.cross(*sides))
        total += own * 0.5 * np.square(np.linalg.solve(in_texture, sides)).sum()
        area += own
        texture += 0.5 * abs(np.linalg.det(in_texture))
    return np.sqrt(total / area * texture / area)


def test_a_sheet_is_laid_out_without_folds():
    points, quads = grid()
    uvs, chart, whole, facts = _core.chart_uvs(points, quads)
    areas = signed_areas(uvs, quads)
    assert (areas > 0.0).all() or (areas < 0.0).all()
    assert (chart == 0).all()
    assert whole.all()
    assert facts[0][1:] == (0, 0)


def test_a_flat_square_keeps_its_shape(tolerance):
    points, quads = grid()
    points[:, 2] = 0.0
    uvs, _, _, facts = _core.chart_uvs(points, quads)
    assert facts[0][0] == pytest.approx(1.0, abs=tolerance["float32"])
    assert np.abs(np.abs(signed_areas(uvs, quads)) * (SIDE - 1) ** 2 - 1.0).max() < tolerance["float32_scaled"]


def test_relaxation_lowers_the_stretch_of_the_mean_value_map(tolerance):
    points, quads = grid(14)
    points[:, 2] = 1.5 * np.exp(-20.0 * ((points[:, 0] - 0.5) ** 2 + (points[:, 1] - 0.5) ** 2))
    inner = ((points[:, :2] > 0.01) & (points[:, :2] < 0.99)).all(axis=1)
    uvs, _, _, facts = _core.chart_uvs(points, quads)
    first = stretch(points, quads, mean_value_map(points, quads, uvs, inner), ~inner)
    assert facts[0][0] == pytest.approx(stretch(points, quads, uvs, ~inner), rel=tolerance["float32_scaled"])
    assert facts[0][0] < 0.8 * first


def test_holes_are_bridged():
    points, quads = grid()
    middle = SIDE // 2 * (SIDE - 1) + SIDE // 2
    kept = np.ones(len(quads), bool)
    kept[[middle, middle + 1, middle + SIDE - 1]] = False
    uvs, _, whole, facts = _core.chart_uvs(points, quads[kept])
    areas = signed_areas(uvs, quads[kept])
    assert facts[0][1:] == (0, 1)
    assert (areas > 0.0).all() or (areas < 0.0).all()
    assert whole.all()


@pytest.mark.parametrize("mesh", [ball, torus])
def test_closed_surfaces_are_cut_and_do_not_overlap(mesh):
    points, faces = mesh()
    uvs, chart, whole, facts = _core.chart_uvs(points, faces)
    assert (chart == 0).all()
    assert facts[0][1] > 0
    assert 0 < (~whole).sum() < len(faces) // 2
    assert _core.num_overlapped(uvs, faces[whole]) == 0


def test_a_tetrahedron_is_cut():
    uvs, chart, _, _ = _core.chart_uvs(np.eye(4, 3), [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    assert (chart == 0).all()
    assert len(np.unique(uvs, axis=0)) == 4


def test_pieces_have_charts_of_their_own_and_loose_vertices_none():
    points, quads = grid(4)
    both = np.concatenate([points, points + 5.0, [[9.0, 9.0, 9.0]]])
    _, chart, _, facts = _core.chart_uvs(both, np.concatenate([quads, quads + 16]))
    assert chart.tolist() == [0] * 16 + [1] * 16 + [-1]
    assert len(facts) == 2


def test_edges_of_three_faces_are_borders():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]], float)
    _, chart, _, facts = _core.chart_uvs(points, [[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    assert len(facts) == 3
    assert (chart >= 0).all()


def test_faces_that_repeat_a_vertex_are_left_out():
    points, quads = grid(3)
    _, chart, _, facts = _core.chart_uvs(points, np.concatenate([quads, [[0, 0, 1, -1], [3, 3, 3, 3]]]))
    assert len(facts) == 1
    assert (chart == 0).all()


def test_triangles_of_another_place_overlap():
    points, quads = grid(5)
    uvs, _, _, _ = _core.chart_uvs(points, quads)
    assert _core.num_overlapped(uvs, quads) == 0
    twice = np.concatenate([uvs, uvs + 0.01])
    assert _core.num_overlapped(twice, np.concatenate([quads, quads + 25])) > len(quads)


@pytest.mark.parametrize(
    ("points", "faces", "message"),
    [
        (np.full((3, 3), np.nan), [[0, 1, 2]], "chart_uvs: rest_vertices is not finite everywhere"),
        (np.zeros((3, 2)), [[0, 1, 2]], r"chart_uvs: rest_vertices is \(3, 2\)"),
        (np.zeros((3, 3)), [[0, 1, 3]], "chart_uvs: faces"),
    ],
)
def test_refusals_name_the_argument(points, faces, message):
    with pytest.raises(ValueError, match=message):
        _core.chart_uvs(points, faces)


def printed_hash(name):
    code = (
        "import hashlib, numpy as np; from rigcast import _core; from tests.mesh.test_charts import ball, grid; "
        "from tests.face.test_mend_uvs import mouth; "
        "found = [_core.chart_uvs(*mesh())[0] for mesh in (ball, grid)]; "
        "found.append(_core.mend_uvs(*mouth(), 16, 4)['uvs']); "
        "print(hashlib.sha256(b''.join(uvs.tobytes() for uvs in found)).hexdigest())"
    )
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": name}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_every_instruction_set_gives_the_same_bytes():
    assert len({printed_hash(name) for name in _core.instruction_sets()}) == 1
