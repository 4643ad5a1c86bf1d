"""One report of models of several kinds: names, colors, the gate's line, numbers."""

from __future__ import annotations

import re
from html import unescape
from types import SimpleNamespace

import pytest

import rigcast as rc
from rigcast.report._body.contenders import contenders, reference

KINDS = ("linear_blend", "pose_space", "regression", "body", "regressed_skinning", "direct_delta_mush")


@pytest.fixture(scope="module")
def fitted(studied):
    """A model file of each kind by its name."""
    folder, training = studied.folder, studied.training
    models = {
        "linear_blend": rc.baselines.linear_blend(training, 2),
        "pose_space": rc.baselines.pose_space_deformation(training, 4, 2),
        "regression": rc.baselines.pca_regression(training, 6, features="quadratic"),
        "regressed_skinning": rc.baselines.ssdr(training, 3, 2, rounds=2, most_frames=10),
        "direct_delta_mush": rc.baselines.direct_delta_mush(training, 2, iterations=2),
    }
    files = {name: folder / f"{name}.safetensors" for name in models}
    for name, model in models.items():
        model.save(files[name])
    return files | {"body": studied.files["hero"]}


@pytest.fixture(scope="module")
def beside(studied, fitted):
    """A report of three kinds, with the gate."""
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    path = studied.folder / "kinds.html"
    numbers = rc.report.write_body(
        path,
        [fitted[kind] for kind in ("regression", "body", "pose_space")],
        studied.data,
        animation=studied.animation,
        training=studied.training,
        names=["quadratic", "learned", "examples"],
    )
    return SimpleNamespace(numbers=numbers, html=path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_about_any_kind(fitted, kind):
    assert contenders([fitted[kind]], None, [])[0].model.kind == kind


def test_every_model_is_measured_on_every_set(beside):
    named = {title: list(found) for title, found in beside.numbers["accuracy"].items()}
    assert named == {
        "random poses": ["quadratic", "learned", "examples"],
        "animation": ["quadratic", "learned", "examples"],
    }


def test_the_gate_stands_below_the_numbers_and_above_the_rest(beside):
    assert beside.html.index('class="figures"') < beside.html.index('<p class="verdict">')
    assert beside.html.index('<p class="verdict">Random poses, quadratic: ') < beside.html.index('<p class="lead">')


def test_each_set_of_poses_has_its_verdict(beside):
    assert beside.html.count('<p class="verdict">') == 2


def test_the_verdict_is_about_the_first_model(beside, studied, fitted):
    data = studied.data
    gate = rc.metrics.difficulty(studied.training, data)
    error = rc.metrics.vertex_error(data.vertices, rc.load(fitted["regression"]).evaluate(data.poses))
    assert f"Random poses, quadratic: {gate.verdict(error.mean, error.max)}" in unescape(
        re.sub(r"</?a\b[^>]*>", "", beside.html)
    )


def test_simple_methods_are_numbers_of_the_report(beside):
    methods = beside.numbers["gate"]["random poses"]["methods"]
    assert list(methods) == ["PCA + linear regression", "quadratic ridge", "nearest training pose"]


def test_all_models_are_in_the_pictures(beside):
    overview = beside.html.split('id="overview"')[1].split("</section>")[0]
    assert all(f"</i>{name}<small>" in overview for name in ("quadratic", "learned", "examples"))


def test_without_a_training_set_there_is_no_gate(studied, tmp_path):
    numbers = rc.report.write_body(tmp_path / "a.html", [studied.files["hero"]], studied.data, at_most=2)
    assert numbers["gate"] == {}


def test_a_training_set_of_one_pose_has_no_gate(studied):
    from rigcast.progress import silent
    from rigcast.report._body.assess import gates

    one = rc.sampling.sample(studied.rig, studied.folder / "one.rwdata", 1, probe=0)
    assert gates(one, [], silent) == {}


def test_files_of_one_name_get_labels_of_their_own(fitted, tmp_path):
    same = tmp_path / "regression.safetensors"
    same.write_bytes(fitted["regression"].read_bytes())
    labels = [entry.label for entry in contenders([fitted["regression"], same, same], None, [])]
    assert labels == ["regression", f"{tmp_path.name}/regression", f"{tmp_path.name}/regression (2)"]


def test_no_two_models_share_a_color(fitted):
    entries = contenders([fitted[kind] for kind in KINDS], None, [fitted["linear_blend"]] * 4)
    assert len({entry.color for entry in entries}) == len(entries)


def test_the_second_model_stands_beside_the_first(fitted):
    entries = contenders([fitted["regression"], fitted["body"]], None, [])
    assert reference(entries) is entries[1]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["one"], "names is 1 names; it must be one for each of the 2 models"),
        (["one", "one"], "'one' twice"),
        (["one", ""], "names"),
    ],
)
def test_names_that_do_not_fit_are_refused(fitted, names, message):
    with pytest.raises(ValueError, match=message):
        contenders([fitted["regression"], fitted["body"]], None, [], names)
