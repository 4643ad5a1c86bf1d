"""Face data sets in the layouts in which they are published, written from arrays."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np


def obj_text(vertices, faces=()) -> str:
    """Every digit of the vertices; texture indices after the corners, as in the published files."""
    lines = ["mtllib model.mtl", *(f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, np.float64).tolist())]
    lines += ["usemtl M_Face", *("f " + " ".join(f"{c + 1}/{c + 1}" for c in face if c >= 0) for face in faces)]
    return "\n".join(lines) + "\n"


def write_ict(folder: Path, neutral, faces, expressions, modes=(), landmarks=()) -> Path:
    """A copy of ICT-FaceKit: ``expressions`` and ``modes`` are pairs of a name and offsets (V, 3)."""
    home = folder / "FaceXModel"
    home.mkdir(parents=True)
    neutral = np.asarray(neutral, np.float64)
    (home / "generic_neutral_mesh.obj").write_text(obj_text(neutral, faces))
    for name, delta in [*expressions, *modes]:
        (home / f"{name}.obj").write_text(obj_text(neutral + delta))
    listed = {"expressions": [name for name, _ in expressions], "idx_to_landmark_verts": list(map(int, landmarks))}
    (home / "vertex_indices.json").write_text(json.dumps(listed))
    return folder


def small_ict(folder: Path) -> Path:
    """A copy of ICT-FaceKit with the right number of vertices and little else."""
    rng = np.random.default_rng(0)
    neutral = rng.standard_normal((26_719, 3)).round(3)
    smile = np.zeros_like(neutral)
    smile[:50] = 0.25
    landmarks = np.arange(68)
    return write_ict(folder, neutral, [(0, 1, 2, 3)], [("smile", smile)], [("identity000", 2 * smile)], landmarks)


def write_target(path: Path, index, delta) -> None:
    """A ``.target`` file, gzipped if its name says so; numbers without a leading zero, as MakeHuman writes them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# a target"]
    for vertex, row in zip(index, delta, strict=True):
        lines.append(
            f"{vertex} " + " ".join(f"{x:.3f}".replace("0.", ".", 1) if abs(x) < 1 else f"{x:.3f}" for x in row)
        )
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)


def sparse_rows(archive: Path, most: int | None = None):
    """Name, vertices and offsets of each shape of a packed archive, at most ``most`` rows of each."""
    stored = dict(np.load(archive))
    for k, name in enumerate(stored["names"].tolist()):
        begin, end = stored["ptr"][k : k + 2]
        rows = slice(begin, end if most is None else min(begin + most, end))
        yield name, stored["index"][rows], stored["delta_thousandths"][rows] / 1000


def write_mpfb(folder: Path, packed: Path, most_of_macro: int = 200) -> Path:
    """MPFB's data from the packed set: two races' units, some rows of each macro target, two rigs."""
    for place in ("3dobjs", "mesh_metadata", "rigs/standard", "targets/macrodetails"):
        (folder / place).mkdir(parents=True)
    unpacked = {
        "base.obj": "3dobjs",
        "basemesh_vertex_groups.json": "mesh_metadata",
        "macro.json": "targets/macrodetails",
        **{f"{kind}.{name}.json": "rigs/standard" for kind in ("rig", "weights") for name in ("cmu_mb", "mixamo")},
    }
    for name, place in unpacked.items():
        (folder / place / name).write_bytes(gzip.decompress((packed / f"{name}.gz").read_bytes()))
    for race in ("african", "caucasian"):
        for name, index, delta in sparse_rows(packed / f"expression_units_{race}.npz"):
            write_target(folder / f"targets/expression/units/{race}/{name}.target.gz", index, delta)
    for name, index, delta in sparse_rows(packed / "macrodetails.npz", most_of_macro):
        write_target(folder / f"targets/macrodetails/{name}.target", index, delta)
    return folder


def write_compskin(folder: Path, columns) -> Path:
    """A copy of compskin: columns (T, 253), whose first 72 are the controls."""
    (folder / "in").mkdir(parents=True)
    np.savez(folder / "in" / "test_anim.npz", weights=columns)
    return folder
