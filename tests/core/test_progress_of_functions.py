"""Every public function that takes ``progress``: True draws a bar, a callable gets the records, None is silent."""

from __future__ import annotations

import inspect
import re
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.progress import Progress
from tests.core.test_progress import Terminal, public_functions
from tests.support.characters.plain_face import plain_face
from tests.support.characters.small_rig import small_rig
from tests.training.laid_face import LaidData

RIG = plain_face()
REST, FACES = RIG.rest_vertices, RIG.faces
LIMB = rc.Skeleton(["hip", "knee"], [-1, 0], [np.eye(3, 4), [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]])
SHAPES = rc.transfer.positions_from_rig(RIG)[: RIG.num_shapes]
ONE = np.eye(1, RIG.num_shapes)
MOVING = 0.5 + 0.3 * np.sin(np.arange(10.0)[:, None] * np.arange(1, RIG.num_shapes + 1))


def linear_blend(progress, folder):
    rig = small_rig()
    poses, vertices = rig.sample(np.asarray(rig.channel_ranges, np.float32).T)
    samples = rc.baselines.Samples(rig.skeleton, rig.rest_vertices, np.asarray(rig.faces, np.int32), poses, vertices)
    rc.baselines.linear_blend(samples, progress=progress)


def some_samples():
    rig = small_rig()
    poses, vertices = rig.sample(np.asarray(rig.channel_ranges, np.float32).T.repeat(3, axis=0))
    return rc.baselines.Samples(rig.skeleton, rig.rest_vertices, np.asarray(rig.faces, np.int32), poses, vertices)


def sample(progress, folder):
    return rc.sampling.sample(small_rig(), folder / "data", count=4, probe=0, progress=progress)


def sample_actions(progress, folder):
    rig = small_rig()
    rows = np.zeros((4, len(rig.channel_names)))
    return rc.sampling.sample_actions(rig, folder / "data", [rows], progress=progress)


def study_plan():
    look = rc.study.PictureSettings(size=16)
    return rc.study.StudyPlan("study", [rc.study.NamedExpression("Neutral", {})], [1.0], look)


COMPARED = {"face": {"truth": RIG, "old": RIG, "new": RIG}}

