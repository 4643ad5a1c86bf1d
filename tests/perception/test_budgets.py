"""Budgets as texts, what stays within one, and the level of detail that one allows."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.perception import Viewing, VisualBudget
from rigcast.perception._differences import compare

FACE = rc.faces.example()
CLIP = np.random.default_rng(0).uniform(0, 0.6, (6, FACE.num_shapes)).astype(np.float32)
PLACE = {"meters_per_unit": FACE.meters_per_unit, "up_axis": FACE.up_axis}


@pytest.mark.parametrize(
    ("text", "amount", "unit", "distance"),
    [
        ("1px", 1.0, "px", 2.0),
        ("1px at 3m", 1.0, "px", 3.0),
        (" .5 JOD at 1.5 m", 0.5, "jod", 1.5),
        ("2e-1px", 0.2, "px", 2.0),
    ],
)
def test_texts_are_budgets(text, amount, unit, distance):
    found = VisualBudget.of(text)
    assert (found.amount, found.unit, found.viewing.distance) == (amount, unit, distance)


@pytest.mark.parametrize(
    "text", ["", "1", "px", "-1px", "0px", "1px at 0m", "1px at m", "1 mm", "1px at 2ft", "nan px", 1]
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="must be a text such as"):
        VisualBudget.of(text)


def test_the_viewer_of_a_budget_may_be_stated():
    seen = Viewing(distance=1.0, image_height=2160.0)
    assert VisualBudget.of("1px", seen).viewing == seen
    assert VisualBudget.of("1px at 4m", seen).viewing == Viewing(4.0, 2160.0)


def test_a_difference_is_within_its_own_amount_and_beyond_less():
    old, new = FACE.evaluate(CLIP), FACE.evaluate(1.1 * CLIP)
    amount = rc.perception.seen_difference(old, new, FACE.faces, budget=VisualBudget(1.0), **PLACE).amount
    for share, within in ((1.0, True), (0.999, False)):
        found = rc.perception.seen_difference(old, new, FACE.faces, budget=VisualBudget(share * amount), **PLACE)
        assert found.within == within
        assert found.worst == int(found.per_frame.argmax())


def test_a_unit_does_not_matter(tolerance):
    old, new = FACE.evaluate(CLIP), FACE.evaluate(1.1 * CLIP)
    centimeters = rc.perception.seen_difference(old, new, FACE.faces, budget=VisualBudget(1.0), **PLACE).amount
    large = {"meters_per_unit": 0.001 * FACE.meters_per_unit}
    other = rc.perception.seen_difference(1e3 * old, 1e3 * new, FACE.faces, budget=VisualBudget(1.0), **large).amount
    assert other == pytest.approx(centimeters, rel=tolerance["float32_sum"])


def test_pixels_choose_the_prefix_of_the_measured_level_of_detail():
    budget = VisualBudget.of("1px at 4m")
    found = rc.crowd.level_of_detail(FACE, CLIP, budget)
    lod = rc.crowd.LevelOfDetail(FACE, found.order, CLIP)
    camera = rc.crowd.Camera(40.0, 1080)
    errors = lod.errors * camera.pixels_per_unit(4.0 / FACE.meters_per_unit)
    assert found.prefix == int(np.flatnonzero(errors <= 1.0)[0])
    assert found.amount == pytest.approx(errors[found.prefix])


def test_a_prefix_in_pixels_holds_as_a_viewer_sees_it():
    """The level of detail bounds distances in space, which are at least those on the screen of the middle."""
    found = rc.crowd.level_of_detail(FACE, CLIP, "2px at 2m")
    kept = CLIP.copy()
    kept[:, found.order[found.prefix :]] = 0.0
    assert 0 < found.prefix < FACE.num_shapes
    seen = rc.perception.seen_difference(
        FACE.evaluate(CLIP), FACE.evaluate(kept), FACE.faces, budget=found.budget, **PLACE
    )
    assert seen.amount <= found.amount * 1.1  # a perspective picture is stretched toward its rim


def test_quality_chooses_the_shortest_prefix_within_the_budget(monkeypatch):
    """With a stand-in for ColorVideoVDP that grows with the pixels' difference, against all prefixes."""

    def loss(truth, approximation, **_):
        return float(np.abs(truth.astype(float) - approximation).mean())

    monkeypatch.setattr(compare, "jod_loss", loss)
    order = rc.crowd.importance_order(FACE, "screen_motion")
    camera = Viewing(4.0).camera(FACE.evaluate(CLIP)[0], **PLACE)
    films = []
    for prefix in range(FACE.num_shapes + 1):
        kept = CLIP.copy()
        kept[:, order[prefix:]] = 0.0
        films.append(compare.film(FACE.evaluate(kept), FACE.faces, camera))
    losses = np.array([loss(films[-1], film) for film in films])
    assert (np.diff(losses) < 0.05).all()
    amount = float(np.sort(losses)[6])
    found = rc.crowd.level_of_detail(FACE, CLIP, VisualBudget(amount, "jod", Viewing(4.0)), order=order)
    assert found.amount <= amount
    assert losses[found.prefix] == pytest.approx(found.amount)
    assert losses[found.prefix - 1] > amount


@pytest.mark.parametrize(
    ("given", "words"), [({"budget": "1 mile"}, "text"), ({"order": [0]}, "order"), ({"fps": 0.0}, "fps")]
)
def test_wrong_arguments_are_named(given, words):
    with pytest.raises(ValueError, match=words):
        rc.crowd.level_of_detail(FACE, CLIP, **({"budget": "1px"} | given))
