"""Learns a face's expressions from compskin_face_anim, and writes the model and its report.

    python -m benchmarks.systems.synthesis.face [--face ict|production] [--data ../shared/data] [--out build/synthesis]

``ict`` is the ICT face with combinations, ``production`` the face of
``benchmarks/papers/baselines/production_face.py``, rigged in Blender, by its dials. The curves are cut into labels by
``compskin_cuts.json`` beside this file: the performance, and the range of motion by the groups of controls that it
activates. The data set states no frame rate: 60 per second is our assumption. Blinks and the directions of the eyes
are labels of their own, and rest in all others: Bailey (2020) leaves the eyes out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.systems.synthesis.keep import keep
from examples.characters.production_face import build_production_face, controls, performance_clips
from examples.characters.production_face.controls import curve_table
from rigcast._timing import load_average, machine

CUTS = Path(__file__).with_name("compskin_cuts.json")
NAMES = {"ict": "ICT face with compskin's curves", "production": "Production face with compskin's curves"}


def labelled_clips(
    rows: NDArray[np.floating[Any]], names: list[str], rest: NDArray[np.float64], cuts: dict[str, Any]
) -> dict[str, list[rc.synthesis.Clip]]:
    """Clips of each label; the eyes move in their own labels alone.

    Parameters
    ----------
    rows : (T, N) array
        All curves.
    names : list of N str
        Of the controls, as compskin has them; "" for controls without a curve.
    rest : (N,) array
    cuts : dict
        compskin_cuts.json.
    """
    eyes = np.flatnonzero([name in cuts["eyes"] for name in names])
    found = {}
    for label, ranges in cuts["labels"].items():
        held = np.array(rows, np.float64)
        if label not in cuts["of the eyes"]:
            held[:, eyes] = rest[eyes]
        found[label] = [
            rc.synthesis.Clip(held[a:b], cuts["fps"], f"rows {a}-{b}", "compskin_face_anim", "Apache-2.0")
            for a, b in ranges
        ]
    return found


@contextmanager
def ict(data: Path, out: Path) -> Iterator[tuple[Any, NDArray[Any], list[str], NDArray[np.float64]]]:
    """The rig, all rows of the curves, and compskin's name and the rest value of each control."""
    face, weights = rc.faces.ict_with_combinations(data / "ict_facekit", data / "compskin_face_anim")
    yield face, weights, list(face.shape_names), np.zeros(face.num_shapes)


@contextmanager
def production(data: Path, out: Path) -> Iterator[tuple[Any, NDArray[Any], list[str], NDArray[np.float64]]]:
    """As :func:`ict`; the dials are evaluated in Blender."""
    blend = build_production_face(out / "production_face.blend", data / "compskin_face_anim")
    rows = np.concatenate([clip.rows for clip in performance_clips(data / "compskin_face_anim")])
    theirs = {ours: name for name, ours in curve_table().items()}
    order = {row.name: place for place, row in enumerate(controls())}
    with rc.sources.load(blend) as bones:
        rig = rc.sources.dials_only(bones)
        dials = [name.split(".", 1)[-1] for name in rig.channel_names]
        columns = [order[name] for name in dials]
        rest = np.array([controls()[column].rest for column in columns])
        yield rig, rows[:, columns], [theirs.get(name, "") for name in dials], rest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--face", choices=list(NAMES), default="ict")
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=root / "build" / "synthesis")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    cuts = json.loads(CUTS.read_text())
    print(f"{cuts['about']}\n{machine()} {load_average()}")
    place = arguments.out / arguments.face
    opened = {"ict": ict, "production": production}[arguments.face]
    with opened(arguments.data, arguments.out) as (rig, rows, names, rest):
        start = time.perf_counter()
        synth = rc.synthesis.fit(labelled_clips(rows, names, rest, cuts), rig=rig, folder=place.with_suffix(".kept"))
        keep(synth, time.perf_counter() - start, place, NAMES[arguments.face])


if __name__ == "__main__":
    main()
