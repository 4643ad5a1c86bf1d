"""What a reader meets first: short cells, formulas that need no network, a way to the how-to, data chosen elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_LINES = 10
pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


def cells(path: Path, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def test_the_first_two_cells_are_short(path):
    for code in cells(path, "code")[:2]:
        assert len([line for line in code.splitlines() if line.strip()]) <= MOST_LINES


def test_no_cell_chooses_data_or_folders(path):
    for code in cells(path, "code"):
        assert not re.search(r"RIGCAST_DATA|TemporaryDirectory|find_spec|ICT-FaceKit", code)


def test_formulas_need_no_script_from_outside(path):
    for text in cells(path, "markdown"):
        assert "$" not in text


def test_it_links_to_a_how_to_that_is_there(path):
    links = re.findall(r"\]\((\.\./docs/how-to/[^)]+)\)", "".join(cells(path, "markdown")))
    assert links
    assert all((FOLDER / link).exists() for link in links)
