"""Errors of transferred expressions with and without examples, in the groups by which people preferred either.

    python -m benchmarks.papers.perception.preferences [--data ../shared/data] [--write]

Carrigan 2020, section 3.1, asked 23 people which of two faces resembles a scan more: transferred with the scans of 19
action units as examples (EBFR), or without (deformation transfer). Table 3.2 groups the units by the answers; three
units with faulty scans are left out, as there. Here are no people: each unit has the mean distance from its true
shape, over the vertices that it moves, and the largest one, in millimeters.

Truth: MakeHuman's units, sculpted for two identities (13 of the units have a counterpart; which is our choice), and a
random identity of the ICT model (all 19, linear, seed 0). With examples: every unit is a scan, with noise of 0.3 mm on
each coordinate, and without. A scan of one unit alone says nothing of another: without its own, a unit is as without
examples. The defaults of ``rc.transfer.example_based``.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.transfer.faces import Hm08, Ict, part
from rigcast._timing import machine

ROOT = Path(__file__).resolve().parents[3]
NOISE = 0.3  # millimeters, standard deviation of each coordinate
RISE = 0.02  # meters below the lowest vertex that moves, from which on a head is solved
GROUPS = {
    "with examples": (9, 10, 12, 14, 16, 17, 18, 22, 23, 28, 34),
    "neither": (15, 24, 26, 4),
    "without": (25,),
}
NAMES = {
    9: "nose wrinkler", 10: "upper lip raiser", 12: "lip corner puller", 14: "dimpler", 15: "lip corner depressor",
    16: "lower lip depressor", 17: "chin raiser", 18: "lip pucker", 22: "lip funneler", 23: "lip tightener",
    24: "lip pressor", 25: "lips part", 26: "jaw drop", 27: "mouth stretch", 28: "lip suck", 34: "cheek puff",
    2: "outer brow raiser", 4: "brow lowerer", 43: "eyes closed",
}  # fmt: skip
ON_HM08 = {
    9: ("nose-left-elevation", "nose-right-elevation"),
    10: ("mouth-elevation",),
    12: ("mouth-corner-puller",),
    14: ("mouth-retraction",),
    15: ("mouth-depression",),
    16: ("mouth-depression-retraction",),
    18: ("mouth-protusion",),
    22: ("mouth-eversion",),
    23: ("mouth-pursing",),
    24: ("mouth-compression",),
    25: ("mouth-parling",),
    26: ("mouth-open",),
    2: ("eyebrows-left-extern-up", "eyebrows-right-extern-up"),
    4: ("eyebrows-left-down", "eyebrows-right-down"),
    43: ("eye-left-closure", "eye-right-closure"),
}
ON_ICT = {
    9: {"noseSneer": 1.0}, 10: {"mouthUpperUp": 1.0}, 12: {"mouthSmile": 1.0}, 14: {"mouthDimple": 1.0},
    15: {"mouthFrown": 1.0}, 16: {"mouthLowerDown": 1.0}, 17: {"mouthShrugLower": 1.0}, 18: {"mouthPucker": 1.0},
    22: {"mouthFunnel": 1.0}, 23: {"mouthRollUpper": 0.5, "mouthRollLower": 0.5}, 24: {"mouthPress": 1.0},
    25: {"mouthUpperUp": 0.3, "mouthLowerDown": 0.5}, 26: {"jawOpen": 0.5}, 27: {"jawOpen": 1.0},
    28: {"mouthRollUpper": 1.0, "mouthRollLower": 1.0}, 34: {"cheekPuff": 1.0}, 2: {"browOuterUp": 1.0},
    4: {"browDown": 1.0}, 43: {"eyeBlink": 1.0},
}  # fmt: skip


class Units:
    """Action units of a source and their truth on a target, on the head alone."""

    def __init__(
        self,
        numbers: list[int],
        source: np.ndarray,
        target: np.ndarray,
        faces: np.ndarray,
        given: np.ndarray,
        truth: np.ndarray,
        millimeters: float,
    ) -> None:
        moved = (given != 0).any(axis=(0, 2))
        low = source[moved, 1].min() - 1e3 * RISE / millimeters
        kept, self.faces = part(faces, np.flatnonzero(source[:, 1] >= low))
        self.numbers, self.millimeters = numbers, millimeters
        self.source, self.target, self.given, self.truth = source[kept], target[kept], given[:, kept], truth[:, kept]

    def plain(self) -> np.ndarray:
        """Offsets (K, V, 3) without examples."""
        made = rc.transfer.deformation_transfer(self.source, self.source + self.given, self.target, self.faces)
        return np.asarray(made - self.target)

    def by_examples(self, noise: float) -> np.ndarray:
        """Offsets (K, V, 3) with a scan of every unit, whose coordinates are off by ``noise`` millimeters."""
        off = noise / self.millimeters * np.random.default_rng(0).standard_normal(self.truth.shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rc.errors.UndeterminedShapesWarning)
            made = rc.transfer.example_based(
                self.source,
                self.source + self.given,
                self.target,
                self.faces,
                self.target + self.truth + off,
                np.eye(len(self.numbers)),
            )
        return np.asarray(made - self.target)

    def errors(self, offsets: np.ndarray, row: int) -> tuple[float, float]:
        """Mean and largest millimeters of a unit over the vertices that it moves."""
        apart = np.linalg.norm(offsets[row] - self.truth[row], axis=1)[(self.truth[row] != 0).any(axis=1)]
        return self.millimeters * float(apart.mean()), self.millimeters * float(apart.max())

    def measured(self) -> dict[int, list[tuple[float, float]]]:
        """Of each unit: without examples, with noisy scans, with exact ones."""
        results = self.plain(), self.by_examples(NOISE), self.by_examples(0.0)
        return {
            number: [self.errors(offsets, row) for offsets in results] for row, number in enumerate(self.numbers)
        }


def hm08(data: Path) -> Units:
    """MakeHuman's units from the caucasian to the african identity; its unit of length is the decimeter."""
    head = Hm08(data)
    sculpted = [head.targets(race) for race in ("caucasian", "african")]
    given, truth = (np.stack([sum(group[name] for name in names) for names in ON_HM08.values()]) for group in sculpted)
    pair = [head.identity(race) for race in ("caucasian", "african")]
    return Units(list(ON_HM08), pair[0], pair[1], head.faces, given, truth, 100.0)


