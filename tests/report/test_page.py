"""The page: complete, self-contained, and alive in a browser."""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.support.made.models import random_body
from tests.support.process import PATIENCE


class Collector(HTMLParser):
    """Tags, the addresses they load, and the visible text."""

    def __init__(self):
        super().__init__()
        self.tags, self.addresses, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "xlink:href", "srcset")]

    def handle_data(self, data):
        self.text.append(data.strip())


@pytest.fixture(scope="module")
def page(written):
    collector = Collector()
    collector.feed(written.html)
    return collector


def test_nothing_is_loaded_from_elsewhere(page, written):
    outside = [address for address in page.addresses if not address.startswith(("data:", "#"))]
    assert outside == []
    assert page.tags.count("script") <= 1  # of the buttons that move the character
    assert not re.search(r"url\((?!#)", written.html)


def test_every_part_is_there(page, written):
    text = " ".join(page.text)
    for part in ("overview", "errors", "poses", "seams", "speed", "confidence", "provenance"):
        assert f'<section id="{part}">' in written.html
    for words in ("learned model", "paper's variant", "linear skinning, K = 1", "Host 1.0", "Best pose", "Worst pose"):
        assert words in text
    assert "have not seen" not in text
    assert "flatters" not in text


def test_the_table_holds_the_numbers(page, written):
    from rigcast._pages.words import figure

    for results in written.numbers["accuracy"].values():
        for figures in results.values():
            assert figure(figures["mean_mm"]) in page.text
            assert figure(figures["max_mm"]) in page.text


def test_where_it_comes_from(page, studied):
    for fact in (studied.data.hash, studied.animation.hash, studied.training.hash, "CC0-1.0", studied.rig.origin):
        assert fact in page.text
    assert "the training set above" in page.text


def test_no_picture_is_blank(written):
    from PIL import Image

    pictures = re.findall(r'src="data:image/webp;base64,([^"]+)"', written.html)
    assert len(pictures) > 30
    for text in pictures:
        cut = Image.open(io.BytesIO(base64.b64decode(text)))
        assert cut.mode == "RGBA", "the page's color is its ground"
        pixels = np.asarray(Image.alpha_composite(Image.new("RGBA", cut.size, "white"), cut).convert("RGB"))
        assert (pixels < 240).any(axis=2).mean() > 0.01
        assert pixels.std() > 3


def test_ids_are_unique(written):
    ids = re.findall(r'\sid="([^"]+)"', written.html)
    assert len(ids) == len(set(ids))


def test_a_report_on_its_own_training_set_says_so(studied, written, tmp_path):
    from rigcast import report

    path = tmp_path / "own.html"
    report.write_body(path, [studied.files["hero"]], studied.training, at_most=3)
    text = path.read_text(encoding="utf-8")
    assert "the very poses that the model learned from" in text
    assert "Over the animation" not in text


def test_names_are_text_not_markup(studied, written, tmp_path):
    from rigcast import report
    from tests.support.made.cylinder_models import cylinder_skinning

    cylinder_skinning(studied.rig, 1, name="<script>alert(1)</script>").save(tmp_path / "a.safetensors")
    report.write_body(tmp_path / "a.html", [tmp_path / "a.safetensors"], studied.data, at_most=2)
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text


def test_a_model_without_error_and_a_single_pose_make_a_page(written, tmp_path):
    """Nothing to draw on logarithmic scales, nothing to divide by."""
    from rigcast import report, sampling
    from tests.support.characters.cylinder import CylinderRig
    from tests.support.made.cylinder_models import cylinder_skinning

    rig = CylinderRig(bulge=False, extra_control=False)
    data = sampling.sample(rig, tmp_path / "one.rwdata", count=1, probe=0)
    cylinder_skinning(rig, 4).save(tmp_path / "exact.safetensors")
    numbers = report.write_body(tmp_path / "a.html", [tmp_path / "exact.safetensors"], data, animation=data)
    assert numbers["accuracy"]["random poses"]["learned model"]["max_mm"] < 1e-2
    assert "Best pose" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_wrong_input_is_named(studied, tmp_path):
    from rigcast import report

    pytest.importorskip("pyvista", reason="pyvista is not installed")
    with pytest.raises(ValueError, match="report: models is empty"):
        report.write_body(tmp_path / "a.html", [], studied.data)
    random_body().save(tmp_path / "other.safetensors")
    with pytest.raises(ValueError, match="of another mesh"):
        report.write_body(tmp_path / "a.html", [tmp_path / "other.safetensors"], studied.data)
    assert not (tmp_path / "a.html").exists()


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def chromium(*arguments: str, folder) -> subprocess.CompletedProcess[bytes]:
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
    options += ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]  # the character is drawn
    return subprocess.run([CHROMIUM, *options, *arguments], capture_output=True, timeout=PATIENCE, check=True)


