"""Tables and lists of numbers as spreadsheets and people write them."""

from __future__ import annotations

import numpy as np
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


FIRST_COLUMNS = {  # header and cells of two rows before the curves, with the rate that they state
    "nothing": ("", "", "", None),
    "frame": ("frame,", "0,", "1,", None),
    "Frame and BlendshapeCount": ("Frame Index,BlendshapeCount,", "0,52,", "1,52,", None),
    "seconds": ("Time,", "0.0,", "0.04,", 25.0),
    "seconds in brackets": ("time (s),", "1.5,", "1.54,", 25.0),
    "milliseconds": ("timestamp_ms,", "40,", "80,", 25.0),
    "frame and seconds": ("frame,seconds,", "7,0.28,", "8,0.32,", 25.0),
    "the index of a data frame": (",time,", "0,0.0,", "1,0.04,", 25.0),
    "Live Link": ("Timecode,BlendshapeCount,", "00:00:00:00,52,", "00:00:00:01,52,", 60.0),
}


@pytest.mark.parametrize("columns", FIRST_COLUMNS)
def test_tables_of_other_recorders_are_read(columns, tmp_path):
    head, first, second, rate = FIRST_COLUMNS[columns]
    (tmp_path / "take.csv").write_text(f"{head}JawOpen\n{first}0.5\n{second}0.25\n")
    if rate is None:
        with pytest.raises(
            ValueError, match=r"fps is None, and .*take\.csv has no column of times .*it must be the frames"
        ):
            rc.sources.load_blendshape_weights(tmp_path / "take.csv", jaw())
    weights, fps = rc.sources.load_blendshape_weights(tmp_path / "take.csv", jaw(), fps=None if rate else 48)
    assert weights.tolist() == [[0.5], [0.25]]
    assert fps == pytest.approx(rate or 48)


def test_times_far_apart_are_milliseconds_and_said(tmp_path):
    (tmp_path / "take.csv").write_text("timestamp,JawOpen\n0,0.5\n40,0.25\n")
    with pytest.warns(InputWarning, match=r"take\.csv: times 40 apart are taken for milliseconds"):
        assert rc.sources.load_blendshape_weights(tmp_path / "take.csv", jaw())[1] == 25.0


def test_times_with_lost_rows_state_no_rate(tmp_path):
    (tmp_path / "take.csv").write_text("time,JawOpen\n0,0\n0.04,0\n0.08,0\n0.2,0\n")
    with pytest.raises(ValueError, match="no column of times that rise evenly"):
        rc.sources.load_blendshape_weights(tmp_path / "take.csv", jaw())


OTHER_ARCHIVES = {
    "AMASS": ({"poses": (5, 156), "trans": (5, 3), "betas": (16,)}, "turns of SMPL's joints"),
    "SMPL-X": ({"global_orient": (5, 3), "body_pose": (5, 63)}, "turns of SMPL's joints"),
    "SMPL": ({"v_template": (9, 3), "J_regressor": (2, 9), "weights": (9, 2)}, "a body model of the SMPL family"),
}


@pytest.mark.parametrize("kind", OTHER_ARCHIVES)
def test_archives_of_other_programs_are_named(kind, tmp_path):
    shapes, words = OTHER_ARCHIVES[kind]
    np.savez(tmp_path / "x.npz", **{name: np.zeros(shape) for name, shape in shapes.items()})
    for read in (rc.sources.load, rc.sources.load_blendshapes, rc.sources.load_shot):
        with pytest.raises(ValueError, match=words):
            read(tmp_path / "x.npz")