def ict(data: Path) -> Units:
    """Shapes of the ICT model from its mean to a random identity; its unit is the centimeter."""
    face = Ict(data)

    def offsets(weights: dict[str, float]) -> np.ndarray:
        named = [(face.names.index(name), w) for shape, w in weights.items() for name in sides(shape, face.names)]
        return np.asarray(sum(w * face.deltas[k] for k, w in named))

    given = np.stack([offsets(weights) for weights in ON_ICT.values()])
    target = face.identity(np.random.default_rng(0))
    return Units(list(ON_ICT), face.neutral, target, face.faces, given, given, 10.0)


def sides(shape: str, names: list[str]) -> list[str]:
    """The shape, or its left and right version."""
    return [name for name in names if name in (shape, f"{shape}_L", f"{shape}_R")]


def cell(found: dict[int, list[tuple[float, float]]], number: int) -> list[str]:
    """Three cells: mean (largest)."""
    if number not in found:
        return ["", "", ""]
    return [f"{mean:.2f} ({largest:.1f})" for mean, largest in found[number]]


def summary(title: str, found: dict[int, list[tuple[float, float]]]) -> str:
    """Per group how many units are nearer with examples, and the factor of the means."""
    told = []
    for name, numbers in GROUPS.items():
        rows = [found[number] for number in numbers if number in found]
        nearer = sum(noisy[0] < plain[0] for plain, noisy, _ in rows)
        factor = np.mean([row[1][0] for row in rows]) / np.mean([row[0][0] for row in rows])
        told.append(f"{name}: {nearer} of {len(rows)} ({factor:.2f} times the error)")
    return f"{title}, units nearer with noisy examples than without, by what people preferred: {'; '.join(told)}."


def table(faces: dict[str, dict[int, list[tuple[float, float]]]]) -> str:
    """Markdown."""
    ways = ("without", f"scans, {NOISE:g} mm of noise", "exact scans")
    heads = [f"{name}: {way}" for name in faces for way in ways]
    lines = [f"| people preferred | action unit | {' | '.join(heads)} |", f"| --- | --- |{' --- |' * len(heads)}"]
    for group, numbers in GROUPS.items():
        for number in numbers:
            cells = [text for found in faces.values() for text in cell(found, number)]
            lines.append(f"| {group} | {number} {NAMES[number]} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(summary(name, found) for name, found in faces.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/transfer.md")
    options = parser.parse_args()
    faces = {"MakeHuman": hm08(options.data).measured(), "ICT": ict(options.data).measured()}
    text = f"{table(faces)} {machine()}."
    print(text)
    if options.write:
        write_between_marks("preferred transfers", text)


if __name__ == "__main__":
    main()
