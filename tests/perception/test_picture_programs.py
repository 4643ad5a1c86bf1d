"""What is handed to other people's programs, and what they answer: FLIP, ColorVideoVDP, LPIPS."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc

RNG = np.random.default_rng(0)
OLD = RNG.integers(40, 200, (3, 24, 32, 3)).astype(np.uint8)
NEW = np.clip(OLD + RNG.normal(0, 12, OLD.shape), 0, 255).astype(np.uint8)


def test_flip_is_that_of_the_program_on_files(tmp_path, tolerance):
    program = pytest.importorskip("flip_evaluator", reason="flip-evaluator is not installed")
    for name, picture in (("old.png", OLD[0]), ("new.png", NEW[0])):
        rc.plot.Image(picture).save(tmp_path / name)
    files = [str(tmp_path / name) for name in ("old.png", "new.png")]
    expected = program.evaluate(*files, "LDR", parameters={"ppd": 40.0})[1]
    found = rc.perception.flip(OLD[0], NEW[0], pixels_per_degree=40.0)
    assert found == pytest.approx(expected, rel=tolerance["float32_scaled"])
    assert found != pytest.approx(rc.perception.flip(OLD[0], NEW[0]), rel=0.01)  # the density matters
    assert rc.perception.flip(OLD[0], OLD[0]) == 0.0


@pytest.fixture
def stand_in(monkeypatch):
    """A module in place of ColorVideoVDP, which says what it was asked."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    asked = {}

    class Metric:
        def __init__(self, display, **words):
            asked.update(words, display=display)

        def predict(self, test, reference, **words):
            asked.update(words, test=test, reference=reference)
            return np.float32(9.25), None

    def geometry(resolution, ppd):
        return SimpleNamespace(resolution=resolution, ppd=ppd)

    monkeypatch.setitem(sys.modules, "pycvvdp", SimpleNamespace(cvvdp=Metric, vvdp_display_geometry=geometry))
    return asked


def test_jod_is_asked_of_the_new_film_against_the_old(stand_in):
    assert rc.perception.jod_loss(OLD, NEW, fps=24.0, pixels_per_degree=26.0) == 0.75
    np.testing.assert_array_equal(stand_in["test"], NEW)
    np.testing.assert_array_equal(stand_in["reference"], OLD)
    assert (stand_in["dim_order"], stand_in["frames_per_second"]) == ("FHWC", 24.0)
    assert (stand_in["display_geometry"].resolution, stand_in["display_geometry"].ppd) == ([32, 24], 26.0)
    assert stand_in["device"].type == "cpu"


def test_a_picture_is_no_film(stand_in):
    rc.perception.jod_loss(OLD[0], NEW[0])
    assert stand_in["dim_order"] == "HWC"
    assert "frames_per_second" not in stand_in


def test_colorvideovdp_itself_orders_noise():
    try:
        import pycvvdp  # noqa: F401
    except (ImportError, RuntimeError) as error:  # a torchvision of another PyTorch raises the latter
        pytest.skip(f"cvvdp does not work here: {error}")
    faint = np.clip(OLD + 0.2 * (NEW.astype(float) - OLD), 0, 255).astype(np.uint8)
    losses = [rc.perception.jod_loss(OLD, film) for film in (OLD, faint, NEW)]
    assert losses[0] == 0.0
    assert losses[0] < losses[1] < losses[2]


def test_lpips_asks_the_network_of_the_path(tmp_path, monkeypatch, tolerance):
    """With a stand-in for a program: exporting one takes longer than all tests of this file."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    def load(path):
        assert Path(path).read_text() == "a network"
        return SimpleNamespace(module=lambda: lambda first, second: (first - 2.0 * second)[:, 0, :3, 1].mean())

    monkeypatch.setattr(torch, "export", SimpleNamespace(load=load))
    (tmp_path / "network.pt2").write_text("a network")
    expected = ((OLD[0] / 127.5 - 1.0) - 2.0 * (NEW[0] / 127.5 - 1.0))[:3, 1, 0].mean()
    found = rc.perception.lpips(OLD[0], NEW[0], network=tmp_path / "network.pt2")
    assert found == pytest.approx(expected, rel=tolerance["float32_sum"])


def test_lpips_without_a_network_names_the_path(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.pt2"):
        rc.perception.lpips(OLD[0], NEW[0], network=tmp_path / "none.pt2")


@pytest.mark.parametrize("measure", [rc.perception.flip, rc.perception.jod_loss])
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (OLD[0], NEW[0, :20], "approximation"),
        (OLD[0, :8], NEW[0, :8], "at least 16 x 16"),
        (OLD[0] * 2.0, NEW[0], "from 0 to 255"),
        (OLD[0, ..., 0], NEW[0, ..., 0], "truth"),
    ],
)
def test_wrong_pictures_are_named(measure, old, new, words):
    with pytest.raises(ValueError, match=words):
        measure(old, new)


def test_without_the_program_the_command_that_installs_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "flip_evaluator", None)
    with pytest.raises(ImportError, match=r'pip install "rigcast\[perception\]"'):
        rc.perception.flip(OLD[0], NEW[0])
