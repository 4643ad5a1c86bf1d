"""Transfer and example-based transfer beside what else one would do: ``python benchmarks/transfer.py DATA``.

DATA is the folder with ``ict_facekit`` and ``makehuman_hm08``. Every peer gives the same result to the difference that
its row states.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
import scipy
from transfer_faces import Hm08, Ict, part
from transfer_peers import rotated_copy
from transfer_speed import Row, speed

import rigwright as rw
from rigwright.bench.timing import load_average, machine
from rigwright.faces.ict import SEGMENTS
from rigwright.faces.makehuman import BODY_VERTICES


def units(folder: Path) -> list[Row]:
    head = Hm08(folder)
    sculpted = [head.targets(race) for race in ("caucasian", "african")]
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
    face = Ict(folder)
    neutral, faces, deltas, shapes = face.neutral, face.faces, face.deltas, face.shapes
    rng = np.random.default_rng(3)
    contacts = rw.transfer.find_contacts(neutral, shapes, faces)
    rows = []
    for i in range(count):
        target = face.identity(rng)
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
    face = Ict(folder)
    neutral, faces, names = face.neutral, face.faces, face.names
    head = Hm08(folder, helpers=True)
    with gzip.open(head.folder / "basemesh_vertex_groups.json.gz", "rt") as file:
        groups = {k: np.concatenate([np.arange(a, b + 1) for a, b in v]) for k, v in json.load(file).items()}
    target = head.identity("caucasian")
    eyes = [groups["helper-l-eye"], groups["helper-r-eye"]]

    def front(points: np.ndarray, among: np.ndarray) -> int:
        return int(among[points[among, 2].argmax()])

    own_eyes = [np.arange(*SEGMENTS[f"eyeball_{side}"]) for side in ("left", "right")]
    skin = np.arange(*SEGMENTS["face"])
    body = target[:BODY_VERTICES]
    above = np.flatnonzero((body[:, 1] > target[eyes[0], 1].min() - 1.5) & (np.abs(body[:, 0]) < 0.02))
    pairs = [(front(neutral, a), front(target, b)) for a, b in zip(own_eyes, eyes, strict=True)]
    pairs.append((front(neutral, skin), front(target, above)))
    source_part, source_faces = part(faces, np.concatenate([skin, *own_eyes]))
    target_part, target_faces = part(head.faces, np.concatenate([np.arange(BODY_VERTICES), *eyes]))
    landmarks = [[np.searchsorted(source_part, a), np.searchsorted(target_part, b)] for a, b in pairs]
    found = rw.transfer.correspond(neutral[source_part], source_faces, target[target_part], target_faces, landmarks)
    made = head.targets("arkit")

    def plain(name: str) -> str:
        return name.lower().replace("_", "").replace("left", "l").replace("right", "r")

    known = {plain(name): name for name in made}
    common = [(k, known[plain(name)]) for k, name in enumerate(names) if plain(name) in known]
    truth = np.stack([made[name][target_part] for _, name in common])
    shapes = face.shapes[[k for k, _ in common]][:, source_part]
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
