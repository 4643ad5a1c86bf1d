"""Our own kernels beside cuBLAS and cuSPARSE on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.libraries [MODEL]``.

Decides if cuBLAS is the default for large dense products (``ResidentOptions::libraries``); needs a build with
``RIGCAST_CUDA_LIBRARIES=ON`` for that column. Without a model in a differential subspace, a random one of the paper's
sizes. "Own" is our grouped product with the folded last step, "cuBLAS" the same products by cuBLAS. "Solve alone" are
the two triangular solves that a factorized last step needs, by cuSPARSE (``cupyx.cusparse.spsm``, float64, its analysis
included, which CuPy repeats in each call): nothing else of the model. Device times in milliseconds lie between two
events around the kernels (median, after warm-up, poses rotating through eight batches) and hold no copies.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.batches import BATCHES, REPEATS, ROTATE, evaluator, rotating_poses
from benchmarks.systems.cuda.differential import case, random_model
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import (
    WARM_UP,
    AbsentError,
    Found,
    Headline,
    Plan,
    Script,
    cell,
    markdown,
    milliseconds_or_why,
    value_of,
)
from rigcast._device_report import cuda_libraries

GAIN = 1.1  # a library becomes the default if it is faster by this at every batch
GOAL = f"ahead of cuBLAS in every row; the library is the default from {GAIN} x at every batch"


def factors(model: Any) -> tuple[Any, Any]:
    """L and U in compressed rows of the matrix that a factorized last step solves with, in an order of little fill."""
    from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix
    from scipy.sparse.linalg import splu

    tensors, count = model.tensors(), model.num_vertices
    faces = tensors["faces"]
    ends = [np.where(faces[:, i] >= 0, faces[:, i], faces[:, 0]) for i in range(4)]
    a, b = np.concatenate([np.stack([ends[i], ends[(i + 1) % 4]]) for i in range(4)], axis=1)
    a, b = a[a != b], b[a != b]
    ones = np.ones(2 * len(a))
    links = coo_array((ones, (np.concatenate([a, b]), np.concatenate([b, a]))), (count, count)).tocsr()
    links.data[:] = 1.0
    laplacian = csr_array((count, count))
    laplacian.setdiag(links.sum(axis=1))
    laplacian = laplacian - links
    anchored = np.zeros(count)
    anchored[tensors["anchors.vertex"]] = tensors["anchors.weight"] ** 2
    normal = laplacian.T @ laplacian
    normal.setdiag(normal.diagonal() + anchored)
    options = {"SymmetricMode": True}
    found = splu(csc_array(normal), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return csr_matrix(found.L), csr_matrix(found.U)


def solver(model: Any, repeats: int) -> Callable[[int], float]:
    """Milliseconds of the two solves of cuSPARSE by batch. Raises `AbsentError` without CuPy or SciPy."""
    try:
        cupy, sparse, spsm = (
            importlib.import_module(name) for name in ("cupy", "cupyx.scipy.sparse", "cupyx.cusparse")
        )
        lower, upper = (sparse.csr_matrix(matrix) for matrix in factors(model))
    except ImportError as error:
        raise AbsentError(f"{error.name or 'CuPy'} is not installed") from None
    rng = np.random.default_rng(0)

    def run(batch: int) -> float:
        rhs = cupy.asfortranarray(cupy.asarray(rng.standard_normal((lower.shape[0], 3 * batch))))
        times = []
        for i in range(repeats + WARM_UP):
            start, stop = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            spsm.spsm(upper, spsm.spsm(lower, rhs, lower=True), lower=False)
            stop.record()
            stop.synchronize()
            if i >= WARM_UP:
                times.append(float(cupy.cuda.get_elapsed_time(start, stop)))
        return median(times)

    return run


def milliseconds(model: Any, batches: Sequence[int], repeats: int, libraries: bool) -> dict[int, Any]:
    """Milliseconds and the largest difference from the CPU by batch."""
    on_device = evaluator(model, libraries=libraries)
    poses, found = rotating_poses(model, max(batches)), {}
    for batch in batches:
        one = poses[:batch]
        time = median(on_device.milliseconds(poses[: ROTATE * batch], batch, repeats))
        cpu, out = model.evaluate(one), np.empty((batch, *model.rest_vertices.shape), np.float32)
        on_device.evaluate(one, out)
        found[batch] = time, float(np.abs(out - cpu).max() / np.abs(cpu).max())
    return found


def measure_model(model: Any, repeats: int, batches: Sequence[int] = tuple(BATCHES[:-1])) -> Found:
    """Figures by batch: ours, cuBLAS with its difference from the CPU, the solve; a text where one is missing."""
    own = milliseconds(model, batches, repeats, False)
    try:
        library = milliseconds(model, batches, repeats, True)
    except rc.errors.ArgumentError:
        library = dict.fromkeys(batches, ("not built in", "-"))
    solve = solves(model, batches, min(repeats, 10))
    return {
        str(b): {"own": own[b][0], "cuBLAS": library[b][0], "difference": library[b][1], "solve": solve[b]}
        for b in batches
    }


def solves(model: Any, batches: Sequence[int], repeats: int) -> dict[int, float | str]:
    """Milliseconds of the solve by batch, or why there are none."""
    try:
        solve = solver(model, repeats)
    except AbsentError as error:
        return dict.fromkeys(batches, str(error))
    return {batch: milliseconds_or_why(lambda batch=batch: solve(batch)) for batch in batches}


def gain(found: Found | None, batch: int) -> str:
    """Our time over the library's."""
    own, library = (value_of(found, str(batch), way) for way in ("own", "cuBLAS"))
    return f"{own / library:.2f} x" if isinstance(library, float) else cell(library, "")


