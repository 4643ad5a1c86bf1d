"""Transfer and example-based transfer beside what else one would do: ``python benchmarks/transfer.py DATA``.

DATA is the folder with ``ict_facekit`` and ``makehuman_hm08``. Every peer gives the same result to the difference that
its row states.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sparse
import scipy.sparse.linalg as sparse_linalg

import rigwright as rw
from rigwright.bench.timing import load_average, machine

Row = dict[str, object]


def seconds(function: Callable[[], object], runs: int) -> float:
    function()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def ict(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Neutral, faces, deltas of the 53 ARKit-style shapes, deltas of the identity modes."""
    base = np.load(folder / "ict_facekit" / "topology_neutral.npz")
    deltas = np.load(folder / "ict_facekit" / "expressions.npz")["deltas"][:53]
    return base["neutral"], base["faces"], deltas, np.load(folder / "ict_facekit" / "identities.npz")["deltas"]


class SciPyTransfer:
    """The same energy as SciPy users build it: vectorised assembly, one LU factorisation (SuperLU), a solve a shape."""

    def __init__(self, source: np.ndarray, target: np.ndarray, faces: np.ndarray, fixed: np.ndarray) -> None:
        quads, triangles = faces[faces[:, 3] >= 0], faces[faces[:, 3] < 0][:, :3]
        split = np.concatenate([quads[:, c] for c in ([0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3])])
        self.triangles = np.concatenate([split, triangles])
        share = np.concatenate([np.full(len(split), 0.5), np.ones(len(triangles))])
        self.inverse = np.linalg.inv(self.frames(source))
        own = self.frames(target)
        area = 0.5 * share * np.linalg.norm(np.cross(own[:, :, 0], own[:, :, 1]), axis=1)
        gradient = np.linalg.inv(own)[:, :2]  # rows: gradients of the hat functions of corners 1 and 2
        gradient = np.concatenate([-gradient.sum(axis=1, keepdims=True), gradient], axis=1)  # (F, 3 corners, 3)
        root = np.sqrt(area)[:, None, None] * gradient
        rows = np.repeat(np.arange(3 * len(area)).reshape(-1, 1, 3), 3, axis=1)
        columns = np.repeat(self.triangles[:, :, None], 3, axis=2)
        size = (3 * len(area), len(source))
        self.operator = sparse.csc_matrix((root.reshape(-1), (rows.reshape(-1), columns.reshape(-1))), size)
        self.project = root  # for the right-hand side
        self.target, self.fixed = target.astype(np.float64), fixed
        self.free = np.setdiff1d(np.arange(len(source)), fixed)
        normal = (self.operator.T @ self.operator).tocsc()
        self.normal = normal
        self.factor = sparse_linalg.splu(normal[self.free][:, self.free], permc_spec="MMD_AT_PLUS_A")
        self.area, self.own = area, own

    def frames(self, points: np.ndarray) -> np.ndarray:
        a, b, c = (points[self.triangles[:, i]].astype(np.float64) for i in range(3))
        n = np.cross(b - a, c - a)
        return np.stack([b - a, c - a, n / np.sqrt(np.linalg.norm(n, axis=1, keepdims=True))], axis=2)

    def transfer(self, shape: np.ndarray) -> np.ndarray:
        change = self.frames(shape) @ self.inverse - np.eye(3)
        unit = self.own[:, :, 2] / np.linalg.norm(self.own[:, :, 2], axis=1, keepdims=True)
        change -= np.einsum("fij,fj,fk->fik", change, unit, unit)
        right = np.sqrt(self.area)[:, None, None] * change.transpose(0, 2, 1)
        rhs = self.operator.T @ right.reshape(-1, 3)
        moved = np.zeros_like(self.target)
        moved[self.free] = self.factor.solve(rhs[self.free])
        return self.target + moved


