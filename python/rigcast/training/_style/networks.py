"""The first-order motion model of Siarohin et al. 2019, small: key points, dense motion, occlusion, generator.

All of it are functions of a dict of tensors. Coordinates run from -1 to 1 over the picture, x right and y down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._optimizers import Arrays
from rigcast.training._style.splines import pixel_centers, sampled

TEMPERATURE = 0.1  # of heat maps
SPREAD = 0.01  # variance of the Gaussians that show dense motion where key points are
SINGULAR = 1e-4  # least absolute determinant of a Jacobian that is inverted
BLOCKS = 2  # residual blocks of the generator
SLOPE = 0.1  # of leaky ReLU
WIDEST = 4  # times the width: channels of the deepest layers
VISIBLE = 2.0  # first logit of the share of the warped source
LARGEST_LOGIT = 4.0
NEARBY = 4.0  # logit by which a key point's motion is preferred where it is
GAINS = {"heat": 0.3, "masks": 0.1, "shares": 0.1, "last": 0.1, "1": 0.1}  # of He's deviation: last layers, residuals


@dataclass(frozen=True)
class NetworkLayout:
    """Sizes of one network.

    Attributes
    ----------
    size : int
        Of pictures.
    points : int
        Key points.
    width : int
        Channels.
    """

    size: int
    points: int
    width: int

    @property
    def grid(self) -> int:
        """Width of heat maps, of dense motion, and of the features that are warped."""
        return max(self.size // 4, min(32, self.size // 2))

    @property
    def levels(self) -> int:
        """Halvings of the encoders, down to 4 x 4."""
        return self.grid.bit_length() - 3

    @property
    def downs(self) -> int:
        """Halvings of the generator before it warps."""
        return (self.size // self.grid).bit_length() - 1

    def channels(self, level: int) -> int:
        """Channels after so many halvings."""
        return self.width * min(1 << level, WIDEST)

    def convolutions(self) -> dict[str, tuple[int, int]]:
        """Outputs and inputs of every 3 x 3 convolution, by name."""
        found = self._hourglass("detector", 3) | {"detector.heat": (self.points, self.width)}
        found |= self._hourglass("motion", 4 * (self.points + 1)) | {
            "motion.masks": (self.points + 1, self.width),
            "motion.shares": (2, self.width),
        }
        found["generator.first"] = (self.width, 3)
        for level in range(self.downs):
            found[f"generator.down.{level}"] = (self.channels(level + 1), self.channels(level))
            found[f"generator.up.{level}"] = (self.channels(level), self.channels(level + 1))
        deep = self.channels(self.downs)
        for block in range(BLOCKS):
            found |= {f"generator.block.{block}.{part}": (deep, deep) for part in (0, 1)}
        return found | {"generator.last": (3, self.width)}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every weight, by name."""
        found: dict[str, tuple[int, ...]] = {}
        for name, (outputs, inputs) in self.convolutions().items():
            found |= {f"{name}.weight": (outputs, inputs, 3, 3), f"{name}.bias": (outputs,)}
        return found | {
            "detector.jacobian.weight": (self.points, 4, self.width),
            "detector.jacobian.bias": (self.points, 4),
        }

    def _hourglass(self, name: str, inputs: int) -> dict[str, tuple[int, int]]:
        found = {f"{name}.first": (self.width, inputs)}
        for level in range(self.levels):
            found[f"{name}.down.{level}"] = (self.channels(level + 1), self.channels(level))
            found[f"{name}.up.{level}"] = (self.channels(level), self.channels(level + 1))
        return found


def initial_weights(layout: NetworkLayout, seed: list[int]) -> Arrays:
    """He's weights; Jacobians begin as the identity, the warped source as most of the picture."""
    rng = np.random.default_rng(seed)
    weights: Arrays = {}
    for name, shape in layout.shapes().items():
        gain = GAINS.get(name.removesuffix(".weight").rpartition(".")[2], 1.0)
        scale = gain * math.sqrt(2.0 / max(int(np.prod(shape[1:])), 1))
        drawn = rng.normal(0.0, scale, shape) if name.endswith(".weight") else np.zeros(shape)
        weights[name] = drawn.astype(np.float32)
    weights["detector.jacobian.weight"][:] = 0.0
    weights["detector.jacobian.bias"][:] = np.eye(2, dtype=np.float32).ravel()
    weights["motion.shares.bias"][:] = VISIBLE
    return weights


