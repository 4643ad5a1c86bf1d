"""Seconds of the first expression and of the whole sequence beside general solvers, with the goals of both."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.systems.packing.faces import Face
from benchmarks.systems.packing.peers import Outcome, maximal_rows, processor_seconds, published, rows_of, sequence
from rigcast.transfer._packing.program import Program
from rigcast.transfer._packing.solvers import SOLVERS

NODES = 1_000_000
IN_A_ROW = 5  # calls of ours in a round, if they are short: their peers take hundreds of times as long
ENOUGH = 0.5  # seconds of a round after which no further call begins
LONG = 5.0  # seconds of all rounds after which none is added
CLOCK = 5  # HiGHS counts its limit by the clock: so many times the limit, since other work may share the processor
# Carrigan 2020, table 3.4: vertices, shapes, seconds of the first expression, optimal (PuLP with CPLEX) and greedy.
PUBLISHED = {
    "Male": (7366, 73, 4.97, 0.29),
    "Toon": (11680, 65, 7.14, 0.39),
    "Female": (5034, 265, 13.14, 0.39),
    "DigiDouble": (5131, 161, 13.14, 0.39),
}
# How many times ours a peer has to take. First expression: the published program in CBC, HiGHS on maximal rows; whole
# sequence: HiGHS on raw rows and on maximal ones. The reduction to maximal rows is counted on both sides.
FIRST_GOALS, WHOLE_GOALS = (300, 20), (5, 40)


@dataclass
class Timed:
    """Seconds of a function's calls, and what the last one gave."""

    function: Callable[[], Outcome]
    calls: int = 1
    seconds: list[float] = field(default_factory=list)
    outcome: Outcome = field(default_factory=lambda: Outcome([]))

    def round(self) -> None:
        first = len(self.seconds)
        if sum(self.seconds) >= LONG or (self.outcome.stopped and self.seconds):
            return
        while len(self.seconds) < first + self.calls and sum(self.seconds[first:]) < ENOUGH:
            begin = processor_seconds()
            self.outcome = self.function()
            self.seconds.append(processor_seconds() - begin)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def times(self, ours: Timed, goal: float) -> str:
        """The ratio of its time to ours, a lower limit if it was stopped, and a note if that misses the goal."""
        ratio = self.median / ours.median
        missed = ", missed" * (ratio < goal and not self.outcome.stopped)
        return f"{'> ' * self.outcome.stopped}{ratio:,.{0 if ratio >= 10 else 1}f} x{missed}"

    def cell(self, ours: Timed, goal: float = 0.0) -> str:
        """Its time, how many times ours that is, and whether that meets the goal, if there is one."""
        ratio = self.median / ours.median
        met = (": met" if ratio >= goal else ": missed") if goal else ""
        if self.outcome.stopped:
            met = met if ratio >= goal else ""  # it would have taken longer, nobody knows how long
            return f"> {ratio:,.0f} x{met}, stopped after {self.median:.0f} s {self.outcome.ending()}"
        return f"{milliseconds(self)}, {ratio:,.{0 if ratio >= 10 else 1}f} x{met}"


def ours(program: Program, weights: np.ndarray, count: int | None = None, method: str = "optimal") -> Outcome:
    """Expressions of the own search or greedy choice; all, or the first ``count``."""
    left, values = list(range(len(program.members))), []
    while left and len(values) != count:
        expression = SOLVERS[method](program, weights, 1.0, left)
        assert expression.proven or method == "greedy"
        values.append(float(weights[program.shapes(expression.items)].sum()))
        left = [item for item in left if item not in set(expression.items)]
    return Outcome(values)


