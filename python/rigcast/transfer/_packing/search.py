"""The search for expressions, told while it runs, and what a plan says of its outcome."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from rigcast.progress import Progress, ProgressCallback
from rigcast.transfer._packing.program import Program
from rigcast.transfer._packing.sequence import Sequencer
from rigcast.transfer._packing.solvers import Expression


class Told:
    """Tells how far packing is, while a search runs too."""

    def __init__(self, report: ProgressCallback) -> None:
        self.report = report
        self.begin("packing expressions")

    def begin(self, stage: str) -> None:
        self.at = Progress(stage, 0, 0)

    def found(self, chosen: list[Expression], total: int) -> None:
        done = sum(len(entry.items) for entry in chosen)
        self.at = Progress(self.at.stage, done, total, f"{len(chosen)} expressions")
        self.report(self.at)

    def __call__(self, nodes: int) -> None:
        words = [self.at.message] if self.at.message else []
        self.report(replace(self.at, message=", ".join([*words, f"{nodes:,} choices tried"])))


def search(sequencer: Sequencer, minimize: bool, limit: int | None, told: Told) -> dict[str, Any]:
    """What a plan holds of its expressions, their proofs, and what is left out; see ``ExpressionPlan``."""
    program = sequencer.program
    chosen = _chosen(sequencer, minimize, limit, told)
    told.begin("bounding the number")
    bound, clique = _bound(program, minimize)
    uncovered = set(range(len(program.members))) - {item for entry in chosen for item in entry.items}
    return {
        "expressions": [program.shapes(entry.items) for entry in chosen],
        "groups": [group for group in program.members if len(group) > 1],
        "best": [entry.proven for entry in chosen],
        "lower_bound": bound,
        "clique": clique,
        "proven_minimal": not uncovered and program.overlap == 0.0 and len(chosen) == bound,
        "uncovered": program.shapes(uncovered),
    }


def _chosen(sequencer: Sequencer, minimize: bool, limit: int | None, told: Told) -> list[Expression]:
    """At most ``limit`` expressions, told as they are found."""
    total = len(sequencer.program.members)
    chosen: list[Expression] = []
    told.found(chosen, total)
    for expression in islice(sequencer.fewest() if minimize else sequencer.one_after_another(), limit):
        chosen.append(expression)
        told.found(chosen, total)
    return chosen


def _bound(program: Program, minimize: bool) -> tuple[int, list[int]]:
    """A lower bound of the number of expressions, and a clique of shapes: one of each of its items."""
    items = list(range(len(program.members)))
    clique, _ = program.graph.clique(items, program.node_limit, program.report)
    bound = len(clique)
    if minimize:
        bound = max(bound, program.graph.fewest(items, program.node_limit, report=program.report)[1])
    return bound, [program.members[item][0] for item in clique]
