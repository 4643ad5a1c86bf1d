"""Face data sets: sizes that they document, sums done again by hand, and refusals of broken files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.faces._ict import SEGMENTS

STOPS = {
    "gender": ([0, 1], ["female", "male"]),
    "age": ([0, 0.1875, 0.5, 1], ["baby", "child", "young", "old"]),
    "muscle": ([0, 0.5, 1], ["minmuscle", "averagemuscle", "maxmuscle"]),
    "weight": ([0, 0.5, 1], ["minweight", "averageweight", "maxweight"]),
}


def test_the_ict_face_is_what_its_files_hold(data_path):
    folder = data_path("ict_facekit")
    rig = rc.faces.ict(folder)
    stored = np.load(folder / "expressions.npz")
    assert rig.rest_vertices.shape == (26_719, 3)
    assert rig.shape_names == stored["names"].tolist()
    assert rig.num_columns == rig.num_shapes == 57
    assert rig.metadata["meters_per_unit"] == 0.01
    np.testing.assert_array_equal(rig.column(30), stored["deltas"][30])


def test_segments_of_the_ict_face_join_without_gaps():
    ends = list(SEGMENTS.values())
    assert [start for start, _ in ends] == [0, *(stop for _, stop in ends[:-1])]
    assert ends[-1][1] == 26_719


def test_an_identity_moves_the_neutral_and_nothing_else(data_path, tolerance):
    folder = data_path("ict_facekit")
    weights = np.random.default_rng(0).normal(size=100)
    rig = rc.faces.ict(folder, identity=weights)
    modes = np.load(folder / "identities.npz")["deltas"].astype(np.float64)
    neutral = np.load(folder / "topology_neutral.npz")["neutral"] + sum(
        w * mode for w, mode in zip(weights, modes, strict=True)
    )
    np.testing.assert_allclose(rig.rest_vertices, neutral, atol=40 * tolerance["float32_sum"])  # 40 cm tall
    np.testing.assert_array_equal(rig.column(5), rc.faces.ict(folder).column(5))
    with pytest.raises(ValueError, match="identity"):
        rc.faces.ict(folder, identity=weights[:5])


@pytest.mark.parametrize(("name", "count"), [("caucasian", 34), ("african", 34), ("arkit", 67)])
def test_makehuman_sets_unpack_to_their_sparse_rows(data_path, tolerance, name, count):
    folder = data_path("makehuman_hm08")
    rig = rc.faces.makehuman(folder, name)
    file = {"arkit": "arkit_visemes_talkinghead"}.get(name, f"expression_units_{name}")
    stored = dict(np.load(folder / f"{file}.npz"))
    rows = stored["delta"] if "delta" in stored else stored["delta_thousandths"] / 1000  # decimeters
    assert rig.num_shapes == count
    assert rig.rest_vertices.shape == (13_380, 3)
    k = count // 2
    dense = np.zeros((19_158, 3), np.float32)
    for row in range(stored["ptr"][k], stored["ptr"][k + 1]):
        dense[stored["index"][row]] += rows[row].astype(np.float32)
    np.testing.assert_allclose(rig.column(k), dense[:13_380], rtol=tolerance["float32"])


def test_a_makehuman_set_on_the_identity_it_was_sculpted_for(data_path):
    folder = data_path("makehuman_hm08")
    base, own = rc.faces.makehuman(folder, "african"), rc.faces.makehuman(folder, "african", identity=True)
    macro = rc.faces.makehuman_macro_targets(folder)
    dials = {"gender": 0.5, "age": 0.5, "muscle": 0.5, "weight": 0.5, "african": 1.0}
    np.testing.assert_array_equal(
        own.rest_vertices, macro.evaluate([dials.get(name, 0.0) for name in macro.shape_names])
    )
    np.testing.assert_array_equal(own.columns(), base.columns())
    assert np.abs(own.rest_vertices - base.rest_vertices).max() > 0.01  # decimeters
    with pytest.raises(ValueError, match="identity is True for 'arkit'"):
        rc.faces.makehuman(folder, "arkit", identity=True)


def test_macro_targets_add_up_as_makehuman_adds_them(data_path, tolerance):
    """Each target's weight is the product of its stops' shares, a stop's share falling linearly to its neighbors."""
    folder = data_path("makehuman_hm08")
    rig = rc.faces.makehuman_macro_targets(folder)
    stored = dict(np.load(folder / "macrodetails.npz"))
    orders = sorted(len(factors) for factors in rig.combinations)
    assert orders == [3] * 24 + [4] * 72
    random = np.random.default_rng(1)
    dials = random.uniform(size=(6, 7))
    dials[1, :4], dials[2, :4], dials[3, :4] = 0, 1, [0.5, 0.1875, 0.5, 0.5]
    expected = []
    for row in dials:
        share = {"universal": 1.0, "african": row[4], "asian": row[5], "caucasian": row[6]}
        for dial, value in zip(STOPS, row[:4], strict=True):
            places, names = STOPS[dial]
            share |= {n: np.interp(value, places, np.eye(len(places))[i]) for i, n in enumerate(names)}
        total = rig.rest_vertices.astype(np.float64)
        for k, name in enumerate(stored["names"]):
            weight = np.prod([share[word] for word in name.split("-")])
            rows = slice(stored["ptr"][k], stored["ptr"][k + 1])
            inside = stored["index"][rows] < 13_380
            total[stored["index"][rows][inside]] += weight * stored["delta_thousandths"][rows][inside] / 1000
        expected.append(total)
    np.testing.assert_allclose(rig.evaluate(dials.astype(np.float32)), expected, atol=20 * tolerance["float32_sum"])