class Case:
    """A face's program, what solves it, and the lines of both tables."""

    def __init__(self, face: Face, symmetry: bool, limit: float) -> None:
        self.face, self.symmetry, self.plan = face, symmetry, face.plan(symmetry)
        active, weights = self.plan.active, self.plan.importance
        pairs = [(pair.first, pair.second) for pair in self.plan.pairs]
        grouped = {k for group in self.plan.groups for k in group}
        groups = self.plan.groups + [[k] for k in range(len(weights)) if k not in grouped]
        ready, few = Program(groups, active, [], 0.0, NODES), maximal_rows(active)

        def own(count: int | None, method: str = "optimal") -> Timed:
            return Timed(lambda: ours(Program(groups, active, [], 0.0, NODES), weights, count, method), IN_A_ROW)

        def highs(rows: Callable[[np.ndarray], list[np.ndarray]], count: int | None) -> Timed:
            return Timed(lambda: sequence(active, weights, pairs, CLOCK * limit, rows, count))

        self.first = {
            "ours": own(1),
            "greedy": own(1, "greedy"),
            "CBC": Timed(lambda: published(active, weights, pairs, limit)),
            "raw": highs(rows_of, 1),
            "maximal": highs(maximal_rows, 1),
            "ours, reduced": Timed(lambda: ours(ready, weights, 1), IN_A_ROW),
            "reduced": highs(lambda _: few, 1),
        }
        self.whole = {
            "ours": own(None),
            "raw": highs(rows_of, None),
            "maximal": highs(maximal_rows, None),
            "ours, reduced": Timed(lambda: ours(ready, weights), IN_A_ROW),
            "reduced": highs(lambda _: few, None),
            "call": Timed(lambda: Outcome([len(face.plan(symmetry).expressions)])),
        }

    def measure(self, rounds: int) -> None:
        everything = [*self.first.values(), *self.whole.values()]
        self.first["ours"].function(), self.whole["ours"].function()  # the first calls warm up
        for _ in range(rounds):
            for timed in everything:
                timed.round()

    def title(self) -> str:
        motion = sum(pair.kind == "motion" for pair in self.plan.pairs)
        pairing = f"{len(self.plan.pairs) - motion} + {motion} pairs" if self.symmetry else "no symmetry"
        shapes, vertices = self.plan.active.shape
        return f"{self.face.name}, {vertices:,} x {shapes}, {pairing}"

    def summary(self) -> list[str]:
        """The face's line of the summary."""
        first, whole = self.first, self.whole
        return [
            self.title(),
            milliseconds(first["ours"]),
            first["CBC"].times(first["ours"], FIRST_GOALS[0]),
            first["maximal"].times(first["ours"], FIRST_GOALS[1]),
            milliseconds(whole["ours"]),
            whole["raw"].times(whole["ours"], WHOLE_GOALS[0]),
            whole["maximal"].times(whole["ours"], WHOLE_GOALS[1]),
            f"{len(self.plan.expressions)} ({self.plan.lower_bound})",
        ]

    def first_lines(self) -> list[list[str]]:
        found = self.first
        return [
            [
                self.title(),
                milliseconds(found["ours"]),
                found["CBC"].cell(found["ours"], FIRST_GOALS[0]),
                found["raw"].cell(found["ours"]),
                found["maximal"].cell(found["ours"], FIRST_GOALS[1]),
                milliseconds(found["greedy"]),
                self.objectives(),
            ],
            self.without_reduction(found, 2, 2),
        ]

    def whole_lines(self) -> list[list[str]]:
        found, plan = self.whole, self.plan
        fewest = self.face.plan(self.symmetry, minimize=True)
        proof = "proven minimal" if fewest.proven_minimal else f"at least {fewest.lower_bound}"
        return [
            [
                self.title(),
                milliseconds(found["ours"]),
                found["raw"].cell(found["ours"], WHOLE_GOALS[0]),
                found["maximal"].cell(found["ours"], WHOLE_GOALS[1]),
                f"{len(plan.expressions)} (at least {plan.lower_bound})",
                f"{len(fewest.expressions)}, {proof}",
                milliseconds(found["call"]),
            ],
            self.without_reduction(found, 1, 3),
        ]

    def without_reduction(self, found: dict[str, Timed], before: int, after: int) -> list[str]:
        """The second line of a face: both sides start from programs that are reduced already."""
        title = f"{self.face.name}, {'pairs' if self.symmetry else 'no symmetry'}, reduction not counted"
        cell = found["reduced"].cell(found["ours, reduced"])
        return [title, milliseconds(found["ours, reduced"]), *[""] * before, cell, *[""] * after]

    def objectives(self) -> str:
        """Ours of the first expression; how far the peers' are from ours in any expression that they reached."""
        own = self.whole["ours"].outcome.values
        several = [self.whole[name].outcome for name in ("raw", "maximal", "reduced")]
        peers = [self.first[name].outcome for name in ("CBC", "raw", "maximal", "reduced")] + several
        gaps = [abs(a - b) for peer in peers for a, b in zip(peer.values, own, strict=False)]
        for peer in several:
            assert peer.stopped or len(peer.values) == len(own), "sequences of different lengths"
        equal = "" if not gaps else f", peers equal to {max(gaps):.0e}" if max(gaps) > 0.0 else ", peers equal"
        return f"{own[0]:.4f}{equal}"


def milliseconds(timed: Timed) -> str:
    value = 1e3 * timed.median
    return f"{value:,.{0 if value >= 10 else 2}f} ms"


def speed_tables(faces: Iterable[Face], rounds: int, limit: float) -> list[str]:
    """Markdown: a summary; the first expression, with the thesis's times; the whole sequence."""
    firsts = [
        [f"thesis: {name}, {vertices:,} x {shapes}", "", f"{seconds:g} s (CPLEX)", "", "", f"{greedy:g} s", ""]
        for name, (vertices, shapes, seconds, greedy) in PUBLISHED.items()
    ]
    summaries, wholes = [], []
    for case in (Case(face, symmetry, limit) for face in faces for symmetry in (False, True)):
        case.measure(rounds)
        summaries.append(case.summary())
        firsts += case.first_lines()
        wholes += case.whole_lines()
    first = [
        "first expression: vertices x shapes, left-right + painted pairs",
        "ours",
        f"PuLP + CBC, raw rows (goal {FIRST_GOALS[0]} x)",
        "HiGHS, raw rows",
        f"HiGHS, maximal rows (goal {FIRST_GOALS[1]} x)",
        "our greedy choice",
        "objective, largest gap of any expression",
    ]
    whole = [
        "whole sequence",
        "ours",
        f"HiGHS, raw rows (goal {WHOLE_GOALS[0]} x)",
        f"HiGHS, maximal rows (goal {WHOLE_GOALS[1]} x)",
        "expressions",
        "with `minimize`",
        "`pack_expressions`",
    ]
    summary = [
        "face: vertices x shapes, pairs",
        "first expression, ours",
        f"CBC, raw rows ({FIRST_GOALS[0]} x)",
        f"HiGHS, maximal rows ({FIRST_GOALS[1]} x)",
        "whole sequence, ours",
        f"HiGHS, raw rows ({WHOLE_GOALS[0]} x)",
        f"HiGHS, maximal rows ({WHOLE_GOALS[1]} x)",
        "expressions (at least)",
    ]
    return [markdown(summary, summaries), markdown(first, firsts), markdown(whole, wholes)]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))
