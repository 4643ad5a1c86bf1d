"""The rows of the inverse rig's tables: every peer beside ours, each at the objective that it reached."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.inverse.peers import VertexSpace, scipy_frame
from benchmarks.systems.inverse.published_mm import STEPS, TOLERANCE, PublishedMM
from benchmarks.systems.inverse.published_smooth import PublishedSmooth, ReleasedSmooth
from benchmarks.systems.inverse.scenes import Scene
from benchmarks.systems.inverse.trace import Trace, spent

EQUAL = 1e-6  # relative objective that counts as the same
SAME = 1e-10  # differences below this are rounding
LEVELS = (1e-3, EQUAL)  # of the joint solves
START = 0.1  # of SciPy's methods: they are faster from inside the box
TIMES_FASTER = {"trust-constr": 1000.0, "L-BFGS-B": 300.0, "published MM": 10000.0}  # goals of ours in a shot
JOINT_TIMES_FASTER = 200.0  # than the published formulation at its best, to an equal objective
FRAMES_PER_SECOND = {"paper-size rig": 5000.0, "ICT face": 4000.0}  # goals on one thread, projection included


@dataclass(frozen=True)
class Settings:
    """The extent of the measurements."""

    runs: int = 10
    peer_frames: int = 3
    limit: float = 20.0  # processor seconds that a peer may take
    joint_limit: float = 300.0  # and the joint peer at its best, which gets there
    smoothness: float = 100.0
    smooth_frames: tuple[int, ...] = (1000, 100)
    released_frames: int = 20


@dataclass(frozen=True)
class Row:
    """One line; where a peer sought our objective and did not reach it, its time and ratios are lower bounds."""

    job: str
    seconds: float
    difference: float
    reached: bool = True
    ratios: list[float] = field(default_factory=list)
    goal: str = ""

    def cells(self, columns: int) -> str:
        bound = "" if self.reached else "> "
        ratios = [f"{bound}{ratio:,.0f} x" if ratio >= 9.5 else f"{bound}{ratio:.1f} x" for ratio in self.ratios]
        ratios += [""] * (columns - len(ratios))
        difference = "equal" if abs(self.difference) < SAME else f"{self.difference:+.1e}"
        return " | ".join(["", self.job, _time(self.seconds), *ratios, difference, self.goal, ""]).strip()


def goal(wanted: float | None, found: float, unit: str, *, is_least: bool = False) -> str:
    """A goal and whether it is met; ``is_least`` says that ``found`` is a lower bound."""
    if wanted is None:
        return ""
    told = "met" if found >= wanted else "not known" if is_least else "missed"
    return f"{wanted:,.0f}{unit}: {told}"


def _time(seconds: float) -> str:
    return (
        f"{seconds:,.1f} s"
        if seconds >= 10
        else f"{1e3 * seconds:,.0f} ms"
        if seconds >= 0.1
        else f"{1e3 * seconds:.3g} ms"
    )


class OneFrame:
    """Rows of single frames: ours in a shot, ours alone, and the others, alone."""

    def __init__(self, scene: Scene, alpha: float, settings: Settings) -> None:
        self.scene, self.alpha, self.settings = scene, alpha, settings
        self.space = VertexSpace(scene.rig)
        self.gram_seconds, self.solver = spent(lambda: rc.inverse.Solver(scene.rig), settings.runs)
        shot = scene.targets(scene.truth[scene.shots[0]])
        seconds, solved = spent(lambda: self.solver.solve(shot, alpha=alpha, threads=1), settings.runs)
        self.count, self.warm = len(shot), seconds / len(shot)
        chosen = np.linspace(0, len(shot) - 1, settings.peer_frames + 2).astype(int)[1:-1]
        self.meshes = shot[chosen]
        self.offsets = self.meshes.reshape(len(chosen), -1).astype(np.float64) - self.space.neutral
        self.ours = self.judged(solved.weights[chosen])
        alone = [
            spent(lambda m=mesh: self.solver.solve(m[None], alpha=alpha, threads=1), settings.runs)
            for mesh in self.meshes
        ]
        self.cold = statistics.median(seconds for seconds, _ in alone)
        self.cold_objectives = self.judged(np.concatenate([solution.weights for _, solution in alone]))

    def judged(self, weights: np.ndarray) -> np.ndarray:
        """Objectives (n,) of weights for the chosen frames, on the vertices."""
        return np.array([self.space.value(w, b, self.alpha) for w, b in zip(weights, self.offsets, strict=False)])

    def row(
        self, job: str, seconds: float, objectives: np.ndarray, reached: bool = True, wanted: float | None = None
    ) -> Row:
        """A peer's; ``objectives`` of the first chosen frames; ``wanted`` times faster is ours in a shot to be."""
        ratios = [seconds / self.warm, seconds / self.cold]
        told = goal(wanted, ratios[0], " x", is_least=not reached)
        return Row(job, seconds, self.difference(objectives), reached, ratios, told)

    def difference(self, objectives: np.ndarray) -> float:
        """The largest, relative to ours in the shot."""
        return float(np.max(objectives / self.ours[: len(objectives)] - 1))

    def rows(self) -> list[Row]:
        whole, alone = self.gram_seconds + self.cold, self.difference(self.cold_objectives)
        rate = f"{1 / self.warm:,.0f} frames per second"
        told = goal(FRAMES_PER_SECOND.get(self.scene.name), 1 / self.warm, " per second")
        return [
            Row(f"ours, in a shot of {self.count:,} ({rate}, projection included)", self.warm, 0.0, goal=told),
            Row("ours, one frame alone from zero", self.cold, alone),
            Row(f"the same with the Gram matrix ({_time(self.gram_seconds)}, once a rig)", whole, alone),
            *self.scipy_rows(),
            *self.engine_rows(),
            *(self.published_rows() if self.only_pairs else []),
        ]

    @property
    def only_pairs(self) -> bool:
        """True if the published MM, which knows products of two weights only, is defined for the rig."""
        return all(
            len(factors) == 2 and all(isinstance(f, int) for f in factors) for factors in self.scene.rig.combinations
        )

    def scipy_rows(self) -> list[Row]:
        jobs: list[tuple[str, str, dict[str, Any]]] = [
            ("trust-constr, exact Hessian, on the vertices", "trust-constr", {"exact_hessian": True}),
            ("trust-constr, its own BFGS, on the vertices", "trust-constr", {}),
            ("L-BFGS-B, analytic gradient, on the vertices", "L-BFGS-B", {}),
        ]
        start = np.full(self.space.num_shapes, START)
        return [
            self.to_goal(
                job,
                lambda b, t, m=method, o=options: scipy_frame(self.space, b, self.alpha, t, start, m, **o),
                wanted=TIMES_FASTER[method],
            )
            for job, method, options in jobs
        ]

    def to_goal(
        self,
        job: str,
        run: Callable[[np.ndarray, Trace], object],
        frames: int | None = None,
        *,
        wanted: float | None = None,
    ) -> Row:
        """A peer until it is at an equal objective, or the limit; the median over the frames."""
        traces = []
        for offsets, ours in list(zip(self.offsets, self.ours, strict=True))[:frames]:
            traces.append(Trace(ours * (1 + EQUAL), self.settings.limit))
            run(offsets, traces[-1])
        seconds = statistics.median(trace.total for trace in traces)
        reached = all(trace.best <= trace.goal for trace in traces)
        return self.row(job, seconds, np.array([trace.best for trace in traces]), reached, wanted)

    def engine_rows(self) -> list[Row]:
        """Other methods of this package on the same Gram matrix, until they stop."""
        rule = {"tolerance": TOLERANCE / float(np.square(self.offsets[0]).sum()), "max_iterations": STEPS}
        jobs: list[tuple[str, str, dict[str, Any]]] = [
            ("our `sqp`: trust-constr in Gram space", "sqp", {}),
            ("our `mm`, 10,000 steps", "mm", {}),
            ("our `mm_cet`, the published stopping rule", "mm_cet", rule),
        ]
        mesh, rows = self.meshes[:1], []
        for job, method, options in jobs:
            self.solver.solve(
                mesh, method, alpha=self.alpha, threads=1, max_iterations=1
            )  # what is prepared once a rig
            runs = 1 if method == "sqp" else min(3, self.settings.runs)
            seconds, solution = spent(
                lambda m=method, o=options: self.solver.solve(mesh, m, alpha=self.alpha, threads=1, **o), runs
            )
            rows.append(self.row(job, seconds, self.judged(solution.weights)))
        return rows

    def published_rows(self) -> list[Row]:
        shapes = self.space.num_shapes
        peer = PublishedMM(self.space.columns[:shapes], self.space.member, self.space.columns[shapes:])
        zero, alpha, wanted = np.zeros(shapes), self.alpha, TIMES_FASTER["published MM"]
        ridge = self.solver.solve(self.meshes[:1], "cet", alpha=alpha).weights[0]
        return [
            self.to_goal("published MM from zero", lambda b, t: peer.solve(b, alpha, zero, t), 1, wanted=wanted),
            self.to_goal(
                "the same with its authors' later lengthening of steps",
                lambda b, t: peer.solve(b, alpha, zero, t, lengthened=True),
                1,
                wanted=wanted,
            ),
            self.stopped("published MM from `cet` to its stopping rule", peer, ridge, False),
            self.stopped("the same with lengthened steps", peer, ridge, True),
        ]

    def stopped(self, job: str, peer: PublishedMM, start: np.ndarray, lengthened: bool) -> Row:
        trace = Trace()
        rule = {"tolerance": TOLERANCE, "steps": STEPS}
        peer.solve(self.offsets[0], self.alpha, start, trace, lengthened=lengthened, **rule)
        # ours at an objective not above: the ordinary solve, whose objective is lower
        return self.row(f"{job}, {len(trace.seconds)} steps", trace.total, np.array([trace.best]))


