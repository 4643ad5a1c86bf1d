"""The section of a report on what a model states of its own error."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._pose_statistics.expected_error import reliability
from rigcast.report._body.contract import curve
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with

ROUNDS = [
    {"poses": 400, "steps": 20, "fresh": 64, "value": 0.2, "bound": None, "confidence": 0.95},
    {"poses": 664, "steps": 20, "fresh": 300, "value": 0.08, "bound": 0.09, "confidence": 0.975},
]
UNTIL = {"statistic": "p99", "tolerance": 0.1, "reached": True, "stopped": "error", "sampled": 1028, "rounds": ROUNDS}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    for package in ("torch", "pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    folder, rig = tmp_path_factory.mktemp("contract"), CylinderRig(rings=10, sides=6)
    training = rc.sampling.sample(rig, folder / "t.rwdata", count=300, seed=0, probe=1)
    held = rc.sampling.sample(rig, folder / "h.rwdata", count=40, seed=1, probe=0)
    model = train_with("body", training, steps=300, hidden=16, max_components=16, threads=1)
    model = _core.model_from_tensors(model.tensors(), json.dumps(model.metadata | {"until": UNTIL}))
    model.save(folder / "m.safetensors")
    numbers = rc.report.write_body(folder / "r.html", [folder / "m.safetensors"], held)
    html = (folder / "r.html").read_text(encoding="utf-8")
    section, trust = (html.split(f'id="{name}"')[1].split("</section>")[0] for name in ("contract", "confidence"))
    return SimpleNamespace(model=model, held=held, numbers=numbers["contract"], section=section, trust=trust)


def test_coverage_and_width_are_those_of_the_reports_poses(page, tolerance):
    gaps = page.model.evaluate(page.held.poses).astype(np.float64) - page.held.vertices
    errors = np.linalg.norm(gaps, axis=2)  # vertices that never move lie on their bounds: rounding would decide
    bounds = page.model.error_bound(page.held.poses).astype(np.float64)
    found = page.numbers["error_bound"]["random poses"]
    expected = (errors <= bounds).mean(), 10 * bounds.mean()
    assert (found["coverage"], found["mean_width_mm"]) == pytest.approx(expected, rel=tolerance["printed"])
    assert found["out_of_range"] == page.model.out_of_range(page.held.poses).mean()


def test_the_section_shows_them_beside_what_the_model_states(page):
    text = " ".join(re.sub(r"<[^>]+>", " ", page.section).split())
    covered = 100 * page.numbers["error_bound"]["random poses"]["coverage"]
    assert f"random poses 40 {covered:.1f}" in text
    assert f"stated by the model 30 {100 * page.model.metadata['bound']['coverage']:.1f}" in text


def test_the_section_on_trust_says_how_well_the_confidence_ranks_held_out_errors(page):
    assert reliability(page.model.metadata)[0].capitalize() in page.trust


def test_the_section_says_what_was_reached(page):
    text = " ".join(re.sub(r"<[^>]+>", " ", page.section).split())
    assert (
        "until the 99th percentile of the vertex errors on fresh poses was below 1.00 mm: reached after 2 rounds"
        in text
    )
    assert "and 1,028 poses of the rig" in text
    assert "97.5 % confidence" in text


def test_the_curve_names_its_lines(page):
    drawn = curve(UNTIL, 10.0)
    for name in ("p99 of fresh poses", "upper bound", "asked for", "poses learned from"):
        assert name in drawn
    lines = re.findall(r' d="([^"]+)"', drawn)  # the page has colors of its own, for light and dark
    assert len(lines) > 4
    assert all(line in page.section for line in lines)


def test_models_that_state_nothing_have_no_section(tmp_path):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    data = rc.sampling.sample(CylinderRig(rings=10, sides=6), tmp_path / "h.rwdata", count=20, seed=1, probe=1)
    rc.baselines.linear_blend(data, influences=4).save(tmp_path / "m.safetensors")
    numbers = rc.report.write_body(tmp_path / "r.html", [tmp_path / "m.safetensors"], data)
    assert "contract" not in numbers
    assert 'id="contract"' not in (tmp_path / "r.html").read_text(encoding="utf-8")
