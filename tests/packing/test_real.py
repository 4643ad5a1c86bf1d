"""Real faces: every expression beside the published program in HiGHS, and what the left-right map finds."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import rigcast as rc
from tests.packing import oracles

pack = rc.transfer.pack_expressions
SIDES = (("_L", "_R"), ("Left", "Right"), ("-left-", "-right-"))


@pytest.fixture(scope="module")
def makehuman(data_path):
    """Vertices and quads of the body, without helper geometry."""
    vertices, faces = [], []
    with gzip.open(data_path("makehuman_hm08", "base.obj.gz"), "rt") as stream:
        for line in stream:
            kind, *parts = line.split() or [""]
            if kind == "v":
                vertices.append([float(x) for x in parts])
            elif kind == "f":
                faces.append([int(part.split("/")[0]) - 1 for part in parts])
    faces = np.array(faces, np.int32)
    body = 13_380
    return np.array(vertices, np.float32)[:body], faces[(faces < body).all(axis=1)]


@pytest.fixture(scope="module")
def face(request, data_path, makehuman):
    """Neutral, shapes, faces, names."""
    if request.param == "ict":
        rig = rc.faces.ict(data_path("ict_facekit"))
        keep = [k for k, name in enumerate(rig.shape_names) if not name.startswith(("cheekRaiser", "PupilDilate"))]
        return rig.rest_vertices, rig.rest_vertices + rig.columns()[keep], rig.faces, [rig.shape_names[k] for k in keep]
    neutral, faces = makehuman
    file = np.load(data_path("makehuman_hm08", request.param))
    delta = file["delta"] if "delta" in file else file["delta_thousandths"] / 1000.0
    shapes = np.repeat(neutral[None], len(file["names"]), axis=0)
    for k, shape in enumerate(shapes):
        part = slice(file["ptr"][k], file["ptr"][k + 1])
        inside = file["index"][part] < len(neutral)
        shape[file["index"][part][inside]] += delta[part][inside]
    return neutral, shapes, faces, [str(name) for name in file["names"]]


FACES = ["ict", "expression_units_caucasian.npz", "arkit_visemes_talkinghead.npz"]


@pytest.mark.parametrize("face", FACES, indirect=True)
@pytest.mark.parametrize("symmetry", [False, True])
def test_the_first_expressions_solve_the_published_program(face, symmetry, tolerance):
    pytest.importorskip("highspy", reason="the oracle is HiGHS")
    neutral, shapes, faces, names = face
    plan = pack(neutral, shapes, faces, symmetry=symmetry, names=names, anatomy=False)
    rows = np.unique(np.packbits(plan.active, axis=0), axis=1, return_index=True)[1]
    left = set(range(len(names))) - set(plan.empty)
    for number, expression in enumerate(plan.expressions):
        assert plan.active[expression].sum(axis=0).max() <= 1
        if number < 3:
            pairs = [(pair.first, pair.second) for pair in plan.pairs]
            best = oracles.published_program(plan.active[:, rows], plan.importance, pairs, left)
            assert plan.importance[expression].sum() == pytest.approx(best, abs=tolerance["gram"])
        assert plan.best[number]
        left -= set(expression)
    assert not left
    assert plan.active.sum(axis=0).max() <= plan.lower_bound <= len(plan.expressions)


@pytest.mark.parametrize("face", FACES, indirect=True)
def test_fewest_expressions_reach_the_bound(face):
    neutral, shapes, faces, names = face
    plan = pack(neutral, shapes, faces, symmetry=False, minimize=True, names=names, anatomy=False)
    greedy = pack(neutral, shapes, faces, symmetry=False, method="greedy", names=names, anatomy=False)
    assert plan.proven_minimal
    assert len(plan.expressions) == plan.lower_bound <= len(greedy.expressions)
    assert sorted(k for e in plan.expressions for k in e) == [k for k in range(len(names)) if k not in plan.empty]
    assert all(plan.active[e].sum(axis=0).max() <= 1 for e in plan.expressions)
    clique = plan.active[plan.clique]
    shared = clique.astype(int) @ clique.T
    assert (shared > 0).all()


@pytest.mark.parametrize(
    ("face", "pairs"), [(name, n) for name, n in zip(FACES, (20, 9, 17), strict=True)], indirect=["face"]
)
def test_pairs_are_those_that_the_names_say(face, pairs):
    """No pair of unlike names; in ICT all shapes with a side have found the other one."""
    neutral, shapes, faces, names = face
    plan = pack(neutral, shapes, faces, limit=1, names=names, anatomy=False)
    assert len(plan.pairs) >= pairs
    for pair in plan.pairs:
        first, second = names[pair.first], names[pair.second]
        assert any(first.replace(left, right) == second for left, right in SIDES), (first, second)
    assert plan.mirrored > 0.99 * len(neutral)


def test_rejections_on_a_real_face(data_path):
    rig = rc.faces.ict(data_path("ict_facekit"))
    shapes = rig.rest_vertices + rig.columns()
    first = pack(rig.rest_vertices, shapes, rig.faces, symmetry=False, limit=1)
    second = pack(rig.rest_vertices, shapes, rig.faces, symmetry=False, limit=1, reject=first.expressions)
    assert second.expressions[0] != first.expressions[0]
    value = [plan.importance[plan.expressions[0]].sum() for plan in (first, second)]
    assert 0.9 * value[0] < value[1] < value[0]


@pytest.mark.parametrize("face", FACES, indirect=True)
def test_no_expression_asks_for_what_a_person_cannot_do(face):
    neutral, shapes, faces, names = face
    plan = pack(neutral, shapes, faces, names=names)
    expressions = [set(expression) for expression in plan.expressions]
    apart = [{k, m} for k, m, _ in plan.settings["opposed"]]
    assert not any(pair <= expression for expression in expressions for pair in apart)
    looks = {names[k]: number for number, expression in enumerate(expressions) for k in expression}
    assert looks.get("eyeLookOutLeft") == looks.get("eyeLookInRight")
