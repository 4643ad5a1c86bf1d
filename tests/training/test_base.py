"""The base of learned faces: ridge regression on features that are chosen, vertex by vertex."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._base import Features, choose_features, fit_base
from rigcast.training._budget import Budget

COLUMNS, VERTICES = 6, 9


class Face:
    """Vertices that move with columns and some products; columns reach some vertices only."""

    skeleton, meters_per_unit, clips = None, 0.01, ()

    def __init__(self, rows=300, products=((0, 1), (2, 2)), signed=(), local=True, bent=0.0, seed=0, columns=COLUMNS):
        rng = np.random.default_rng(seed)
        self.poses = rng.uniform(-1.0 if len(signed) else 0.0, 1.0, (rows, columns)).astype(np.float32)
        self.rest_vertices = rng.standard_normal((VERTICES, 3)).astype(np.float32)
        self.clip = (np.arange(rows) // max(rows // 5, 1)).astype(np.int32)
        self.influence = np.ones((VERTICES, columns), bool)
        if local:
            self.influence[:3, 3:] = self.influence[6:, :3] = False
        x = self.poses.astype(np.float64)
        terms = [(x[:, c], self.influence[:, c]) for c in range(columns)]
        terms += [(x[:, a] * x[:, b], self.influence[:, a] & self.influence[:, b]) for a, b in products]
        terms += [(np.maximum(x[:, c], 0.0), self.influence[:, c]) for c in signed]
        moved = np.zeros((rows, VERTICES, 3))
        for value, mask in terms:
            moved += value[:, None, None] * (mask[:, None] * rng.standard_normal((VERTICES, 3)))
        self.vertices = (self.rest_vertices + moved + bent * np.sin(3.0 * moved)).astype(np.float32)

    def take(self, rows):
        return None, self.poses[rows], self.vertices[rows]


def fitted(face, rows=None, minutes=None, threads=0, **more):
    rows = np.arange(len(face.poses)) if rows is None else rows
    return fit_base(face, rows, face.influence, Budget("face_maps", minutes, threads=threads), **more)


def errors(base, face, rows):
    return np.linalg.norm(face.rest_vertices + base.offsets(face.poses[rows]) - face.vertices[rows], axis=2)


@pytest.mark.parametrize(
    ("made", "products", "positive"),
    [
        ({}, {(0, 1), (2, 2)}, set()),
        ({"products": ((3, 5), (4, 4), (0, 2)), "local": False}, {(3, 5), (4, 4), (0, 2)}, set()),
        ({"products": (), "signed": (1, 4)}, set(), {1, 4}),
    ],
)
def test_products_and_positive_parts_are_found(made, products, positive):
    face = Face(**made)
    learned, left = np.arange(240), np.arange(240, 300)
    base, about = fitted(face, learned)
    pairs = set(zip(base.first.tolist(), base.second.tolist(), strict=True))
    assert products <= pairs
    assert positive <= {a for a, b in pairs if b == -1}
    assert about["base"]["products"] + about["base"]["positive_parts"] == len(base.first)
    motion = np.linalg.norm(face.vertices - face.rest_vertices, axis=2).mean()
    assert errors(base, face, left).max() < 2e-2 * motion
    assert about["base"]["left_out_rms_mm"] < 0.1 * about["base"]["columns_alone_left_out_rms_mm"]


def test_a_linear_face_is_held():
    face = Face(products=())
    base, about = fitted(face, np.arange(200))
    assert errors(base, face, np.arange(200, 300)).max() < 1e-3
    figures = about["base"]
    assert figures["left_out_rms_mm"] <= figures["columns_alone_left_out_rms_mm"]


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_many_products_are_not_taken_for_what_they_do_not_explain(noise):
    """The choice of products fits the rows that it is made from: others decide how many there are."""
    face = Face(rows=500, products=(), local=False, columns=40)
    truth = face.vertices.copy()
    face.vertices += (noise * np.random.default_rng(1).standard_normal(truth.shape)).astype(np.float32)
    base, about = fitted(face, np.arange(300))
    face.vertices = truth
    left = errors(base, face, np.arange(300, 500))
    assert about["base"]["products"] == 0
    assert left.mean() < max(noise, 1e-3)


def test_what_does_not_move_a_vertex_moves_it_by_exactly_nothing():
    face = Face(bent=0.3)
    base, _ = fitted(face)
    moves = base.shapes.any(axis=2)
    assert not (moves[:COLUMNS].T & ~face.influence).any()
    for moved, a, b in zip(moves[COLUMNS:], base.first, base.second, strict=True):
        assert not (moved & ~(face.influence[:, a] & face.influence[:, max(b, a)])).any()
    face.influence[4] = False
    still, _ = fitted(face)
    assert not still.shapes[:, 4].any()
    assert not still.constant[4].any()


def test_weights_are_those_of_ridge_regression_on_the_features_of_each_vertex(monkeypatch):
    face, rows = Face(bent=0.2), np.arange(300)
    chosen = Features(
        np.arange(COLUMNS, dtype=np.int32),
        np.int32([0, 2, 4, 1]),
        np.int32([1, 2, 5, -1]),
        np.linspace(0.5, 2.0, COLUMNS + 4),
        1e-2,
        0.0,
        0.0,
    )
    monkeypatch.setattr("rigcast.training._base.choose_features", lambda *_: chosen)
    base, _ = fitted(face, rows)
    x = face.poses.astype(np.float64)
    features = np.stack([*x.T, x[:, 0] * x[:, 1], x[:, 2] ** 2, x[:, 4] * x[:, 5], np.maximum(x[:, 1], 0)], axis=1)
    features *= chosen.scale
    centered = features - features.mean(axis=0)
    amount = 1e-2 * np.square(centered).sum() / len(rows)
    pairs = [(0, 1), (2, 2), (4, 5), (1, 1)]
    for v in range(VERTICES):
        may = [*face.influence[v], *(face.influence[v, a] and face.influence[v, b] for a, b in pairs)]
        own = np.flatnonzero(may)
        y = (face.vertices[:, v] - face.rest_vertices[v]).astype(np.float64)
        left = np.concatenate([centered[:, own], np.sqrt(amount) * np.eye(len(own))])
        right = np.concatenate([y - y.mean(axis=0), np.zeros((len(own), 3))])
        weights = np.linalg.lstsq(left, right, rcond=None)[0]
        expected = centered[:, own] @ weights + y.mean(axis=0)
        assert np.abs(base.offsets(face.poses)[:, v] - expected).max() < 1e-4


@pytest.mark.parametrize("made", [{"rows": 5}, {"rows": 40, "bent": 0.5}, {"rows": 400, "bent": 0.5, "seed": 3}])
def test_held_out_rows_are_no_worse_than_by_the_columns_alone(made):
    face = Face(**made)
    base, about = fitted(face)
    assert np.isfinite(base.shapes).all()
    assert about["base"]["left_out_rms_mm"] <= about["base"]["columns_alone_left_out_rms_mm"]


def test_any_number_of_threads_gives_the_same_bytes():
    face = Face(bent=0.3)
    first, second = (fitted(face, threads=threads)[0] for threads in (1, 2))
    assert first.shapes.tobytes() == second.shapes.tobytes()
    assert first.constant.tobytes() == second.constant.tobytes()


def test_rows_that_are_not_given_are_not_read():
    face, rows = Face(bent=0.3), np.arange(0, 300, 2)
    before, _ = fitted(face, rows)
    face.vertices[1::2] = np.nan
    assert fitted(face, rows)[0].shapes.tobytes() == before.shapes.tobytes()


@pytest.mark.parametrize("change", ["no column varies", "nothing is moved"])
def test_without_motion_there_is_no_base(change):
    face = Face()
    if change == "no column varies":
        face.poses[:] = 0.5
    else:
        face.influence[:] = False
    base, about = fitted(face)
    assert base is None
    assert about["base"].startswith("none")


def test_one_column_has_its_square():
    x = np.linspace(0.0, 1.0, 50).astype(np.float32)[:, None]
    chosen = choose_features(x, np.concatenate([x, x**2], axis=1).astype(np.float64), None, 0, 1.0, 1)
    assert (chosen.first.tolist(), chosen.second.tolist()) == ([0], [0])


def test_the_rest_pose_stays_where_it_is_if_rows_are_around_it():
    face = Face(rows=500, signed=(1,))
    base, _ = fitted(face)
    assert np.abs(base.offsets(np.zeros((1, COLUMNS), np.float32))).max() < 2e-2


def test_a_few_minutes_read_fewer_rows():
    face = Face(rows=4000)
    assert fitted(face, minutes=0.2)[1]["base"]["rows"] == 800