PROBE = """<script>addEventListener('load', () => { const images = [...document.images];
  document.body.dataset.broken = images.filter(i => !i.complete || i.naturalWidth < 50).length;
  document.body.dataset.images = images.length;
  const charts = [...document.querySelectorAll('svg.chart')].filter(s => s.querySelectorAll('path').length > 8);
  document.body.dataset.charts = charts.filter(s => s.getBoundingClientRect().height > 50).length; });
  </script></body>"""


def probed(html: str, folder) -> dict[str, str]:
    """Count in a browser the images, those that it cannot decode, and the charts with lines; no console message."""
    copy = folder / "probed.html"
    copy.write_text(html.replace("</body>", PROBE), encoding="utf-8")
    done = chromium("--enable-logging=stderr", "--v=0", "--dump-dom", copy.as_uri(), folder=folder)
    assert b"CONSOLE" not in done.stderr, done.stderr.decode(errors="replace")
    return dict(re.findall(r'data-(broken|images|charts)="(\d+)"', done.stdout.decode()))


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_a_browser_shows_it_without_a_complaint(written, tmp_path):
    """No console message, no request, and a picture of the page with the character's colors in it."""
    from PIL import Image

    shot = tmp_path / "page.png"
    done = chromium(
        "--enable-logging=stderr",
        "--v=0",
        "--window-size=1200,2400",
        f"--screenshot={shot}",
        written.path.as_uri(),
        folder=tmp_path,
    )
    assert b"CONSOLE" not in done.stderr, done.stderr.decode(errors="replace")
    pixels = np.asarray(Image.open(shot).convert("RGB")).astype(int)
    assert pixels.shape[:2] == (2400, 1200)
    accent = np.abs(pixels - [0x0F, 0x6E, 0x84]).sum(axis=2) < 12
    assert accent.sum() > 300, "the headline figures"
    inked = (pixels.min(axis=2) < 200).mean(axis=1) > 0
    assert inked.reshape(24, 100).any(axis=1).mean() > 0.9, "no long blank stretch"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_a_browser_finds_every_picture_decoded(written, tmp_path):
    seen = probed(written.html, tmp_path)
    assert seen == {"broken": "0", "images": str(written.html.count("<img ")), "charts": "3"}


def test_where_it_errs_is_told_by_joint_and_channel(page, studied):
    text = " ".join(page.text)
    for words in (
        "Where it errs most",
        studied.rig.skeleton.names[1],
        studied.rig.channel_names[0],
        "led by",
    ):
        assert words in text


def test_the_confidence_is_defined_once(page):
    """In the words of the docstring, and of the formula that the engine computes."""
    import rigcast as rc

    assert "1/2 at a quarter of its radius outside" in " ".join(page.text)
    assert "1/2 at a quarter of its radius outside" in " ".join(rc.Deformer.confidence.__doc__.split())


def test_what_no_pose_decides_is_a_warning(studied):
    from types import SimpleNamespace

    from rigcast.report._body.page import left_out

    rig = SimpleNamespace(not_reproduced=["modifier 'Cape', cloth: depends on the frames before"])
    assert left_out(rig.not_reproduced) == [
        "Not reproduced, because no pose decides it: modifier 'Cape', cloth: depends on the frames before."
    ]
    assert left_out([]) == []


def test_what_rested_in_training_is_a_warning(studied, monkeypatch):
    from types import SimpleNamespace

    from rigcast.report._body.page import unseen_channels

    model = studied.models["hero"]
    resting = SimpleNamespace(**{name: getattr(model, name) for name in ("control_names", "joint_names", "tensors")})
    resting.confidence, resting.metadata = model.confidence, {"resting": {"tail": "no limits"}}
    numbers = SimpleNamespace(subject=SimpleNamespace(model=resting), truths=[])
    assert unseen_channels(numbers) == ["1 of its joints, controls, shapes and dials never move: tail (no limits)."]
