"""Which coarse segments of a model blend with each other, and which hold followers of rigid parts alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def groups_of(tensors: dict[str, NDArray[Any]], members: list[slice]) -> list[int]:
    """For each coarse segment the number of the first one that it blends with at some vertex, or with its kin."""
    taken = np.full(len(tensors["rest_vertices"]), -1)
    result: list[int] = []
    for number, part in enumerate(members):
        if tensors["segments.level"][number] == 0:
            own = tensors["segments.vertex"][part]
            met = np.unique(taken[own][taken[own] >= 0])
            first = int(met[0]) if len(met) else number
            result = [first if group in met else group for group in result] + [first]
            taken[np.isin(taken, met)] = first
            taken[own] = first
    return result


def follower_segments(tensors: dict[str, NDArray[Any]], members: list[slice]) -> list[tuple[slice, int]]:
    """Coarse segments of followers alone, each with its rigid part."""
    result = []
    for number, followers in enumerate(tensors["parts.follower"]):
        for segment, part in enumerate(members):
            vertices = tensors["segments.vertex"][part]
            if tensors["segments.level"][segment] == 0 and len(vertices) and np.isin(vertices, followers).all():
                result.append((part, number))
    return result
