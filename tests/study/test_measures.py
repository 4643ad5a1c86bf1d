"""Measures that studies store with what they show: against the functions themselves, through files, and analyzed."""

from __future__ import annotations

import dataclasses
import json
import shutil

import numpy as np
import pytest

import rigcast as rc
from rigcast.study._foretold import foretold
from rigcast.study._measures import MEASURE, MEASURES
from tests.study import small
from tests.support.characters.plain_face import plain_face

EXACT = 1e-6  # of one figure from float32 vertices in two frames of reference


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return small.rating(tmp_path_factory.mktemp("measured") / "study", pictures={"size": 32})


def test_a_rating_stores_what_its_expression_changes(rated):
    face = plain_face()
    for trial in rated.trials:
        expression = next(e for e in small.EXPRESSIONS if e.name == trial.facts["unit"])
        weights = np.zeros(face.num_shapes)
        for name, value in expression.controls.items():
            weights[face.shape_names.index(name)] = value * trial.facts["activation"]
        moved = face.evaluate(weights)
        expected = rc.perception.shape_difference(face.rest_vertices, moved, face.faces)
        assert set(trial.measures) == set(MEASURES)
        assert trial.measures["rms"] == pytest.approx(expected.rms, rel=EXACT, abs=EXACT)
        assert trial.measures["thesis_rms"] == pytest.approx(expected.thesis_sum, rel=EXACT, abs=EXACT)
        assert trial.measures["distortion"] == pytest.approx(expected.distortion, rel=EXACT, abs=EXACT)
        assert trial.measures["hausdorff"] == pytest.approx(
            rc.metrics.hausdorff(face.rest_vertices, moved), rel=EXACT, abs=EXACT
        )
        silent = all(value == pytest.approx(0.0, abs=EXACT) for value in trial.measures.values())
        assert silent == (trial.facts["unit"] == "Neutral")


def test_a_farther_method_measures_more(tmp_path):
    study = small.choice(tmp_path / "study", pictures={"size": 32})
    for trial in study.trials:
        for name in MEASURES:
            assert trial.measures[f"{name}_old"] > trial.measures[f"{name}_new"] > 0.0


def test_live_figures_have_no_pictures_to_compare(tmp_path):
    study = small.rating(tmp_path / "study", pictures={"live": True})
    assert set(study.trials[0].measures) == set(MEASURES) - {"image_mse", "dissimilarity"}


def test_another_topology_leaves_the_pictures(tmp_path):
    face = plain_face()
    coarse = rc.study.SculptedShapes(face.rest_vertices, face.faces[:-1], {"jaw": face.rest_vertices + 0.1})
    fine = rc.study.SculptedShapes(face.rest_vertices, face.faces, {"jaw": face.rest_vertices + 0.1})
    plan = small.plan(levels=[1.0], expressions=[rc.study.NamedExpression("Jaw", {"jaw": 1.0})], pictures={"size": 32})
    study = rc.study.make_choice(tmp_path / "s", {"c": {"truth": fine, "a": fine, "b": coarse}}, plan, threads=1)
    measures = study.trials[0].measures
    assert {"rms_a", "image_mse_a", "image_mse_b"} <= set(measures)
    assert "rms_b" not in measures


def test_measures_are_read_again_and_do_not_make_another_build(rated, tmp_path):
    again = rc.study.open_study(rated.folder)
    assert [trial.measures for trial in again.trials] == [trial.measures for trial in rated.trials]
    place = tmp_path / "study"
    shutil.copytree(rated.folder, place)
    content = json.loads((place / "study.json").read_text())
    for trial in content["trials"]:
        del trial["measures"]
    (place / "study.json").write_text(json.dumps(content))
    older = rc.study.open_study(place)
    assert older.build == rated.build
    assert not older.trials[0].measures


@pytest.mark.parametrize("suffix", ["rating", "choice", "ranking"])
def test_columns_survive_a_file(suffix, tmp_path):
    study = getattr(small, suffix)(tmp_path / "study", pictures={"size": 32})
    table = rc.study.rehearse(study, 4)
    table.write(tmp_path / "a.csv")
    back = rc.study.read_answers(tmp_path / "a.csv", protocol=suffix)
    names = [name for name in table.columns if name.startswith(MEASURE)]
    assert names
    assert not set(names) & set(back.facts)
    for name in names:
        np.testing.assert_allclose(back.columns[name], table.columns[name])
    assert [m.name for m in foretold(back)] == list(MEASURES)


def test_planted_ratings_are_foretold_by_their_measure(rated):
    """Ratings that follow one measure have a correlation of 1 with it, and its model the lowest AIC."""
    table = rc.study.rehearse(rated, 6)
    follows = np.asarray(table.columns[MEASURE + "hausdorff"])
    planted = dataclasses.replace(table, columns={**table.columns, "rating": 1.0 + 8.0 * follows / follows.max()})
    found = {measure.name: measure for measure in rc.study.analyze(planted).measures}
    assert found["hausdorff"].correlation == pytest.approx(1.0)
    assert found["hausdorff"].correlation > max(m.correlation for n, m in found.items() if n != "hausdorff")
    assert found["hausdorff"].fit.aic == pytest.approx(min(m.fit.aic for m in found.values()))


def test_choices_that_follow_a_measure_have_its_slope(tmp_path):
    table = rc.study.rehearse(small.choice(tmp_path / "s", pictures={"size": 32}), 200)
    random = np.random.default_rng(3)
    apart = random.normal(size=len(table))
    first = random.random(len(table)) < 1.0 / (1.0 + np.exp(2.0 * apart))
    names = {MEASURE + "rms_old": apart, MEASURE + "rms_new": np.zeros(len(table))}
    chosen = np.where(first, *table.methods)
    planted = dataclasses.replace(table, columns={**table.columns, **names, "chosen": chosen})
    fit = next(m for m in foretold(planted) if m.name == "rms").fit
    assert abs(fit["x"] - -2.0) < 3.0 * fit.errors[fit.names.index("x")] < 0.5


def test_methods_whose_names_end_measures_are_told_apart(tmp_path):
    subjects = {"truth": plain_face(), "x": small.other_face(0.5), "rms": small.other_face(0.9)}
    plan = small.plan(levels=[1.0], expressions=small.EXPRESSIONS[1:], pictures={"size": 32})
    study = rc.study.make_choice(tmp_path / "s", {"c": subjects}, plan, threads=1)
    assert [m.name for m in foretold(rc.study.rehearse(study, 4))] == list(MEASURES)


def test_a_table_without_measures_has_none(rated):
    table = rc.study.rehearse(rated, 3)
    plain = {name: values for name, values in table.columns.items() if not name.startswith(MEASURE)}
    assert not rc.study.analyze(dataclasses.replace(table, columns=plain)).measures
