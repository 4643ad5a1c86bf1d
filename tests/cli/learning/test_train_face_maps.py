"""``rigcast train face-maps`` trains, says how it was judged, and info says what the model costs."""

from __future__ import annotations

import json

import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.support.characters.mapped_face import clip_data

pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("face")
    clip_data(place / "face.rwdata", frames=20)
    return place


@pytest.fixture
def trained(folder, capsys):
    small = ["--steps", "4", "--hidden", "8", "--first-channels", "2", "--channels", "4", "--threads", "1", "--no-base"]
    line = ["train", "face-maps", str(folder / "face.rwdata"), "-o", str(folder / "face.safetensors"), "--overwrite"]
    assert dispatch.main([*line, *small]) == 0
    return capsys.readouterr().out


def test_what_was_found_is_said(trained):
    assert "note: Judged by held-out clips: take" in trained
    assert "coarse: " in trained
    assert "error on held-out rows" in trained


def test_info_says_what_the_model_costs(folder, trained, capsys):
    assert dispatch.main(["info", str(folder / "face.safetensors"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "face_maps"
    assert facts["bytes_read_per_pose"] > 4 * 1000
    assert facts["multiply_adds_per_pose"] == rc.load(folder / "face.safetensors").multiply_adds() > 1_000
    assert facts["judged_by"].startswith("held-out clips")
    assert len(facts["map_segments"].split("; ")) == 3
    assert not list(folder.glob("*.checkpoint*"))


def test_a_base_is_said_and_networks_that_it_needs_not_are_left_out(folder, tmp_path, capsys):
    """The mapped face is linear in its dials: nothing is left to learn."""
    file, page = tmp_path / "face.safetensors", tmp_path / "face.html"
    data = str(folder / "face.rwdata")
    assert dispatch.main(["train", "face-maps", data, "-o", str(file), "--steps", "4", "--threads", "1"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("base: "))
    assert "ridge regression of" in line
    assert "networks left out: with them held-out rows err by" in line
    assert dispatch.main(["info", str(file), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["base"] == line.removeprefix("base: ")
    assert facts["map_segments"] == ""
    assert dispatch.main(["report", str(file), "--data", data, "-o", str(page)]) == 0
    assert "ridge regression of" in page.read_text(encoding="utf-8")
    model = rc.load(file)
    assert rc.training.model_layout(model).segments == []


@pytest.mark.parametrize(
    ("kind", "option"),
    [("body", "--normal-weight"), ("body", "--channels"), ("face-maps", "--tau"), ("body", "--no-base")],
)
def test_an_option_of_another_kind_is_refused(folder, kind, option, capsys):
    line = ["train", kind, str(folder / "face.rwdata"), "-o", str(folder / "m.safetensors"), option]
    line += [] if option == "--no-base" else ["2"]
    assert dispatch.main(line) == 2
    assert f"{option} is an option of" in capsys.readouterr().err