@dataclass
class KeyPoints:
    """Key points (B, k, 2), their Jacobians (B, k, 2, 2), and confidence maps (B, k, h, h) that sum to 1."""

    places: Any
    jacobians: Any
    confidence: Any = None


class MotionModel:
    """One network, as functions of PyTorch's tensors.

    Parameters
    ----------
    torch : module
    weights : dict of tensors
    layout : NetworkLayout
    """

    def __init__(self, torch: Any, weights: dict[str, Any], layout: NetworkLayout) -> None:
        self._torch, self._weights, self.layout = torch, weights, layout
        self._functions = torch.nn.functional

    def key_points(self, pictures: Any) -> KeyPoints:
        """Key points of pictures (B, 3, H, H)."""
        features = self._hourglass("detector", self._small(pictures))
        heat = self._convolution("detector.heat", features) / TEMPERATURE
        confidence = self._torch.softmax(heat.flatten(2), dim=2)
        places = expected_places(self._torch, confidence.unflatten(2, heat.shape[2:]))
        pooled = confidence @ features.flatten(2).transpose(1, 2)
        weight, bias = self._weights["detector.jacobian.weight"], self._weights["detector.jacobian.bias"]
        jacobians = (self._torch.einsum("bkc,kjc->bkj", pooled, weight) + bias).unflatten(2, (2, 2))
        return KeyPoints(places, jacobians, confidence.unflatten(2, heat.shape[2:]))

    def reconstruct(self, source: Any, points: KeyPoints, driving: KeyPoints) -> Any:
        """The source (B, 3, H, H), which has ``points``, as it looks where the key points are those of ``driving``."""
        flow, shares = self.motion(source, points, driving)
        features = self._encoded(source)
        features = sampled(self._torch, features, flow) * shares[:, :1]
        made = self._decoded(features)
        size = (self.layout.size, self.layout.size)
        flow = self._larger(flow.permute(0, 3, 1, 2), size).permute(0, 2, 3, 1)
        kept = self._larger(shares[:, 1:], size)
        return kept * sampled(self._torch, source, flow) + (1.0 - kept) * made

    def motion(self, source: Any, points: KeyPoints, driving: KeyPoints) -> tuple[Any, Any]:
        """Places in the source that each place comes from (B, h, h, 2); shares (B, 2, h, h) that are seen, and kept."""
        torch, count, grid = self._torch, self.layout.points + 1, self.layout.grid
        places = pixel_centers(torch, grid, source.device)
        warps = local_warps(torch, places, points, driving)
        small = self._small(source)
        moved = sampled(torch, small.repeat_interleave(count, dim=0), warps.flatten(0, 1)).unflatten(0, (-1, count))
        near = _bumps(torch, places, driving.places)
        heat = torch.nn.functional.pad(near - _bumps(torch, places, points.places), (0, 0, 0, 0, 1, 0))
        near = torch.nn.functional.pad(near, (0, 0, 0, 0, 1, 0))
        features = self._hourglass("motion", torch.cat([heat[:, :, None], moved], dim=2).flatten(1, 2))
        masks = torch.softmax(self._bounded("motion.masks", features) + NEARBY * near, dim=1)
        shares = torch.sigmoid(self._bounded("motion.shares", features))
        return (masks[..., None] * warps).sum(dim=1), shares

    def _small(self, pictures: Any) -> Any:
        return self._functions.avg_pool2d(pictures, self.layout.size // self.layout.grid)

    def _larger(self, values: Any, size: tuple[int, int]) -> Any:
        return self._functions.interpolate(values, size, mode="bilinear", align_corners=False)

    def _convolution(self, name: str, values: Any, stride: int = 1) -> Any:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self._functions.conv2d(values, weight, bias, stride=stride, padding=1)

    def _bounded(self, name: str, values: Any) -> Any:
        """Logits that cannot saturate: at first, no motion at all is the best of all answers."""
        return LARGEST_LOGIT * self._torch.tanh(self._convolution(name, values) / LARGEST_LOGIT)

    def _layer(self, name: str, values: Any, stride: int = 1) -> Any:
        return self._functions.leaky_relu(self._convolution(name, values, stride), SLOPE)

    def _up(self, name: str, values: Any) -> Any:
        return self._layer(name, self._functions.interpolate(values, scale_factor=2, mode="nearest"))

    def _hourglass(self, name: str, values: Any) -> Any:
        kept = [self._layer(f"{name}.first", values)]
        for level in range(self.layout.levels):
            kept.append(self._layer(f"{name}.down.{level}", kept[-1], stride=2))
        values = kept.pop()
        for level in reversed(range(self.layout.levels)):
            values = self._up(f"{name}.up.{level}", values) + kept[level]
        return self._functions.layer_norm(values, values.shape[1:])

    def _encoded(self, source: Any) -> Any:
        features = self._layer("generator.first", source)
        for level in range(self.layout.downs):
            features = self._layer(f"generator.down.{level}", features, stride=2)
        return features

    def _decoded(self, features: Any) -> Any:
        for block in range(BLOCKS):
            inner = self._layer(f"generator.block.{block}.0", features)
            features = features + self._convolution(f"generator.block.{block}.1", inner)
        for level in reversed(range(self.layout.downs)):
            features = self._up(f"generator.up.{level}", features)
        return self._torch.sigmoid(self._convolution("generator.last", features))


def expected_places(torch: Any, confidence: Any) -> Any:
    """Expectations (B, k, 2) of the coordinates under confidence maps (B, k, h, h)."""
    return torch.einsum("bkyx,yxd->bkd", confidence, pixel_centers(torch, confidence.shape[-1], confidence.device))


def local_warps(torch: Any, places: Any, points: KeyPoints, driving: KeyPoints) -> Any:
    """The origin of places (h, h, 2) by each key point's affine motion, after no motion: (B, 1 + k, h, h, 2)."""
    turn = points.jacobians @ inverse(torch, driving.jacobians)
    away = places[None, None] - driving.places[:, :, None, None]
    moved = torch.einsum("bkij,bkyxj->bkyxi", turn, away) + points.places[:, :, None, None]
    still = places.expand(len(moved), 1, *places.shape)
    return torch.cat([still, moved], dim=1)


def inverse(torch: Any, matrices: Any) -> Any:
    """Inverses of matrices (..., 2, 2); those that are nearly singular are kept away from it."""
    a, b, c, d = matrices[..., 0, 0], matrices[..., 0, 1], matrices[..., 1, 0], matrices[..., 1, 1]
    found = a * d - b * c
    least = torch.full_like(found, SINGULAR)
    found = torch.where(found.abs() < SINGULAR, torch.where(found < 0.0, -least, least), found)
    rows = [torch.stack([d, -b], dim=-1), torch.stack([-c, a], dim=-1)]
    return torch.stack(rows, dim=-2) / found[..., None, None]


def _bumps(torch: Any, places: Any, centers: Any) -> Any:
    away = places[None, None] - centers[:, :, None, None]
    return torch.exp(-0.5 * away.square().sum(dim=-1) / SPREAD)


def check_weights(weights: dict[str, NDArray[Any]], layout: NetworkLayout) -> str:
    """A sentence on what is wrong with the weights of a file, or "": a missing one, one too many, a shape, a number."""
    shapes = layout.shapes()
    if odd := sorted(set(shapes) ^ set(weights)):
        return f"{odd[0]} is {'missing' if odd[0] in shapes else 'no weight of it'}"
    for name, shape in shapes.items():
        if weights[name].shape != shape or weights[name].dtype != np.float32:
            return f"{name} is {weights[name].dtype} {weights[name].shape}, not float32 {shape}"
        if not np.isfinite(weights[name]).all():
            return f"{name} is not finite everywhere"
    return ""
