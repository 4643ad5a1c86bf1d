"""The search for expressions: one after another until every shape is in one, or the fewest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from rigcast._validate import bad_argument
from rigcast.progress import Progress, ProgressCallback
from rigcast.transfer._packing.importance import Importance
from rigcast.transfer._packing.program import Program
from rigcast.transfer._packing.solvers import Expression, Solver


@dataclass(frozen=True)
class Sequencer:
    """Takes expressions from the items that are left.

    Attributes
    ----------
    program : Program
    importance : Importance
    solver : Solver
    refused_at : mapping
        Items that must not stand in the expression at a position.
    """

    program: Program
    importance: Importance
    solver: Solver
    refused_at: Mapping[int, frozenset[int]]

    def best(self, position: int, left: list[int], used: list[int]) -> Expression:
        """The solver's choice for a position."""
        barred = self.refused_at.get(position, frozenset())
        allowed = [item for item in left if item not in barred]
        if not allowed:
            shapes = self.program.shapes(left)
            which = f"{shapes}" if len(shapes) <= 8 else f"all {len(shapes)}"
            got = f"a refusal of every shape left at position {position} ({which}, partners included)"
            raise bad_argument("pack_expressions", "reject_at", got, "such that one item stays for every expression")
        importance = self.importance.after(used, self.program.shapes(left))
        return self.solver(self.program, importance, self.importance.largest, allowed)

    def one_after_another(self) -> Iterator[Expression]:
        """Each the best of what is left (Carrigan 2020): not the fewest."""
        left, used = list(range(len(self.program.members))), list[int]()
        position = 0
        while left:
            expression = self.best(position, left, used)
            yield expression
            left = [item for item in left if item not in set(expression.items)]
            used += self.program.shapes(expression.items)
            position += 1

    def fewest(self) -> Iterator[Expression]:
        """As few as the coloring needs; within that number each the best of what is left, where possible.

        The solver's choice is taken if the rest still fits into the expressions that remain; otherwise the heaviest
        class of the coloring at hand, with what fits next to it.
        """
        left, used = list(range(len(self.program.members))), list[int]()
        classes = self._classes(left, 0)
        position = 0
        while left:
            expression = self.best(position, left, used)
            rest = [item for item in left if item not in set(expression.items)]
            without = self._classes(rest, len(classes) - 1)
            if len(without) > len(classes) - 1:
                expression = self._widened(classes, left, used)
                rest = [item for item in left if item not in set(expression.items)]
                without = [[item for item in entry if item in set(rest)] for entry in classes]
                without = [entry for entry in without if entry]
            yield expression
            left, classes = rest, without
            used += self.program.shapes(expression.items)
            position += 1

    def _classes(self, items: list[int], enough: int) -> list[list[int]]:
        if not items:
            return []
        which = self.program.graph.fewest(items, self.program.node_limit, enough, self.program.report)[0]
        return [[item for item in items if which[item] == number] for number in range(max(which) + 1)]

    def _widened(self, classes: list[list[int]], left: list[int], used: list[int]) -> Expression:
        """The heaviest class, joined by other items that fit, heavy ones first."""
        importance = self.importance.after(used, self.program.shapes(left))
        weight = self.program.weights(importance)
        chosen = set(max(classes, key=lambda entry: sum(weight[item] for item in entry)))
        conflicts = np.asarray(self.program.graph.conflicts)
        for item in sorted(set(left) - chosen, key=lambda entry: (-weight[entry], entry)):
            if not conflicts[item, sorted(chosen)].any() and not self.program.refuses(chosen, item):
                chosen.add(item)
        return Expression(sorted(chosen), False)


class PackingProgress:
    """Reports the progress of packing, also during a search."""

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


def search(sequencer: Sequencer, minimize: bool, limit: int | None, report: PackingProgress) -> dict[str, Any]:
    """Search a plan: its expressions, their proofs, and the shapes left out; see ``ExpressionPlan``."""
    program = sequencer.program
    chosen = _chosen(sequencer, minimize, limit, report)
    report.begin("bounding the number")
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


def _chosen(sequencer: Sequencer, minimize: bool, limit: int | None, report: PackingProgress) -> list[Expression]:
    """At most ``limit`` expressions, reported as they are found."""
    total = len(sequencer.program.members)
    chosen: list[Expression] = []
    report.found(chosen, total)
    for expression in islice(sequencer.fewest() if minimize else sequencer.one_after_another(), limit):
        chosen.append(expression)
        report.found(chosen, total)
    return chosen


def _bound(program: Program, minimize: bool) -> tuple[int, list[int]]:
    """A lower bound of the number of expressions, and a clique of shapes: one of each of its items."""
    items = list(range(len(program.members)))
    clique, _ = program.graph.clique(items, program.node_limit, program.report)
    bound = len(clique)
    if minimize:
        bound = max(bound, program.graph.fewest(items, program.node_limit, report=program.report)[1])
    return bound, [program.members[item][0] for item in clique]