CALLS = {
    "approximate": lambda p, _: rc.exports.approximate(rc.exports.Playback(RIG, ONE), bones=2, shapes=1, progress=p),
    "make_rating": lambda p, at: rc.study.make_rating(at / "study", {"face": RIG}, study_plan(), progress=p),
    "make_choice": lambda p, at: rc.study.make_choice(at / "study", COMPARED, study_plan(), progress=p),
    "make_ranking": lambda p, at: rc.study.make_ranking(at / "study", COMPARED, study_plan(), progress=p),
    "make_recipe": lambda p, at: rc.study.make_recipe(
        "rating", at / "study", characters=1, pictures=rc.study.PictureSettings(size=16), progress=p
    ),
    "solve": lambda p, _: rc.inverse.solve(RIG, SHAPES, alpha=0.1, progress=p),
    "Solver.solve": lambda p, _: rc.inverse.Solver(RIG).solve(SHAPES, method="cet", alpha=0.1, progress=p),
    "trade_off": lambda p, _: rc.inverse.trade_off(RIG, SHAPES, methods=("seol", "cet_loc"), alphas=[0.1], progress=p),
    "linear_blend": linear_blend,
    "face_layout": lambda p, _: rc.training.face_layout(LaidData(), resolution=6, fields=0, progress=p),
    "correspond": lambda p, _: rc.transfer.correspond(REST, FACES, REST, FACES, iterations=1, progress=p),
    "pack_expressions": lambda p, _: rc.transfer.pack_expressions(REST, SHAPES, FACES, progress=p),
    "fit_example_weights": lambda p, _: rc.transfer.fit_example_weights(
        rc.transfer.DeformationTransfer(REST, REST, FACES),
        SHAPES,
        REST,
        examples=SHAPES,
        example_weights=np.eye(len(SHAPES)),
        progress=p,
    ),
    "quality": lambda p, _: rc.transfer.quality(REST, SHAPES, REST, target_shapes=SHAPES, faces=FACES, progress=p),
    "transfer_in_parts": lambda p, at: rc.transfer.transfer_in_parts(
        REST, SHAPES, REST, FACES, folder=at / "parts", progress=p
    ),
    "solve_motion": lambda p, _: rc.ik.solve_motion(
        LIMB, LIMB.rest_globals[None, :, :, 3], LIMB.names, fps=24, progress=p
    ),
    "transfer_rig": lambda p, _: rc.transfer.transfer_rig(RIG, REST, progress=p),
    "measure_transfer": lambda p, _: rc.report.measure_transfer(RIG, RIG, progress=p),
    "sample": sample,
    "sample_actions": sample_actions,
    "ssdr": lambda p, _: rc.baselines.ssdr(some_samples(), bones=2, influences=2, rounds=2, progress=p),
    "skinning_decomposition": lambda p, _: rc.baselines.skinning_decomposition(
        REST, SHAPES, bones=2, influences=2, rounds=2, progress=p
    ),
    "pca_regression": lambda p, _: rc.baselines.pca_regression(some_samples(), progress=p),
    "kpsa": lambda p, _: rc.baselines.kpsa(some_samples(), points=6, vectors=3, progress=p),
    "rotational_regression": lambda p, _: rc.baselines.rotational_regression(some_samples(), progress=p),
    "direct_delta_mush": lambda p, _: rc.baselines.direct_delta_mush(some_samples(), progress=p),
    "pose_space_deformation": lambda p, _: rc.baselines.pose_space_deformation(some_samples(), count=4, progress=p),
    "power": lambda p, _: rc.perception.power([1.0, 2.0], {"rig": ["old", "new"]}, 4, noise=1.0, runs=3, progress=p),
    "make_actor_set": lambda p, at: rc.capture.make_actor_set(
        rc.capture.example_cast(), at / "actors", actors=1, plan=rc.capture.ShotPlan(frames=2, size=16), progress=p
    ),
    "balanced": lambda p, _: rc.sampling.balanced(small_rig(), "uniform", 4, progress=p),
    "fit": lambda p, _: rc.synthesis.fit({"x": [MOVING]}, rig=RIG, iterations=2, progress=p),
    "Dataset.verify": lambda p, at: sample(None, at).verify(progress=p),
}
# They draw pages, train, or read published data: tried beside their own tests, with a callback.
SLOW = {
    "capture_network",
    "body",
    "body_until",
    "dense_network",
    "detect",
    "differential",
    "face_ik",
    "face_maps",
    "style_transfer",
    "write_capture",
    "write_contact_sheet",
    "convert_data_set",
    "fit_skinning_baselines",
    "write_body",
    "write_face_ik",
    "write_preview",
    "write_shot",
    "write_synthesis",
    "write_transfer",
}
FUNCTIONS = {
    f.__qualname__: f
    for f in public_functions()
    if "progress" in inspect.signature(f).parameters and f is not rc.progress.as_callback and f.__name__ != "__init__"
}


def test_no_public_function_is_left_out():
    assert set(FUNCTIONS) == {*CALLS, *SLOW}


@pytest.mark.parametrize("name", CALLS)
def test_a_callable_gets_records(name, tmp_path, monkeypatch):
    stream, records = Terminal(), []
    monkeypatch.setattr(sys, "stderr", stream)
    CALLS[name](records.append, tmp_path)
    assert records
    assert all(isinstance(record, Progress) and record.stage for record in records)
    assert records[-1].done == records[-1].total
    assert stream.getvalue() == ""


@pytest.mark.parametrize("name", CALLS)
def test_true_draws_a_bar(name, tmp_path, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    CALLS[name](True, tmp_path)
    assert "100%" in stream.getvalue()


@pytest.mark.parametrize("name", CALLS)
def test_none_is_silent(name, tmp_path, capfd):
    CALLS[name](None, tmp_path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", sorted(SLOW))
def test_slow_functions_make_the_callback_where_all_others_do(name):
    source = inspect.getsource(FUNCTIONS[name])
    assert "as_callback(progress)" in source or re.search(r"budget_of\([^)]*\bprogress\b", source)


def test_the_budget_of_trainings_makes_the_callback():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from rigcast.training._budget import budget_of

    assert "as_callback(progress)" in inspect.getsource(budget_of)


@pytest.mark.parametrize("name", CALLS)
def test_anything_else_is_refused(name, tmp_path):
    with pytest.raises(ValueError, match="progress is 'yes'; it must be True, a callable"):
        CALLS[name]("yes", tmp_path)
