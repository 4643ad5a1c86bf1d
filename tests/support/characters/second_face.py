"""A second identity of the constructed face, with its true shapes, as files that a user would have."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rigcast as rc
from tests.support.characters.plain_face import plain_face


def first_face() -> rc.BlendshapeRig:
    """The constructed face with a combination of both smiles and an in-between of the brow."""
    rig = plain_face()
    x, y = rig.rest_vertices[:, 0], rig.rest_vertices[:, 1]
    both = np.exp(-(x**2 + (y - 3) ** 2) / 2)[:, None] * np.float32([0, 0.2, 0.3])
    half = np.exp(-(x**2 + (y - 6) ** 2))[:, None] * np.float32([0, 0.1, 0])
    combinations = [((0, 1), both), ((rc.Tent(4, 0.0, 0.5, 1.0),), half)]
    about = {"name": "first face", "meters_per_unit": 0.01, "up_axis": "Y", "licence": "CC0 1.0"}
    return rc.BlendshapeRig(
        rig.rest_vertices, rig.columns(), combinations, names=rig.shape_names, faces=rig.faces, metadata=about
    )


def second_neutral() -> np.ndarray:
    """(V, 3): wider, and bent a little."""
    x, y, z = first_face().rest_vertices.T
    return np.stack([1.2 * x, y + 0.03 * x**2, z + 0.4 * np.sin(0.5 * y)], axis=1).astype(np.float32)


def second_truth() -> rc.BlendshapeRig:
    """What an artist would have sculpted for it: the transfer, stronger by a tenth, with a habit of its own."""
    made = rc.transfer.transfer_rig(first_face(), second_neutral())
    columns = made.columns()
    columns[: made.num_shapes] *= np.float32([1.1, 1.1, 1.3])
    combinations = list(zip(made.combinations, columns[made.num_shapes :], strict=True))
    return rc.BlendshapeRig(
        made.rest_vertices,
        columns[: made.num_shapes],
        combinations,
        names=made.shape_names,
        faces=made.faces,
        metadata=dict(made.metadata),
    )


def write_obj(path: Path, vertices: np.ndarray, faces: np.ndarray) -> None:
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*point) for point in vertices.tolist()]
    lines += ["f " + " ".join(str(corner + 1) for corner in face if corner >= 0) for face in faces.tolist()]
    path.write_text("\n".join(lines) + "\n")


def second_face_files(folder: Path, expressions: int = 2) -> None:
    """``other.obj``, ``landmarks.csv``, ``truth.safetensors``, ``scans/`` of the first expressions of a packing."""
    truth = second_truth()
    write_obj(folder / "other.obj", truth.rest_vertices, truth.faces)
    truth.save(folder / "truth.safetensors")
    (folder / "landmarks.csv").write_text("".join(f"{vertex},{vertex}\n" for vertex in (0, 8, 40, 60, 76, 108, 116)))
    plain = plain_face()
    shapes = plain.rest_vertices + plain.columns()
    plan = rc.transfer.pack_expressions(plain.rest_vertices, shapes, plain.faces, names=plain.shape_names)
    (folder / "scans").mkdir(exist_ok=True)
    for number, posed in enumerate(truth.evaluate(plan.weights()[:expressions])):
        write_obj(folder / "scans" / f"scan_{number + 1}.obj", posed, truth.faces)