def joint_rows(scene: Scene, alpha: float, settings: Settings) -> list[Row]:
    """Shots with a temporal term, solved jointly: ours and the published formulation to the same levels."""
    space, solver = VertexSpace(scene.rig), rc.inverse.Solver(scene.rig)
    shapes = space.num_shapes
    parts = space.columns[:shapes], space.member, space.columns[shapes:]
    terms = {"alpha": alpha, "smoothness": settings.smoothness}
    rows = []
    best, released = "published formulation at its best", "published formulation as released"
    peers = [(best, PublishedSmooth, frames, settings.joint_limit) for frames in settings.smooth_frames]
    for name, kind, frames, limit in [*peers, (released, ReleasedSmooth, settings.released_frames, settings.limit)]:
        meshes = scene.targets(scene.truth[:frames])
        lowest, ours = joint_levels(solver, meshes, terms, settings)
        trace = Trace(lowest * (1 + LEVELS[-1]), limit)
        offsets = meshes.reshape(frames, -1).astype(np.float64) - space.neutral
        kind(*parts).solve(offsets, np.zeros((frames, shapes)), trace, **terms)
        for level, (own, objective) in zip(LEVELS, ours, strict=True):
            what = f"{frames:,} frames jointly, to {level:.0e}"
            rows.append(Row(f"ours, {what}", own, objective / lowest - 1))
            taken = trace.reached(lowest * (1 + level))
            at = trace.best if taken is None else next(f for f in trace.objectives if f <= lowest * (1 + level))
            seconds = trace.total if taken is None else taken
            wanted = JOINT_TIMES_FASTER if name == best and level == EQUAL else None
            told = goal(wanted, seconds / own, " x", is_least=taken is None)
            rows.append(Row(f"{name}, {what}", seconds, at / lowest - 1, taken is not None, [seconds / own], told))
    return rows


def joint_levels(
    solver: rc.inverse.Solver, meshes: np.ndarray, terms: dict[str, float], settings: Settings
) -> tuple[float, list[tuple[float, float]]]:
    """Our best objective, and for every level the seconds and the objective of the loosest tolerance within it."""
    best = solver.solve(meshes, threads=1, **terms).shot_objective
    result = []
    for level in LEVELS:
        for tolerance in 10.0 ** -np.arange(1, 10):
            tried = solver.solve(meshes, threads=1, tolerance=tolerance, **terms).shot_objective
            if tried <= best * (1 + level):
                break
        seconds, solved = spent(
            lambda t=tolerance: solver.solve(meshes, threads=1, tolerance=t, **terms), settings.runs
        )
        result.append((seconds, solved.shot_objective))
    return best, result