def verdict(plan: Plan, found: Found) -> str:
    """The verdict on cuBLAS as the default."""
    rows = [found[str(batch)] for batch in plan["batches"]]
    gains = [row["own"] / row["cuBLAS"] for row in rows if isinstance(row["cuBLAS"], float)]
    if len(gains) < len(rows):
        return "cuBLAS: not built in"
    least, most = min(gains), max(gains)
    choice = "the default" if least >= GAIN else "own stays the default"
    return f"cuBLAS: {least:.2f} to {most:.2f} x own: {choice}"


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown."""
    rows = []
    for batch in plan["batches"]:
        time = floors.estimate(floors.from_json(plan["kernels"]), batch, gpu)
        own, library, solve = (value_of(found, str(batch), way) for way in ("own", "cuBLAS", "solve"))
        texts = [f"{1e3 * time.floor:.4f}", f"{1e3 * time.predicted:.4f}", cell(own, ".4f"), cell(library, ".4f")]
        error = cell(value_of(found, str(batch), "difference"), ".0e")
        rows.append([f"{batch:,}", *texts, gain(found, batch), error, cell(solve, ".3f")])
    head = [
        "poses",
        "floor ms",
        "predicted ms",
        "own ms",
        "cuBLAS ms",
        "gain of cuBLAS",
        "its error",
        "solve alone ms",
    ]
    about = f"`{plan['model']}`. Goal: {GOAL}. Floors and predictions of {gpu.name}."
    lines = [about, "", *markdown(head, rows)]
    return lines if found is None else [*lines, "", f"{found['libraries']}. {verdict(plan, found)}."]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The verdict."""
    one = floors.estimate(floors.from_json(plan["kernels"]), plan["batches"][0], gpu)
    predicted = f"own {1e3 * one.predicted:.3f} ms for one pose"
    return Headline(predicted) if found is None else Headline(predicted, verdict(plan, found))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", help="a model file of kind differential (default: a random one)")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="timed runs per batch (default: %(default)s)")


def model_of(given: argparse.Namespace) -> Any:
    return rc.load(given.model) if given.model else random_model()


def plan(given: argparse.Namespace) -> Plan:
    """Batches, and the kernels of the model."""
    model = model_of(given)
    return {"model": repr(model), "batches": BATCHES[:-1], "kernels": floors.as_json(case(model).kernels)}


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """The figures of the script."""
    return measure_model(model_of(given), given.repeats) | {"libraries": f"Libraries: {cuda_libraries()}"}


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