def test_the_combination_structure_has_its_counts():
    structure = rc.faces.compskin_combinations()
    assert len(structure.controls) == 72
    assert structure.counts() == {"in-between": 43, "pair": 118, "triple": 48, "quadruple": 6}


def test_the_structure_gives_the_columns_that_the_data_set_recorded(data_path):
    """167 of the 181 derived columns of the recording equal one of the outputs within 0.02, says the data set."""
    folder = data_path("compskin_face_anim")
    structure = rc.faces.compskin_combinations()
    names, curves = rc.faces.compskin_curves(folder)
    assert names == structure.controls
    still = np.zeros((72, 1, 3))
    rig = rc.BlendshapeRig(np.zeros((1, 3)), still, [(f, still[0]) for f in structure.combinations])
    mine = rig.activations(np.clip(curves, 0, 1))
    recorded = np.load(folder / "face_controls.npz")["rig_logic_253"].astype(np.float32)[:, 72:]
    distance = np.array([np.abs(mine - column[:, None]).max(axis=0).min() for column in recorded.T])
    assert (distance < 0.02).sum() >= 160


BAD_STRUCTURES = {
    "garbage": b"{",
    "no products": json.dumps({"controls": ["a"], "in_betweens": []}).encode(),
    "a foreign entry": json.dumps({"controls": ["a"], "in_betweens": [], "products": [{"type": "noise"}]}).encode(),
    "a control beyond": json.dumps({"controls": ["a"], "in_betweens": [], "products": [["a", "b@0.5"]]}),
    "a short tent": json.dumps({"controls": ["a"], "in_betweens": [["a", 0, 1]], "products": []}),
    "names twice": json.dumps({"controls": ["a", "a"], "in_betweens": [], "products": []}).encode(),
}


@pytest.mark.parametrize("name", BAD_STRUCTURES)
def test_broken_structures_are_refused(tmp_path, name):
    content = BAD_STRUCTURES[name]
    path = tmp_path / "structure.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match="compskin_combinations"):
        rc.faces.compskin_combinations(path)


def test_broken_folders_are_refused(tmp_path, data_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        rc.faces.ict(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"generic_neutral_mesh\.obj.* a copy of ICT-FaceKit"):
        rc.faces.ict(tmp_path)
    whole = data_path("ict_facekit", "topology_neutral.npz").read_bytes()
    (tmp_path / "topology_neutral.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"topology_neutral\.npz"):
        rc.faces.ict(tmp_path)
    with pytest.raises(ValueError, match="shapes"):
        rc.faces.makehuman(tmp_path, "martian")
    with pytest.raises(FileNotFoundError, match=r"3dobjs/base\.obj.* the data of MPFB"):
        rc.faces.makehuman_macro_targets(tmp_path)
