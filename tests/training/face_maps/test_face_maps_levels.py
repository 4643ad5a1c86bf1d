"""Coarse maps first; refinements learn what the frozen coarse model leaves; a killed run goes on to the same bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigcast.progress import silent
from rigcast.training import _optimize as optimize
from rigcast.training._budget import Budget, torch_settings
from rigcast.training._checkpoint import TrainingState
from rigcast.training._face_maps._layout.segments import MapSegment
from rigcast.training._face_maps._preparation import prepare
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train import stages as stages_module
from rigcast.training._face_maps._train.learned_map import map_tensors
from rigcast.training._face_maps._train.levels import Levels
from rigcast.training._pace import RESERVE
from tests.support.characters.mapped_face import clip_data, slow_offsets

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

SMALL = {"hidden": 8, "first_channels": 2, "channels": 4, "batch": 4, "base": False}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return clip_data(tmp_path_factory.mktemp("face") / "face.rwdata", frames=30)


@pytest.fixture(scope="module")
def ready(data):
    return prepare(data, FaceMapsSettings(**SMALL), Budget("face_maps", threads=1))


def refined(ready):
    """With a refinement of a corner of the brow, wherever the layout would put one."""
    brow = ready.layout.coarse[0]
    low = brow.uvs.min(axis=0)
    inside = np.flatnonzero((brow.uvs <= low + 0.5).all(axis=1))
    weights = np.linspace(0.2, 1.0, len(inside)).astype(np.float32)
    own = MapSegment("detail", 1, brow.vertices[inside], 2.0 * (brow.uvs[inside] - low), weights, brow.columns, 64)
    return replace(ready, layout=ready.layout.refined([own]))


def trained(data, ready, checkpoint=None, progress=silent, steps=None, seed=0, **given):
    """Tensors of all maps after training."""
    settings = FaceMapsSettings(**SMALL, **given)
    ready = refined(ready) if settings.refinement > 0.0 else ready
    budget = Budget("face_maps", None, steps, seed, "cpu", 1, checkpoint, False, progress)
    with torch_settings(torch, 1, "cpu"):
        learned, _ = Levels(data, settings, budget).train(ready)
    return map_tensors(learned, ready.layout)


def same(one, other, names=None):
    return all(one[name].tobytes() == other[name].tobytes() for name in names or one)


def levels_of(data, ready):
    """Both levels as they are after a few steps."""
    settings, budget = FaceMapsSettings(**SMALL), Budget("face_maps", steps=12, threads=1)
    levels, clock = Levels(data, settings, budget), stages_module.StageClock(settings, budget)
    with torch_settings(torch, 1, "cpu"):
        coarse = levels._level(0, ready.layout.coarse, ready, None, clock)
        ready = refined(ready)
        fine = levels._level(1, ready.layout.fine, ready, coarse, clock)
    return coarse, fine, ready


def test_the_coarse_model_is_frozen_while_refinements_are_trained(data, ready):
    coarse = trained(data, ready, steps=6, refinement=0.0, texels=1.0)
    both = trained(data, ready, steps=12, refinement=0.5, texels=1.0)
    assert both["segments.level"].tolist() == [0, 0, 0, 1]
    assert same(coarse, both, [name for name in coarse if name.startswith("segment.")])


def test_refinements_learn_what_the_coarse_model_leaves(data, ready, tolerance):
    coarse, fine, ready = levels_of(data, ready)
    tensors = map_tensors(coarse.learned(ready.length), ready.layout)
    vertices = fine.descent.problem.level.vertices
    for row in (0, 17):
        expected = slow_offsets(tensors, data.poses[row], len(data.rest_vertices))[vertices] / ready.length
        np.testing.assert_allclose(fine.descent.problem.base[row], expected, atol=tolerance["float32_sum"])


def test_a_level_adds_its_maps_to_the_frozen_model(data, ready, tolerance):
    coarse, fine, ready = levels_of(data, ready)
    learned = coarse.learned(ready.length) + fine.learned(ready.length)
    tensors = map_tensors(learned, ready.layout)
    rows = np.array([3, 40])
    found = fine.descent.offsets(fine.state.best, rows)
    for row, offsets in zip(rows, found, strict=True):
        expected = slow_offsets(tensors, data.poses[row], len(data.rest_vertices)) / ready.length
        np.testing.assert_allclose(
            offsets, expected[fine.descent.problem.level.vertices], atol=tolerance["float32_sum"]
        )


def test_training_lowers_the_held_out_error(data, ready):
    errors = []

    def note(progress):
        if progress.stage.startswith("training coarse"):
            errors.append(float(progress.message.split()[2]))

    trained(data, ready, steps=300, refinement=0.0, learning_rate=0.01, progress=note)
    assert errors[-1] < 0.9 * errors[0]


def test_the_same_seed_gives_the_same_bytes(data, ready):
    assert same(*(trained(data, ready, steps=4, seed=3) for _ in range(2)))


class Interrupted(Exception):
    pass


COARSE_MAPS = stages_module.STAGES[1]
COARSE_ALONE = {"refinement": 0.0, "texels": 0.5}  # a coarse level that is refined has no steps on vertices


@pytest.mark.parametrize("optimizer", ["adam", "soap"])
@pytest.mark.parametrize("stage", stages_module.STAGES)
def test_interrupted_and_resumed_equals_uninterrupted(data, ready, tmp_path, monkeypatch, stage, optimizer):
    monkeypatch.setattr(optimize, "CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "run"
    given = {"steps": 12, "optimizer": optimizer, **(COARSE_ALONE if stage == COARSE_MAPS else {})}

    def stop(progress):
        if progress.stage == stage and progress.done >= 0.5:
            raise Interrupted

    with pytest.raises(Interrupted):
        trained(data, ready, file, stop, **given)
    resumed = trained(data, ready, file, **given)
    assert same(resumed, trained(data, ready, **given))


def test_a_finished_level_is_not_trained_again(data, ready, tmp_path, monkeypatch):
    file = tmp_path / "run"
    whole = trained(data, ready, file, steps=8)
    monkeypatch.setattr(optimize.Descent, "_step", lambda *step: pytest.fail("a step was done again"))
    assert same(whole, trained(data, ready, file, steps=8))


def test_a_checkpoint_of_other_settings_is_refused(data, ready, tmp_path):
    file = tmp_path / "run"
    trained(data, ready, file, steps=4)
    with pytest.raises(ValueError, match=r"face_maps: checkpoint is .* belongs to another run"):
        trained(data, ready, file, steps=4, seed=1)


def test_minutes_are_shared_by_the_stages(data, ready, monkeypatch):
    """A clock that jumps a second per query: each stage ends after a few steps."""
    now = iter(range(10**6))
    clock = type("Clock", (), {"monotonic": staticmethod(lambda: float(next(now)))})
    for module in (optimize, stages_module):
        monkeypatch.setattr(module, "time", clock)
    levels = Levels(data, FaceMapsSettings(**SMALL), Budget("face_maps", minutes=1.0, threads=1, started=0.0))
    with torch_settings(torch, 1, "cpu"):
        _, done = levels.train(refined(ready))
    assert list(done["steps_done"]) == [stage for stage in stages_module.STAGES if stage != COARSE_MAPS]
    assert all(0 < steps < 60 for steps in done["steps_done"].values())


def test_time_spent_elsewhere_shortens_the_stages(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(stages_module, "time", type("Clock", (), {"monotonic": staticmethod(lambda: now[0])}))
    settings = FaceMapsSettings(refinement=0.5, texels=0.5)
    clock = stages_module.StageClock(settings, Budget("face_maps", minutes=1.0, started=0.0))
    total = 60.0 * (1.0 - RESERVE) - 5.0
    clock.keep_for_ending(5.0)
    now[0] = 10.0
    first = clock.allowance(0).seconds
    assert first == pytest.approx((total - 10.0) / 2)
    clock.finish(0, TrainingState(seconds=first))
    assert clock.share(1) == 0.0  # what is refined has no steps on vertices
    now[0] += 11.0
    assert clock.allowance(2).seconds == pytest.approx((total - 21.0 - first) / 2)
    now[0] += 100.0
    assert clock.allowance(3).seconds == 0.0


def test_without_texels_there_is_one_stage_per_level(data, ready):
    stages = []
    trained(data, ready, steps=4, texels=0.0, progress=lambda progress: stages.append(progress.stage))
    assert not [stage for stage in stages if stage.endswith("texels")]


def test_maps_add_to_the_base(data, tolerance):
    ready = prepare(data, FaceMapsSettings(**(SMALL | {"base": True})), Budget("face_maps", threads=1))
    assert ready.base is not None
    coarse, fine, ready = levels_of(data, ready)
    tensors = map_tensors(coarse.learned(ready.length) + fine.learned(ready.length), ready.layout)
    under = ready.base.offsets(data.poses)
    problem, row = coarse.descent.problem, 17
    expected = under[:, problem.level.vertices] / ready.length
    np.testing.assert_allclose(problem.base, expected, atol=tolerance["float32_sum"])
    drawn = slow_offsets(tensors, data.poses[row], len(data.rest_vertices)) + under[row]
    found = fine.descent.offsets(fine.state.best, np.array([row]))[0] * ready.length
    np.testing.assert_allclose(
        found, drawn[fine.descent.problem.level.vertices], atol=tolerance["float32_sum"] * ready.length
    )