def connected(neutral: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest component alone: peers know nothing of components."""
    solver = rw.transfer.DeformationTransfer(neutral, neutral, faces)
    keep = solver.components == np.bincount(solver.components).argmax()
    index = np.append(np.cumsum(keep) - 1, -1)
    inside = keep[faces[:, 0]]
    return np.flatnonzero(keep), index[faces[inside]].astype(np.int32)


def speed(folder: Path, runs: int) -> list[Row]:
    neutral, faces, deltas, modes = ict(folder)
    target = neutral + np.tensordot(np.random.default_rng(0).standard_normal(100), modes, 1).astype(np.float32)
    shapes = neutral + deltas

    def whole() -> np.ndarray:
        return rw.transfer.DeformationTransfer(neutral, target, faces).transfer(shapes, threads=1)

    rows: list[Row] = [
        {"job": "ICT, 53 shapes, 26,719 vertices, factorisation included, 1 thread", "s": seconds(whole, runs)}
    ]
    rng = np.random.default_rng(1)
    mixes = rng.random((265, 53)) * (rng.random((265, 53)) < 0.06)
    many = neutral + np.tensordot(mixes, deltas, 1).astype(np.float32)
    kept = seconds(
        lambda: rw.transfer.DeformationTransfer(neutral, target, faces).transfer(many, threads=1), max(1, runs // 3)
    )

    def one_by_one() -> None:
        for shape in many[:10]:
            rw.transfer.DeformationTransfer(neutral, target, faces).transfer(shape[None], threads=1)

    loop = 26.5 * seconds(one_by_one, 1)
    rows.append(
        {
            "job": "265 shapes, one factorisation, 1 thread",
            "s": kept,
            "peer": "own code, factored for each shape (10 timed)",
            "peer_s": loop,
            "ratio": loop / kept,
        }
    )
    rows += scipy_rows(neutral, target, faces, shapes, many, runs)
    rows += example_rows(neutral, target, faces, deltas)
    return rows


def scipy_rows(neutral, target, faces, shapes, many, runs) -> list[Row]:
    keep, own_faces = connected(neutral, faces)
    source, goal = neutral[keep], target[keep]
    placed = place(source, goal)
    fixed = np.array([0])

    def ours() -> np.ndarray:
        return rw.transfer.DeformationTransfer(source, goal, own_faces, fixed).transfer(shapes[:, keep], threads=1)

    def theirs() -> np.ndarray:
        peer = SciPyTransfer(placed(source), goal, own_faces, fixed)
        return np.stack([peer.transfer(placed(shape)) for shape in shapes[:, keep]])

    difference = float(np.abs(ours() - theirs()).max())
    a, b = seconds(ours, runs), seconds(theirs, 1)

    def per_shape() -> None:
        for shape in many[:3, keep]:
            SciPyTransfer(placed(source), goal, own_faces, fixed).transfer(placed(shape))

    c = seconds(per_shape, 1) / 3
    all_ours = seconds(
        lambda: rw.transfer.DeformationTransfer(source, goal, own_faces, fixed).transfer(many[:, keep], threads=1), 1
    )
    return [
        {
            "job": f"head component ({len(keep):,} vertices), 53 shapes, 1 thread",
            "s": a,
            "peer": f"SciPy {scipy.__version__}, one factorisation",
            "peer_s": b,
            "ratio": b / a,
            "difference": difference,
        },
        {
            "job": "the same, 265 shapes",
            "s": all_ours,
            "peer": "SciPy, factored for each shape (3 timed)",
            "peer_s": 265 * c,
            "ratio": 265 * c / all_ours,
        },
    ]


def place(source: np.ndarray, target: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    a, b = (p.astype(np.float64) - p.mean(axis=0, dtype=np.float64) for p in (source, target))
    u, _, vt = np.linalg.svd(b.T @ a)
    turn = np.linalg.norm(b) / np.linalg.norm(a) * (u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt)
    return lambda points: points @ turn.T


def example_rows(neutral, target, faces, deltas) -> list[Row]:
    """The solves of triangles by Woodbury against dense ones of K x K, in NumPy's batched LAPACK."""
    num_shapes, num_examples = 265, 10
    rng = np.random.default_rng(2)
    weights = (rng.random((num_examples, num_shapes)) < 0.1).astype(float)
    triangles = 500
    stiffness = 0.1 + rng.random((triangles, num_shapes))
    prior, wanted = rng.standard_normal((triangles, num_shapes, 6)), rng.standard_normal((triangles, num_examples, 6))

    def dense() -> np.ndarray:
        left = np.repeat((weights.T @ weights)[None], triangles, axis=0)
        left[:, np.arange(num_shapes), np.arange(num_shapes)] += stiffness
        return np.linalg.solve(left, weights.T @ wanted + stiffness[:, :, None] * prior)

    def woodbury() -> np.ndarray:
        return rw._core.fit_triangles(weights, stiffness, wanted, prior)

    difference = float(np.abs(dense() - woodbury()).max())
    a, b = seconds(woodbury, 5), seconds(dense, 2)
    return [
        {
            "job": f"{triangles} triangles, 265 shapes, 10 examples",
            "s": a,
            "peer": "dense K x K (NumPy, LAPACK)",
            "peer_s": b,
            "ratio": b / a,
            "difference": difference,
        }
    ]


BODY = 13380  # vertices of the body come first


class Hm08:
    """The MakeHuman head: identities from macro targets, and units sculpted for two of them."""

    def __init__(self, folder: Path, helpers: bool = False) -> None:
        self.folder = folder / "makehuman_hm08"
        with gzip.open(self.folder / "base.obj.gz", "rt") as file:
            lines = [line.split() for line in file]
        self.base = np.array([line[1:4] for line in lines if line[:1] == ["v"]], np.float32)
        self.faces = np.array(
            [[int(c.split("/")[0]) - 1 for c in line[1:]] for line in lines if line[:1] == ["f"]], np.int32
        )
        self.count = len(self.base) if helpers else BODY
        self.faces = self.faces[(self.faces < self.count).all(axis=1)]  # without joint cubes and clothes helpers
        self.macro = self.targets("macrodetails.npz")

    def targets(self, name: str) -> dict[str, np.ndarray]:
        packed = np.load(self.folder / name)
        whole = packed["delta_thousandths"] / np.float32(1000) if "delta_thousandths" in packed else packed["delta"]
        result = {}
        for k, key in enumerate(packed["names"]):
            span = slice(packed["ptr"][k], packed["ptr"][k + 1])
            delta = np.zeros_like(self.base)
            delta[packed["index"][span]] = whole[span]
            result[str(key)] = delta[: self.count]
        return result

    def identity(self, race: str) -> np.ndarray:
        """Young, average in muscle and weight, halfway between the genders: weights multiply as in macro.json.gz."""
        parts = [f"{race}-{g}-young" for g in ("female", "male")]
        parts += [f"universal-{g}-young-averagemuscle-averageweight" for g in ("female", "male")]
        return self.base[: self.count] + np.float32(0.5) * sum(self.macro[part] for part in parts)


def rotated_copy(source: np.ndarray, target: np.ndarray, deltas: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Offsets turned with the vertex frames (normal and the longest edge at the vertex) from source to target."""
    edges = rw._core.edges(faces, len(source))
    both = np.concatenate([edges, edges[:, ::-1]])
    length = np.linalg.norm(source[both[:, 0]] - source[both[:, 1]], axis=1)
    partner = np.arange(len(source))
    order = np.argsort(length, kind="stable")
    partner[both[order, 0]] = both[order, 1]  # the last write wins: the longest

    def frames(points: np.ndarray) -> np.ndarray:
        z = rw._core.vertex_normals(points, faces).astype(np.float64)
        x = points[partner].astype(np.float64) - points
        x -= (x * z).sum(axis=1, keepdims=True) * z
        x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        return np.stack([x, np.cross(z, x), z], axis=2)

    turn = frames(target) @ frames(source).transpose(0, 2, 1)
    return np.einsum("vij,kvj->kvi", turn, deltas)


def units(folder: Path) -> list[Row]:
    head = Hm08(folder)
    sculpted = [head.targets(f"expression_units_{race}.npz") for race in ("caucasian", "african")]
    names = sorted(sculpted[0])
    given, truth = (np.stack([group[name] for name in names]) for group in sculpted)
    source, target = head.identity("caucasian"), head.identity("african")
    active = np.any([given, truth], axis=0).any(axis=2)
    contacts = rw.transfer.find_contacts(source, source + given, head.faces)

    def mean(deltas: np.ndarray) -> float:
        return float(10 * np.linalg.norm(deltas - truth, axis=2)[active].mean())  # decimetres to centimetres

    free = rw.transfer.deformation_transfer(source, source + given, target, head.faces) - target
    held = rw.transfer.deformation_transfer(source, source + given, target, head.faces, contacts=contacts) - target
    candidates = {
        "deformation transfer": free,
        "with contacts": held,
        "plain copy": given,
        "frame-rotated copy": rotated_copy(source, target, given, head.faces),
    }
    rows = []
    for name, deltas in candidates.items():
        crossing = sum(rw.transfer.crossings(target + delta, head.faces, contacts) for delta in deltas)
        rows.append(
            {
                "job": f"hm08 caucasian to african, 34 units: {name}",
                "mean_error_cm": mean(deltas),
                "crossings": crossing,
            }
        )
    rows.append(
        {
            "job": "hm08: the units themselves",
            "mean_size_cm": float(10 * np.linalg.norm(truth, axis=2)[active].mean()),
            "crossings_source": sum(rw.transfer.crossings(source + d, head.faces, contacts) for d in given),
            "crossings_sculpted": sum(rw.transfer.crossings(target + d, head.faces, contacts) for d in truth),
        }
    )
    return rows


def identities(folder: Path, count: int) -> list[Row]:
    """ICT is linear, so the model's own shapes of an identity have the same offsets as the neutral's."""
    neutral, faces, deltas, modes = ict(folder)
    shapes = neutral + deltas
    rng = np.random.default_rng(3)
    contacts = rw.transfer.find_contacts(neutral, shapes, faces)
    rows = []
    for i in range(count):
        target = neutral + np.tensordot(rng.standard_normal(len(modes)), modes, 1).astype(np.float32)
        for name, pairs in (("", None), (", with contacts", contacts)):
            result = rw.transfer.deformation_transfer(neutral, shapes, target, faces, contacts=pairs)
            error = np.linalg.norm(result - target - deltas, axis=2)
            doubt = rw.transfer.quality(neutral, shapes, target, result, faces, contacts=contacts)
            moved = np.linalg.norm(deltas, axis=2) > 0
            rows.append(
                {
                    "job": f"ICT identity {i}{name}",
                    "mean_error_cm": float(error[moved].mean()),
                    "mean_size_cm": float(np.linalg.norm(deltas, axis=2)[moved].mean()),
                    "flipped": int(doubt.flipped.sum()),
                    "crossings_source": int(doubt.source_crossings.sum()),
                    "crossings": int(doubt.target_crossings.sum()),
                    "crossings_model": int(sum(rw.transfer.crossings(target + d, faces, contacts) for d in deltas)),
                }
            )
    return rows


def topologies(folder: Path) -> list[Row]:
    """ICT's ARKit shapes on hm08's face, against the ARKit set made for hm08; landmarks: pupils and tip of the nose.

    The sets were sculpted by different artists, so the truth is one of many: directions say more than distances.
    """
    neutral, faces, deltas, _ = ict(folder)
    names = [str(name) for name in np.load(folder / "ict_facekit" / "expressions.npz")["names"][:53]]
    head = Hm08(folder, helpers=True)
    with gzip.open(head.folder / "basemesh_vertex_groups.json.gz", "rt") as file:
        groups = {k: np.concatenate([np.arange(a, b + 1) for a, b in v]) for k, v in json.load(file).items()}
    target = head.identity("caucasian")
    eyes = [groups["helper-l-eye"], groups["helper-r-eye"]]

    def front(points: np.ndarray, among: np.ndarray) -> int:
        return int(among[points[among, 2].argmax()])

    own_eyes = [np.arange(21451, 23021), np.arange(23021, 24591)]
    above = np.flatnonzero((target[:BODY, 1] > target[eyes[0], 1].min() - 1.5) & (np.abs(target[:BODY, 0]) < 0.02))
    pairs = [(front(neutral, a), front(target, b)) for a, b in zip(own_eyes, eyes, strict=True)]
    pairs.append((front(neutral, np.arange(9409)), front(target, above)))
    source_part, source_faces = part(faces, np.concatenate([np.arange(9409), *own_eyes]))
    target_part, target_faces = part(head.faces, np.concatenate([np.arange(BODY), *eyes]))
    landmarks = [[np.searchsorted(source_part, a), np.searchsorted(target_part, b)] for a, b in pairs]
    found = rw.transfer.correspond(neutral[source_part], source_faces, target[target_part], target_faces, landmarks)
    made = head.targets("arkit_visemes_talkinghead.npz")

    def plain(name: str) -> str:
        return name.lower().replace("_", "").replace("left", "l").replace("right", "r")

    known = {plain(name): name for name in made}
    common = [(k, known[plain(name)]) for k, name in enumerate(names) if plain(name) in known]
    truth = np.stack([made[name][target_part] for _, name in common])
    shapes = (neutral + deltas[[k for k, _ in common]])[:, source_part]
    rest, sampled = found.resample(neutral[source_part], shapes)
    result = rw.transfer.deformation_transfer(rest, sampled, target[target_part], target_faces) - target[target_part]
    cosine = (
        (result * truth).sum(axis=(1, 2)) / np.linalg.norm(result, axis=(1, 2)) / np.linalg.norm(truth, axis=(1, 2))
    )
    active = np.linalg.norm(truth, axis=2) > 1e-3
    return [
        {
            "job": f"ICT to hm08 across topologies, {len(common)} ARKit shapes, 3 landmarks",
            "mean_fit_distance_cm": 10 * found.mean_distance,
            "median_cosine": float(np.median(cosine)),
            "lowest_cosine": float(cosine.min()),
            "mean_error_cm": float(10 * np.linalg.norm(result - truth, axis=2)[active].mean()),
            "mean_size_cm": float(10 * np.linalg.norm(truth, axis=2)[active].mean()),
        }
    ]


def part(faces: np.ndarray, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vertices of a part, ascending, and its faces among them."""
    chosen = np.unique(vertices)
    inside = np.isin(faces, np.append(chosen, -1)).all(axis=1)
    return chosen, np.where(faces[inside] < 0, -1, np.searchsorted(chosen, faces[inside])).astype(np.int32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ict_facekit and makehuman_hm08")
    parser.add_argument("--runs", type=int, default=10, help="repetitions of each timing of ours")
    parser.add_argument("--identities", type=int, default=1, help="random ICT identities as targets")
    parser.add_argument("--only", choices=["speed", "units", "identities", "topologies"], help="one part of the table")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    arguments = parser.parse_args()
    parts = {
        "speed": lambda: speed(arguments.data, arguments.runs),
        "units": lambda: units(arguments.data),
        "identities": lambda: identities(arguments.data, arguments.identities),
        "topologies": lambda: topologies(arguments.data),
    }
    rows = [row for name, part in parts.items() if arguments.only in (None, name) for row in part()]
    if arguments.json:
        print(json.dumps({"machine": machine(), "load": load_average(), "rows": rows}, indent=2))
        return
    print(f"{machine()}; load {load_average():.1f}; numpy {np.__version__}, scipy {scipy.__version__}")
    for row in rows:
        rest = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items() if k != "job")
        print(f"{row['job']}: {rest}")


if __name__ == "__main__":
    main()
