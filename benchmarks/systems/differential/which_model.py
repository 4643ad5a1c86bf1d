"""The kind of model that serves each character: writes docs/benchmarks/which_model.md.

    python -m benchmarks.systems.differential.which_model [--out build/differential] [--sets build] [--no-page]

Reads what ``benchmarks.systems.differential.accuracy`` kept of the face and both bodies, and the newest model of
``benchmarks.systems.face_maps.accuracy``; times one pose of each on one thread. A character whose models are not here
keeps its rows on the page, each with the machine that it was timed on; one that has none there gets none.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import read_between_marks, write_between_marks
from benchmarks.systems.baselines.sets import ROOT
from benchmarks.systems.differential.accuracy import JUDGED_BODY
from benchmarks.systems.differential.contenders import BODY, OURS
from rigcast._timing import interleaved, load_average, machine

CHARACTERS = {
    "body": ("Demo body", "walk"),
    "antonia": ("Antonia", JUDGED_BODY),
    "face": ("Production face", "performance"),
}
PLACE = "models by character"
KINDS = {BODY: "learned body", OURS: "differential subspace"}
MAPS = "deformation maps"
ABSENT = {
    "face": [("learned body", "needs joints")],
    "body": [(MAPS, "take no joints")],
    "antonia": [(MAPS, "take no joints")],
}
RUNS, IN_A_ROW = 20, 5


@dataclass(frozen=True)
class Row:
    """A model on a character: its kind, errors in millimeters, its file, megabytes, minutes of training."""

    kind: str
    mean: float
    max: float
    path: Path
    megabytes: float
    minutes: float


def rows_of(folder: Path, clip: str) -> list[Row]:
    """Our models in what the benchmark of accuracy kept."""
    known = json.loads((folder / "figures.json").read_text())
    found = []
    for name, kind in KINDS.items():
        if name in known["models"]:
            error, about = known["clips"][clip][name], known["models"][name]
            file = folder / about["file"]
            found.append(Row(kind, error["mean"], error["max"], file, about["megabytes"], about["minutes"]))
    return found


def maps_of(sets: Path) -> list[Row]:
    """The newest face on deformation maps, judged on the performance; none without a model."""
    files = sorted((sets / "face_maps" / "models").glob("maps-*.safetensors"), key=lambda path: path.stat().st_mtime)
    if not files:
        return []
    model, data = rc.load(files[-1]), rc.Dataset(sets / "face_maps" / "performance.rwdata")
    error = rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses))
    unit, minutes = 1e3 * data.meters_per_unit, model.metadata["face_maps"]["seconds"] / 60
    return [Row(MAPS, unit * error.mean, unit * error.max, files[-1], files[-1].stat().st_size / 1e6, minutes)]


def milliseconds(rows: list[Row]) -> list[float]:
    """Of one pose on one thread, in turns."""
    calls = {}
    for number, row in enumerate(rows):
        model = rc.load(row.path)
        low, high = model.control_ranges.T
        share = np.random.default_rng(0).random((1, len(low)))
        pose = (low + share * (high - low)).astype(np.float32)
        calls[str(number)] = lambda model=model, pose=pose: model.evaluate(pose, threads=1)
    return [1e3 * seconds for seconds in interleaved(calls, RUNS, IN_A_ROW).values()]


def rows_on_page(page: str, title: str) -> list[str]:
    """A character's rows as the page has them."""
    return [line for line in page.splitlines() if line.startswith(f"| {title}, ")]


def measured_rows(name: str, out: Path, sets: Path) -> list[str]:
    """A character's rows from the models that are here."""
    title, clip = CHARACTERS[name]
    rows = rows_of(out / name, clip) + (maps_of(sets) if name == "face" else [])
    least = min(row.mean for row in rows)
    where = f"{machine().split(', Linux')[0]}; load {load_average():.0f}"
    lines = []
    for row, spent in zip(rows, milliseconds(rows), strict=True):
        mean = f"**{row.mean:.3f}**" if row.mean == least else f"{row.mean:.3f}"
        lines.append(
            f"| {title}, {clip} | {row.kind} | {mean} | {row.max:.2f} | {spent:.3f} | {row.megabytes:.1f} | "
            f"{row.minutes:.0f} | {where} |"
        )
    return lines + [f"| {title}, {clip} | {kind} | {why} | | | | | |" for kind, why in ABSENT[name]]


def table(out: Path, sets: Path, page: str) -> str:
    """All characters; those without models here as ``page`` has them."""
    lines = [
        "",
        "| character, judged on | model | mean, mm | max, mm | one pose, ms | file, MB | trained for, min | machine |",
    ]
    lines += ["| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for name, (title, _) in CHARACTERS.items():
        here = (out / name / "figures.json").exists()
        lines += measured_rows(name, out, sets) if here else rows_on_page(page, title)
    return "\n".join([*lines, ""])


def main() -> None:
    """Print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "differential")
    parser.add_argument("--sets", type=Path, default=ROOT / "build", help="folder of face_maps")
    parser.add_argument("--no-page", action="store_true", help="print, and leave the page as it is")
    given = parser.parse_args()
    text = table(given.out, given.sets, read_between_marks(PLACE))
    print(text)
    if not given.no_page:
        write_between_marks(PLACE, text)


if __name__ == "__main__":
    main()
