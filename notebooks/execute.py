"""Run the notebooks and store their outputs: each ``NN_name.py`` (jupytext, percent format) becomes ``NN_name.ipynb``.

    RIGCAST_DATA=FOLDER python notebooks/execute.py [NAME...] [--check]

The ``.py`` files are what is edited; ``--check`` runs them and writes nothing. FOLDER holds the data sets that the
notebooks name in their first cell. Pictures of meshes and large charts are stored as JPEG, so that it stays small.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbclient
import nbformat

HERE = Path(__file__).resolve().parent
LARGEST = 500_000  # bytes of a notebook
LARGEST_CHART = 120_000  # characters of a chart that stays PNG
TIMEOUT = 3600  # seconds that a cell may take
QUALITY = 86  # of JPEG


def read(source: Path) -> Any:
    """The notebook of a ``.py`` file, with the same cell ids on every call."""
    notebook = jupytext.read(source, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02d}"
    notebook.metadata = {
        "jupytext": {"formats": "ipynb,py:percent"},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def run(notebook: Any, folder: str) -> None:
    """Execute all cells in ``folder``.

    Raises
    ------
    RuntimeError
        If a cell writes warnings, or a path of this machine.
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    client = nbclient.NotebookClient(
        notebook, timeout=TIMEOUT, record_timing=False, resources={"metadata": {"path": folder}}
    )
    client.execute()
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise RuntimeError(f"a cell writes to stderr: {output['text']}")
            shown = output.get("text", "") + output.get("data", {}).get("text/plain", "")
            if any(place in shown for place in (tempfile.gettempdir(), str(Path.home()), str(HERE.parent))):
                raise RuntimeError(f"a cell shows a path of this machine: {shown}")


def shrink(notebook: Any) -> None:
    """Store pictures of meshes and large charts as JPEG; small charts stay PNG."""
    from PIL import Image

    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            drawn = data.get("text/plain", "").startswith("<Image") or len(data.get("image/png", "")) > LARGEST_CHART
            if "image/png" in data and drawn:
                small = io.BytesIO()
                picture = Image.open(io.BytesIO(base64.b64decode(data.pop("image/png"))))
                picture.convert("RGB").save(small, "JPEG", quality=QUALITY, optimize=True)
                data["image/jpeg"] = base64.b64encode(small.getvalue()).decode()


def main() -> None:
    """Run what is named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="beginnings of file names; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    data = Path(os.environ.get("RIGCAST_DATA", "data")).resolve()
    os.environ["RIGCAST_DATA"] = str(data)  # notebooks run in another folder
    python_path = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]  # examples.characters
    os.environ["PYTHONPATH"] = os.pathsep.join(python_path)
    os.environ["PYTHONWARNINGS"] = "ignore:IProgress not found"  # PyTorch imports tqdm, which asks for ipywidgets
    too_large: list[str] = []
    for source in sorted(HERE.glob("[0-9]*.py")):
        if arguments.names and not source.name.startswith(tuple(arguments.names)):
            continue
        notebook = read(source)
        with tempfile.TemporaryDirectory() as folder:
            run(notebook, folder)
        shrink(notebook)
        content = nbformat.writes(notebook) + "\n"
        print(f"{source.stem}: {len(content) / 1000:.0f} kB", flush=True)
        if len(content) > LARGEST:
            too_large.append(source.stem)
        elif not arguments.check:
            source.with_suffix(".ipynb").write_text(content, encoding="utf-8")
    if too_large:
        raise SystemExit(f"not stored, larger than {LARGEST / 1000:.0f} kB: {', '.join(too_large)}")


if __name__ == "__main__":
    main()
