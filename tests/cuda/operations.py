"""The operations of the CUDA lane as rows: inputs, the operation on the CPU, the same on the device."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from tests.cuda import derivative_operations, inverse_operations
from tests.cuda.operation import Inputs, Operation, T, normal
from tests.support.made.blendshapes import random_rig, random_weights
from tests.support.made.models import chain_skeleton, random_body, random_poses, random_transforms


def kernel(lane: ModuleType, name: str) -> Callable[..., np.ndarray]:
    """A kernel by itself: the extension that is shipped has none."""
    if not hasattr(lane, name):
        pytest.skip("no build of the single kernels for a GPU: cmake --preset cuda")
    return getattr(lane, name)


# Gather ---------------------------------------------------------------------------------------------------------------


def gather(poses: int, width: int, count: int) -> Operation:
    return Operation(
        f"gather {poses} poses, {count} of {width} columns",
        lambda rng: {"source": normal(rng, poses, width), "columns": rng.integers(0, width, count).astype(np.int32)},
        lambda source, columns: source[:, columns],
        lambda lane, **inputs: kernel(lane, "gather")(**inputs),
        "exact",
    )


# Global transforms ----------------------------------------------------------------------------------------------------


def global_transforms(poses: int, skeleton: rc.Skeleton, what: str, chosen: int | None = None) -> Operation:
    joints = np.arange(skeleton.num_joints) if chosen is None else np.arange(chosen) * 7 % skeleton.num_joints

    def inputs(rng: np.random.Generator) -> Inputs:
        rows = random_poses(skeleton, poses, int(rng.integers(1 << 30)), numeric=3, stretch=0.0)
        return {"poses": rows, "joints": joints.astype(np.int32)}

    return Operation(
        f"global transforms {poses} poses, {what}",
        inputs,
        lambda poses, joints: skeleton.globals(poses)[:, joints].reshape(len(poses), -1, 12),
        lambda lane, **inputs: kernel(lane, "global_transforms")(parents=skeleton.parents, **inputs),
        "float32_sum",
    )


def chain(num_joints: int) -> rc.Skeleton:
    """Joints that hang from one another, the deepest tree."""
    rest = random_transforms(num_joints, np.random.default_rng(0))
    return rc.Skeleton([f"joint{j}" for j in range(num_joints)], np.arange(-1, num_joints - 1), rest)


def forest() -> rc.Skeleton:
    """Three roots, two of them without children."""
    rest = random_transforms(5, np.random.default_rng(0))
    return rc.Skeleton(list("abcde"), [-1, 0, -1, 1, -1], rest)


# Grouped products -----------------------------------------------------------------------------------------------------


def product(poses: int, sizes: list[tuple[int, int]], activation: str, storage: tuple[str, ...] = ()) -> Operation:
    """`sizes`: (outputs, inputs) of each group; groups read columns that overlap; `storage` of the groups by turns."""
    width = max(depth for _, depth in sizes) + 11

    def inputs(rng: np.random.Generator) -> Inputs:
        groups = []
        for rows, depth in sizes:
            first = int(rng.integers(0, width - depth + 1))
            groups.append((first, normal(rng, rows, depth) / max(1.0, np.sqrt(depth)), normal(rng, rows)))
        groups = [(first, weight.astype(np.float32), bias) for first, weight, bias in groups]
        given = {"input": normal(rng, poses, width), "groups": groups, "activation": activation}
        return given | ({"storage": list(storage)} if storage else {})

    text = ", ".join(f"{rows} x {depth}" for rows, depth in sizes[:5]) + (", ..." if len(sizes) > 5 else "")
    return Operation(
        f"product {poses} poses, {text}, {activation}{' ' * bool(storage)}{' '.join(storage)}",
        inputs,
        cpu_product,
        lambda lane, **inputs: kernel(lane, "grouped_product")(**inputs),
        "float32_sum",
    )


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": lambda y: y,
    "tanh": np.tanh,
    "relu": lambda y: np.maximum(y, 0),
    "leaky_relu": lambda y: np.where(y > 0, y, 0.2 * y),
}


def stored(weight: np.ndarray, storage: str) -> np.ndarray:
    """Weights rounded to a storage, to nearest with ties to even."""
    if storage == "bfloat16":
        bits = weight.view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    if storage.startswith("int"):  # blocks of 64 rows and one column, with the smallest power of two that fits
        most, blocks = np.iinfo(storage).max, [weight[i : i + 64] for i in range(0, len(weight), 64)]
        scales = [np.exp2(np.ceil(np.log2(np.abs(block).max(axis=0).astype(np.float64) / most))) for block in blocks]
        return np.concatenate([np.rint(block / s) * s for block, s in zip(blocks, scales, strict=True)])
    return weight.astype(storage).astype(np.float32)


def cpu_product(
    input: np.ndarray, groups: list[Any], activation: str, storage: Sequence[str] = ("float32",)
) -> np.ndarray:
    columns = []
    for (first, weight, bias), kind in zip(groups, itertools.cycle(storage), strict=False):
        x = input[:, first : first + weight.shape[1]].astype(np.float64)
        y = x @ stored(weight, kind).T.astype(np.float64) + bias
        columns.append(ACTIVATIONS[activation](y))
    return np.concatenate(columns, axis=1)


# Blend ----------------------------------------------------------------------------------------------------------------


def blend(poses: int, vertices: int, transforms: int, most: int, least: int = 1) -> Operation:
    """Each vertex has `least` to `most` entries."""

    def inputs(rng: np.random.Generator) -> Inputs:
        counts = rng.integers(least, most + 1, vertices)
        total = int(counts.sum())
        return {
            "points": normal(rng, poses, total, 3),
            "transforms": normal(rng, poses, transforms, 12),
            "offset": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            "point": rng.permutation(total).astype(np.int32),
            "transform": rng.integers(0, transforms, total).astype(np.int32),
            "weight": rng.random(total).astype(np.float32),
        }

    return Operation(
        f"blend {poses} poses, {vertices} vertices of {least} to {most} entries",
        inputs,
        cpu_blend,
        lambda lane, **inputs: kernel(lane, "blend")(**inputs),
        "float32_sum",
    )


def cpu_blend(
    points: np.ndarray,
    transforms: np.ndarray,
    offset: np.ndarray,
    point: np.ndarray,
    transform: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    matrix = transforms.astype(np.float64).reshape(len(points), -1, 3, 4)[:, transform]
    moved = np.einsum("terc,tec->ter", matrix[..., :3], points[:, point]) + matrix[..., 3]
    vertices = np.zeros((len(points), len(offset) - 1, 3))
    owner = np.repeat(np.arange(len(offset) - 1), np.diff(offset))
    np.add.at(vertices, (slice(None), owner), weight[:, None] * moved)
    return vertices


# The whole body -------------------------------------------------------------------------------------------------------


def body(poses: int, **sizes: Any) -> Operation:
    model = random_body(**sizes)
    numeric = len(model.metadata["numeric_controls"])

    def device(lane: ModuleType, poses: np.ndarray) -> np.ndarray:
        out = np.full((len(poses), len(model.rest_vertices), 3), np.nan, np.float32)
        lane.ResidentModel(model).evaluate(poses, out)
        return out

    text = "".join(f", {key} {value}" for key, value in sizes.items())
    return Operation(
        f"body {poses} poses{text}",
        lambda rng: {"poses": random_poses(model.skeleton, poses, int(rng.integers(1 << 30)), numeric, stretch=0.0)},
        lambda poses: model.evaluate(poses, device="cpu"),
        device,
        "float32_sum",
    )


# Blendshapes ----------------------------------------------------------------------------------------------------------


def blendshapes(
    heads: int,
    num_vertices: int,
    storage: str = "float32",
    dense: bool = False,
    prefix: bool = False,
    reach: float = 0.4,
) -> Operation:
    model = random_rig(num_vertices=num_vertices, storage=storage, reach=reach)

    def inputs(rng: np.random.Generator) -> Inputs:
        given: Inputs = {"weights": random_weights(model, heads, int(rng.integers(1 << 30)))}
        if prefix:
            given["order"] = rng.permutation(model.num_shapes).astype(np.int32)
            given["lengths"] = rng.integers(0, model.num_shapes + 1, heads).astype(np.int32)
        return given

    def cpu(weights: np.ndarray, order: np.ndarray | None = None, lengths: np.ndarray | None = None) -> np.ndarray:
        return model.evaluate(weights, order=order, prefix=lengths)

    def device(lane: ModuleType, weights: np.ndarray, **prefix: np.ndarray) -> np.ndarray:
        out = np.full((len(weights), num_vertices, 3), np.nan, np.float32)
        lane.ResidentModel(model, dense).evaluate(weights, out, **prefix)
        return out

    text = f"{storage}, {'dense' if dense else 'sparse'}{', prefixes' if prefix else ''}, reach {reach}"
    return Operation(f"{heads} heads of {num_vertices} vertices, {text}", inputs, cpu, device, "float32_sum")


def rows() -> list[Operation]:
    return [
        gather(1, 5, 1),
        gather(3, 260, 257),
        gather(T + 1, 33, 512),
        gather(2, 7, 0),
        global_transforms(1, chain_skeleton(1), "one joint"),
        global_transforms(7, forest(), "three roots"),
        global_transforms(3, chain_skeleton(300), "300 joints"),
        global_transforms(2, chain(400), "400 joints in a chain"),
        global_transforms(5, chain_skeleton(20), "some joints, some twice", chosen=31),
        product(1, [(1, 1)], "none"),
        product(1, [(128, 90)], "tanh"),
        product(T, [(T, 16), (T, 32)], "none"),
        product(T - 1, [(T - 1, 15)], "tanh"),
        product(T + 1, [(T + 1, 17), (1, 33), (2 * T + 3, 1)], "none"),
        product(2 * T + 5, [(3, 200), (200, 3)], "tanh"),
        product(9, [(30, 0), (5, 20), (7, 0)], "none"),
        product(2, [(1 + i % 7, 1 + i % 5) for i in range(150)], "tanh"),
        product(70, [(70, 19), (3, 5)], "relu"),
        product(70, [(70, 19), (3, 5)], "leaky_relu"),
        product(33, [(3 * 411, 25), (3 * 12, 30)], "none"),
        product(1, [(T + 1, 1300)], "tanh"),  # long sums, in pieces
        product(261, [(5, 513), (3, 0), (T + 1, 20), (2, 512)], "leaky_relu"),
        product(3, [(130, 700), (9, 40)], "none", ("int16", "float16")),
        product(1, [(1, 1)], "none", ("float16",)),
        product(T + 1, [(T + 1, 17), (1, 33)], "tanh", ("bfloat16",)),
        product(9, [(70, 19), (3, 5), (T, 40), (5, 1)], "none", ("float16", "float32", "bfloat16")),
        product(3, [(130, 19), (3, 5), (T, 40)], "tanh", ("int16",)),
        product(T + 1, [(70, 19), (3, 5), (129, 40), (5, 1)], "none", ("int8", "int16", "float16", "float32")),
        blend(1, 1, 1, 1),
        blend(5, 257, 3, 4),
        blend(70, 33, 9, 1),
        blend(2, 90, 5, 3, least=0),
        body(1),
        body(33, seed=1),
        body(2 * T + 1, seed=2, num_vertices=200),
        body(T, num_sets=1, overlap=0.0),
        body(3, num_joints=1, numeric=0, num_vertices=4, num_sets=2),
        body(5, num_sets=40, num_vertices=60, seed=3),
        body(3, num_joints=150, num_sets=30, num_vertices=300, seed=4),
        body(2, num_vertices=700, num_sets=9, hidden=128, components=30, numeric=40, seed=5),
        body(4, hidden=T + 1, components=17, overlap=1.0, seed=6),
        blendshapes(1, 1),
        blendshapes(T, 32),
        blendshapes(T + 1, 33, "int16"),
        blendshapes(3, 1100),
        blendshapes(2 * T + 5, 70, dense=True),
        blendshapes(7, 600, "int16", dense=True),
        blendshapes(2 * T + 5, 130, prefix=True),
        blendshapes(T - 1, 600, "int16", prefix=True),
        blendshapes(9, 65, dense=True, prefix=True),
        blendshapes(5, 1100, reach=0.02),  # most vertices are still
        blendshapes(3, 600, "int16", dense=True, reach=0.0),
        *derivative_operations.rows(),
        *inverse_operations.rows(),
    ]
