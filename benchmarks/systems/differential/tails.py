"""The reconstruction alone: one dense product beside a product with the basis and a CHOLMOD solve.

    python -m benchmarks.systems.differential.tails [--data ../shared/data] [--runs 20]

Random bases and coefficients on the narrow face (6,706 vertices), its front (about 4,400) and the whole skin (14,062)
of a published head. Peers: scikit-sparse (CHOLMOD) where it is installed, and this project's own factorized solve.
Threads of BLAS count: run it with OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast import _core
from rigcast._timing import interleaved, machine

ROOT = Path(__file__).resolve().parents[3]
SKIN, NARROW, FRONT = 14062, 6706, 4400
ANCHORS, COMPONENTS = 0.02, 0.05


def mesh(data: Path, count: int) -> tuple[np.ndarray, int]:
    """Faces among the first vertices that lie in the largest component, renumbered."""
    with np.load(data / "ict_facekit" / "topology_neutral.npz") as file:
        faces, points = file["faces"], file["neutral"]
    limit = NARROW if count == FRONT else count
    faces = faces[np.all(faces < limit, axis=1)]
    if count == FRONT:  # the vertices that lie farthest in front
        keep = np.zeros(len(points), bool)
        keep[np.argsort(-points[:limit, 2])[:count]] = True
        faces = faces[np.all(keep[faces], axis=1)]
    while True:  # until the mesh is manifold
        used = np.unique(faces[faces >= 0])
        new = np.full(len(points), -1)
        new[used] = np.arange(len(used))
        renumbered = np.where(faces < 0, -1, new[faces]).astype(np.int32)
        try:
            rc.differential.Reconstructor(renumbered, len(used), np.arange(len(used)))
        except ValueError as error:
            text = str(error)
            if "share no edge" not in text:
                return renumbered, len(used)
            vertex = int(text.split("vertex ")[1].split()[0])
            faces = faces[~np.any(renumbered == vertex, axis=1)]
        else:
            return renumbered, len(used)


def peers(
    faces: np.ndarray, count: int, anchors: np.ndarray, basis: np.ndarray, mean: np.ndarray
) -> dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]]:
    """Functions from coefficients and anchor positions to displacements, the usual way."""
    reconstructor = rc.differential.Reconstructor(faces, count, anchors)

    def ours(z: np.ndarray, a: np.ndarray) -> np.ndarray:
        return reconstructor.solve(((basis @ z.T).T + mean).reshape(len(z), count, 3), a, threads=1)

    found = {"NumPy product + our solve": ours}
    try:
        import scipy.sparse
        from sksparse.cholmod import cholesky
    except ImportError:
        return found
    rows, columns, values = _core.graph_laplacian(faces, count)
    laplacian = scipy.sparse.csc_matrix((values, (rows, columns)), (count, count))
    chosen = scipy.sparse.csc_matrix((np.ones(len(anchors)), (anchors, np.arange(len(anchors)))), (count, len(anchors)))
    factorization = cholesky((laplacian.T @ laplacian + chosen @ chosen.T).tocsc())
    transposed = laplacian.T.tocsr()

    def cholmod(z: np.ndarray, a: np.ndarray) -> np.ndarray:
        delta = ((basis @ z.T).T + mean).reshape(len(z), count, 3).transpose(1, 0, 2).reshape(count, -1)
        right = transposed @ delta.astype(np.float64)
        right[anchors] += a.transpose(1, 0, 2).reshape(len(anchors), -1)
        return factorization(right).reshape(count, len(z), 3).transpose(1, 0, 2).astype(np.float32)

    return {"NumPy product + CHOLMOD solve": cholmod, **found}


def print_rates(reconstructor: rc.differential.Reconstructor, anchors: int, runs: int) -> None:
    """Print the time of a solve alone, and of a dense product of hardly more than the anchors' columns."""
    count = reconstructor.num_vertices
    small = reconstructor.folded(np.zeros((3 * count, 64), np.float32), np.zeros(3 * count, np.float32))
    delta, a = np.zeros((1, count, 3), np.float32), np.ones((1, anchors, 3), np.float32)
    z = np.zeros((1, 64), np.float32)
    calls = {
        "solve": lambda: reconstructor.solve(delta, a, threads=1),
        "product": lambda: small.solve(z, a, threads=1),
    }
    seconds = interleaved(calls, runs, in_a_row=3)
    rate = 1e12 * seconds["product"] / small.num_bytes
    print(f"a solve alone {1e3 * seconds['solve']:.3f} ms; a dense product takes {rate:.0f} ns per KB")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    print(machine())
    for wanted in (FRONT, NARROW, SKIN):
        faces, count = mesh(given.data, wanted)
        rng = np.random.default_rng(0)
        components = round(COMPONENTS * count)
        anchors = rc.differential.choose_anchors(faces, count, round(ANCHORS * count))
        reconstructor = rc.differential.Reconstructor(faces, count, anchors)
        modes = reconstructor.encode(rng.standard_normal((components, count, 3)).astype(np.float32))
        basis = np.linalg.qr(modes.reshape(components, -1).T)[0].astype(np.float32)
        mean = np.zeros(3 * count, np.float32)
        folded = reconstructor.folded(basis, mean)
        half = reconstructor.folded(basis, mean, storage="16-bit")
        usual = peers(faces, count, anchors, basis, mean)
        print_rates(reconstructor, len(anchors), given.runs)
        for frames in (1, 64):
            z = rng.standard_normal((frames, components)).astype(np.float32) * np.float32(0.1)
            a = 0.1 * rng.standard_normal((frames, len(anchors), 3)).astype(np.float32)
            calls = {name: (lambda solve=solve, z=z, a=a: solve(z, a)) for name, solve in usual.items()}
            calls["folded"] = lambda z=z, a=a, folded=folded: folded.solve(z, a, threads=1)
            calls["folded, 16 bits"] = lambda z=z, a=a, half=half: half.solve(z, a, threads=1)
            seconds = interleaved(calls, given.runs, in_a_row=3 if frames == 1 else 1)
            truth = next(iter(usual.values()))(z, a)
            print(f"{count} vertices, {components} components, {len(anchors)} anchors, {frames} frames, one thread")
            for name, call in calls.items():
                ratio = seconds[name] / seconds["folded"]
                error = np.abs(call() - truth).max()
                print(f"  {name}: {1e3 * seconds[name] / frames:.3f} ms a frame, {ratio:.2f} x, differs by {error:.1e}")


if __name__ == "__main__":
    main()
