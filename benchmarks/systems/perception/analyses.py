"""Our analysis of variance and generalized linear model beside the general packages', on designs of growing size.

    python -m benchmarks.systems.perception.analyses [--limit 900] [--write]

Each package runs in a process of its own with one thread, which ends after the limit; times are those of the analysis
alone, without imports, the best of three where they are short. Where both finish, their answers are compared.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
import warnings
from collections.abc import Callable
from multiprocessing.queues import Queue
from typing import Any

import numpy as np

import rigcast.perception as rp
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

Table = dict[str, np.ndarray]
#: Levels of the factors within people: 20 people of the published study see the last (Carrigan 2020, section 5.1.2).
DESIGNS = {
    "2 x 3 x 5": {"sex": 2, "race": 3, "activation": 5},
    "12 x 5": {"shape": 12, "activation": 5},
    "3 x 12 x 5": {"race": 3, "shape": 12, "activation": 5},
    "2 x 3 x 12 x 5": {"sex": 2, "race": 3, "shape": 12, "activation": 5},
}
PEOPLE = 20
RUNS, SHORT = 3, 10.0  # repetitions of what takes less than so many seconds
FORMULA = "rms * sex * race * shape"
HEAD = (
    "| analysis | rows | ours, s | theirs, s | ratio | largest difference |",
    "| --- | --- | --- | --- | --- | --- |",
)


def ratings(levels: dict[str, int]) -> Table:
    """Simulated Poisson ratings of every cell, one per person, with a measure that grows with the activation."""
    random = np.random.default_rng(1)
    grid = np.meshgrid(np.arange(PEOPLE), *map(np.arange, levels.values()), indexing="ij")
    table = dict(zip(["person", *levels], [axis.ravel() for axis in grid], strict=True))
    shape = table.get("shape", np.zeros(len(table["person"]), int))
    table["rms"] = (table["activation"] + 1) * (5.0 + 3.0 * shape) * random.uniform(0.9, 1.1, len(shape))
    table["rating"] = random.poisson(1.5 + 0.03 * table["rms"]).astype(float)
    return table


def our_anova(levels: dict[str, int]) -> tuple[float, np.ndarray]:
    """Seconds, and F of all terms."""
    table = ratings(levels)
    began = time.perf_counter()
    found = rp.anova(table, "rating", "person", within=list(levels), correction="none")
    return time.perf_counter() - began, np.array([row.f for row in found.rows])


def their_anova(levels: dict[str, int]) -> tuple[float, np.ndarray]:
    """The same of statsmodels' AnovaRM, whose terms have our order after sorting by names."""
    import pandas
    from statsmodels.stats.anova import AnovaRM

    frame = pandas.DataFrame(ratings(levels))
    began = time.perf_counter()
    found = AnovaRM(frame, "rating", "person", within=list(levels)).fit().anova_table
    return time.perf_counter() - began, found["F Value"].to_numpy()


def our_glm(levels: dict[str, int]) -> tuple[float, np.ndarray]:
    """Seconds, and fitted means."""
    table = _words(ratings(levels))
    began = time.perf_counter()
    fit = rp.glm(table, "rating", FORMULA, family="poisson", link="log")
    return time.perf_counter() - began, fit.mu


def their_glm(levels: dict[str, int]) -> tuple[float, np.ndarray]:
    """The same of statsmodels' formulas."""
    import pandas
    import statsmodels.api as sm
    import statsmodels.formula.api as smf

    frame = pandas.DataFrame(_words(ratings(levels)))
    began = time.perf_counter()
    fit = smf.glm(f"rating ~ {FORMULA}", data=frame, family=sm.families.Poisson()).fit(tol=1e-12, maxiter=100)
    return time.perf_counter() - began, np.asarray(fit.fittedvalues)


def _words(table: Table) -> Table:
    """Factors as text, so that both packages take them for factors."""
    return table | {name: np.char.add(name, table[name].astype(str)) for name in ("sex", "race", "shape")}


def timed(function: Callable[..., Any], levels: dict[str, int], limit: float) -> tuple[float, np.ndarray] | None:
    """The result of a function in a process of its own; None after the limit."""
    context = multiprocessing.get_context("spawn")
    queue: Queue[Any] = context.Queue()
    process = context.Process(target=_run, args=(queue, function, levels))
    process.start()
    try:
        found: tuple[float, np.ndarray] = queue.get(timeout=limit)
        return found
    except Exception:  # noqa: BLE001 - the queue is empty: the process is still at work
        return None
    finally:
        process.terminate()
        process.join()


def _run(queue: Queue[Any], function: Callable[..., Any], levels: dict[str, int]) -> None:
    warnings.simplefilter("ignore")
    function(DESIGNS["2 x 3 x 5"] if "anova" in function.__name__ else levels)  # first calls load parts of the packages
    runs = [function(levels)]
    while len(runs) < RUNS and runs[0][0] < SHORT:
        runs.append(function(levels))
    queue.put(min(runs, key=lambda run: run[0]))


def row(name: str, pair: tuple[Callable[..., Any], Callable[..., Any]], levels: dict[str, int], limit: float) -> str:
    """A row of the table."""
    ours, theirs = (timed(function, levels, limit) for function in pair)
    count = PEOPLE * int(np.prod(list(levels.values())))
    assert ours is not None
    if theirs is None:
        return f"| {name} | {count:,} | {ours[0]:.3f} | more than {limit:g} | > {limit / ours[0]:,.0f} | – |"
    apart = np.abs(np.sort(ours[1]) / np.sort(theirs[1]) - 1.0).max()
    return f"| {name} | {count:,} | {ours[0]:.3f} | {theirs[0]:.2f} | {theirs[0] / ours[0]:,.0f} | {apart:.0e} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--limit", type=float, default=900.0, help="seconds that each may take")
    parser.add_argument("--write", action="store_true", help="into the page of docs/benchmarks")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes that are started
    lines = [*HEAD]
    for name, levels in DESIGNS.items():
        lines.append(row(f"ANOVA within people, {name}", (our_anova, their_anova), levels, given.limit))
        print(lines[-1], flush=True)
    lines.append(row("Poisson GLM, 144 columns", (our_glm, their_glm), DESIGNS["2 x 3 x 12 x 5"], given.limit))
    lines += ["", f"Load {load_average():.1f}; {machine()}"]
    print("\n".join(lines))
    if given.write:
        write_between_marks("analyses", "\n".join(lines))


if __name__ == "__main__":
    main()
