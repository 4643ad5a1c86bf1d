"""The figures of Rackovic et al. 2022, tables 1 to 5, beside those of our face."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.papers.inverse.mismatched.kept import Row, digits, table
from benchmarks.papers.inverse.mismatched.methods import OURS, RELEASED

FIGURES = ("p95", "cardinality", "share", "l1", "smoothness", "seconds")
HEAD = ["method", "face", "95th percentile, cm", "weights > 0", "of all weights", "L1", "smoothness", "s a frame"]
RATIOS = ("p95", "cardinality", "l1", "smoothness")
RATIOS_HEAD = ["as a multiple of MM", "face", "95th percentile", "weights > 0", "L1", "smoothness"]
METHODS = ("MM", "SQP", "Cet", "Seol")
CHARACTERS = {"Omar": 130, "Danielle": 128, "Myles": 114, "Char 4": 147, "Char 5": 62}  # number of weights
# RMSE, cardinality, L1, smoothness factor, seconds a frame; MM is MM-psd, alpha 5 everywhere
PAPER = {
    "Omar": {
        "MM": (0.0898, 85.2, 9.10, 0.0034, 11.29),
        "SQP": (0.0325, 130.0, 12.4, 0.0201, 172.7),
        "Cet": (0.1671, 95.4, 9.38, 0.0029, 0.002),
        "Seol": (0.1625, 78.9, 12.7, 0.0207, 0.017),
    },
    "Danielle": {
        "MM": (0.0756, 69.3, 6.72, 0.0062, 12.73),
        "SQP": (0.0894, 128.0, 4.64, 0.3390, 143.2),
        "Cet": (0.1280, 84.6, 7.02, 0.0051, 0.002),
        "Seol": (0.1389, 71.5, 11.1, 0.0212, 0.019),
    },
    "Myles": {
        "MM": (0.0556, 69.0, 4.48, 0.0027, 8.276),
        "SQP": (0.0809, 114.0, 2.66, 0.0118, 164.3),
        "Cet": (0.0682, 80.9, 4.90, 0.0024, 0.004),
        "Seol": (0.1140, 65.4, 7.47, 0.0181, 0.015),
    },
    "Char 4": {
        "MM": (0.1031, 85.0, 10.5, 0.0098, 10.01),
        "SQP": (0.1142, 147.0, 7.92, 0.0444, 84.5),
        "Cet": (0.1606, 99.5, 10.8, 0.0088, 0.009),
        "Seol": (0.1440, 87.1, 15.8, 0.0263, 0.021),
    },
    "Char 5": {
        "MM": (0.0564, 28.3, 2.74, 0.1638, 2.985),
        "SQP": (0.0745, 62.0, 1.82, 0.2189, 32.24),
        "Cet": (0.0611, 39.8, 3.26, 0.1550, 0.002),
        "Seol": (0.0834, 38.2, 5.68, 0.4908, 0.008),
    },
}
TO_THE_END = "MM, paper's steps to convergence"
HERE = {  # the paper's name: model and method of ours, whether it has the frames of the interior-point method alone
    "MM": ("pairs", "mm_cet" + RELEASED, False),
    TO_THE_END: ("pairs", "mm_cet", False),
    "SQP": ("pairs", "SciPy's defaults", True),
    "Cet": ("shapes alone", "cet", False),
    "Seol": ("shapes alone", "seol", False),
    "ours": ("pairs", OURS, False),
}

Figures = dict[str, float]


def paper(character: str, method: str) -> Figures:
    """One row of a table of the paper."""
    error, cardinality, l1, smoothness, seconds = PAPER[character][method]
    share = cardinality / CHARACTERS[character]
    return dict(zip(FIGURES, (error, cardinality, share, l1, smoothness, seconds), strict=True))


@dataclass(frozen=True)
class Beside:
    """The paper's figures beside ours.

    Attributes
    ----------
    rows, interior_rows : list of Row
        Of all judged frames, and of those of the interior-point method.
    num_weights : int
        Of our face.
    """

    rows: list[Row]
    interior_rows: list[Row]
    num_weights: int

    def text(self) -> str:
        """Both tables: the figures, and how many times those of MM they are."""
        return table(HEAD, self.figures()) + "\n\n" + table(RATIOS_HEAD, self.ratios())

    def here(self, method: str, *, interior: bool) -> Figures:
        """Our figures for a method, on the frames of the interior-point method or on all."""
        model, name, _ = HERE[method]
        found = self.interior_rows if interior else self.rows
        row = next(row for row in found if (row["model"], row["method"]) == (model, name))
        return {"share": row["cardinality"] / self.num_weights} | {k: row[k] for k in FIGURES if k != "share"}

    def figures(self) -> list[list[str]]:
        """Lines of the first table."""
        lines = []
        for method, (_, _, interior) in HERE.items():
            if method in METHODS:
                told = [paper(character, method) for character in CHARACTERS]
                lines.append([method, "Omar", *(_printed(k, told[0][k]) for k in FIGURES)])
                lines.append(["", "the paper's five", *_ranges(told, FIGURES, _printed)])
            here = self.here(method, interior=interior)
            lines.append([self.name(method), self.face(interior), *(_measured(k, here[k]) for k in FIGURES)])
        return lines

    def ratios(self) -> list[list[str]]:
        """Lines of the second table; both sides of a ratio have the same frames."""
        lines = []
        for method, interior in [
            *((name, HERE[name][2]) for name in METHODS[1:]),
            *((name, interior) for name in (TO_THE_END, "ours") for interior in (False, True)),
        ]:
            if method in METHODS:
                told = [_over_mm(paper(name, method), paper(name, "MM")) for name in CHARACTERS]
                lines.append([method, "Omar", *(_ratio(k, told[0][k]) for k in RATIOS)])
                lines.append(["", "the paper's five", *_ranges(told, RATIOS, _ratio)])
            here = _over_mm(self.here(method, interior=interior), self.here("MM", interior=interior))
            lines.append([self.name(method), self.face(interior), *(_ratio(k, here[k]) for k in RATIOS)])
        return lines

    @staticmethod
    def name(method: str) -> str:
        """The first cell of a line of ours: those of the paper's methods stand below the paper's."""
        return "" if method in METHODS else method

    def face(self, interior: bool) -> str:
        return f"ICT, {(self.interior_rows if interior else self.rows)[0]['frames']} frames"


def _over_mm(figures: Figures, of_mm: Figures) -> Figures:
    return {name: figures[name] / of_mm[name] if of_mm[name] else np.nan for name in RATIOS}


def _ranges(told: list[Figures], names: Iterable[str], shown: Callable[[str, float], str]) -> list[str]:
    """Smallest and largest of the characters."""
    extremes = ([shown(name, pick(figures[name] for figures in told)) for pick in (min, max)] for name in names)
    return [least if least == most else f"{least} to {most}" for least, most in extremes]


def _printed(name: str, value: float) -> str:
    """As the paper prints it."""
    return f"{value:.0%}" if name == "share" else f"{value:g}"


def _measured(name: str, value: float) -> str:
    return f"{value:.1f}" if name == "cardinality" else f"{value:.0%}" if name == "share" else digits(value)


def _ratio(_: str, value: float) -> str:
    return f"{value:.2f}" if value == value else ""
