"""Tables and lists of numbers as spreadsheets and people write them."""

from __future__ import annotations

import pytest

import rigcast as rc
from rigcast.errors import InputWarning
from tests.sources.strangers.test_text import READERS, TAKE, jaw

SPREADSHEETS = {
    "semicolons": lambda text: text.replace(",", ";"),
    "semicolons and decimal commas": lambda text: text.replace(",", ";").replace("0.5", "0,5"),
    "tabs": lambda text: text.replace(",", "\t"),
    "blanks": lambda text: text.replace(",", " , "),
    "what divides": lambda text: "sep=,\n" + text,
    "remarks": lambda text: "# recorded\n" + text,
    "quotes": lambda text: '"' + text.replace(",", '","').replace("\n", '"\n"').removesuffix('"'),
}


@pytest.mark.parametrize("spelling", SPREADSHEETS)
@pytest.mark.parametrize("name", ["take.csv", "goals.csv"])
def test_tables_are_read_as_spreadsheets_write_them(name, spelling, tmp_path):
    text, read, expected = READERS[name]
    (tmp_path / name).write_text(SPREADSHEETS[spelling](text))
    assert read(tmp_path / name) == expected


def test_commas_at_the_ends_of_lines_are_no_column(tmp_path):
    (tmp_path / "take.csv").write_text(TAKE.replace("\n", ",\n"))
    assert rc.sources.load_blendshape_weights(tmp_path / "take.csv", jaw(), fps=60)[0].tolist() == [[0.5]]


PAIRS = ['"1","4"\n"2","5"\n', '"1" "4"\n2 5\n', "1;4\n2;5\n", "source,target\n1,4\n2,5\n", "1\t4\n2\t5\n"]


@pytest.mark.parametrize("text", PAIRS)
def test_pairs_of_vertices_lose_no_line(text, tmp_path):
    (tmp_path / "marks.csv").write_text(text)
    assert rc.sources.load_landmarks(tmp_path / "marks.csv").tolist() == [[1, 4], [2, 5]]


def test_weights_in_percent_are_said(tmp_path):
    (tmp_path / "take.csv").write_text(TAKE.replace("0.5", "50"))
    with pytest.warns(InputWarning, match=r"weights reach 50, the rig's end at 1: are they percent\?"):
        rc.sources.load_blendshape_weights(tmp_path / "take.csv", jaw(), fps=60)
