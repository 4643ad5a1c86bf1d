"""Every notebook runs from the first cell to the last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rigwright

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    for package in ("torch", "pyvista", "matplotlib", "ipykernel", "nbclient"):
        pytest.importorskip(package)
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    package = str(Path(rigwright.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    pictures = [output for output in outputs if {"image/png", "image/jpeg"} & set(output.get("data", {}))]
    assert len(pictures) >= 2
    ours, skinning = errors("".join(output.get("text", "") for output in outputs))
    assert ours < 0.25 * skinning


def errors(text: str) -> list[float]:
    """Mean errors of the learned model and of linear skinning, as the notebook prints them."""
    return [float(line.split("mean ")[1].split(" mm")[0]) for line in text.splitlines() if " mm, largest" in line]
