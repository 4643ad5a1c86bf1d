"""The network that reads faces, in PyTorch, and its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._budget import Budget
from rigcast.training._capture.examples import CaptureExamples
from rigcast.training._capture.settings import CaptureNetworkSettings
from rigcast.training._checkpoint import TrainingState
from rigcast.training._optimize import Descent
from rigcast.training._optimizers import Arrays

Float64 = NDArray[np.float64]

SLOPE = 0.2  # of leaky ReLU below 0, as in the engine
POINTS_HIDDEN = 48  # of the layer that sees a detector's points
FLAT = 32  # channels of the last map before the dense layer
MAPPED = 4  # one of so many pictures of a batch trains the heat maps
SPREAD = (0.2, 0.008)  # at first: of a heat map's variance that a landmark has, and its least deviation
SQUARED = 100.0  # of a landmark's error in shares of the crop, beside its likelihood: early, before it says anything
LARGEST_EVALUATION = 512  # pictures at once
DROPPED = 0.15  # of the coarsest map's channels and of the hidden layer, in each step
GRAIN = 3.0  # standard deviation of noise on pictures, in steps of 8 bits
MIRRORED = 0.5  # of the pictures
WITHOUT_POINTS = 0.3  # of the others: the detector's points are not shown


def initial_weights(settings: CaptureNetworkSettings, shapes: int, landmarks: int, points: int, seed: int) -> Arrays:
    """He-normal weights and zero biases; the last layers are small."""
    rng = np.random.default_rng([seed, 2])
    w = settings.width
    texels = (settings.size // 8) ** 2
    convolutions = {
        "conv1": (24, w), "conv2": (w, w), "conv3": (w, 2 * w), "conv4": (2 * w, 2 * w), "conv5": (2 * w, 4 * w),
        "conv6": (4 * w, 4 * w), "conv7": (4 * w, FLAT), "up1": (4 * w, 2 * w), "up2": (2 * w, w),
        "heat": (w, landmarks),
    }  # fmt: skip
    result: Arrays = {}
    gain = np.sqrt(2.0 / (1.0 + SLOPE**2))
    for name, (inputs, outputs) in convolutions.items():
        scale = gain / np.sqrt(9 * inputs) * (0.5 if name in ("conv2", "conv4", "conv6") else 1.0)
        result[f"{name}.weight"] = (scale * rng.standard_normal((outputs, inputs, 3, 3))).astype(np.float32)
        result[f"{name}.bias"] = np.zeros(outputs, np.float32)
    result["heat.spread"] = np.tile(np.log([SPREAD[0], SPREAD[1] ** 2]), (landmarks, 1)).astype(np.float32)
    wide = FLAT * texels + (POINTS_HIDDEN if points else 0)
    layers = {"dense1": (wide, settings.hidden, gain), "dense2": (settings.hidden, shapes, 0.1)}
    if points:
        layers["points"] = (2 * points, POINTS_HIDDEN, gain)
    for name, (inputs, outputs, factor) in layers.items():
        result[f"{name}.weight"] = (factor / np.sqrt(inputs) * rng.standard_normal((outputs, inputs))).astype(
            np.float32
        )
        result[f"{name}.bias"] = np.zeros(outputs, np.float32)
    return result


@dataclass(frozen=True)
class Mirrored:
    """Labels of a mirrored picture.

    Attributes
    ----------
    shapes : (K,) int64
        The shape of the other side.
    landmarks : (P,) int64
        The landmark of the other side; -1 if there is none.
    """

    shapes: NDArray[np.int64]
    landmarks: NDArray[np.int64]


class CaptureNet:
    """The forward pass; ``weights`` are tensors by name."""

    def __init__(self, torch: Any, weights: dict[str, Any]) -> None:
        self.torch, self.weights = torch, weights
        self._f = torch.nn.functional

    def _conv(self, name: str, x: Any) -> Any:
        y = self._f.conv2d(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], padding=1)
        return self._f.leaky_relu(y, SLOPE)

    def _upsampled(self, name: str, x: Any) -> Any:
        return self._conv(name, self._f.interpolate(x, scale_factor=2, mode="nearest"))

    def maps(self, frame: Any, neutral: Any) -> tuple[Any, Any, Any]:
        """Feature maps of three resolutions of pictures (B, 3, S, S)."""
        x = self._f.pixel_unshuffle(self.torch.cat([frame - neutral, neutral], dim=1), 2)
        a = self._conv("conv1", x)
        a = self._conv("conv2", a) + a
        b = self._conv("conv3", self._f.avg_pool2d(a, 2))
        b = self._conv("conv4", b) + b
        c = self._conv("conv5", self._f.avg_pool2d(b, 2))
        return a, b, self._conv("conv6", c) + c

    def shape_weights(self, c: Any, moved: Any, known: Any, kept: tuple[Any, Any] | None = None) -> Any:
        """Weights (B, K) of the coarsest map and of a detector's points (B, 2 Q), where ``known`` (B, 1) is 1.

        ``kept``: factors of the coarsest map's channels (B, C, 1, 1) and of the hidden layer (B, H), in training.
        """
        flat = self._conv("conv7", c if kept is None else c * kept[0]).flatten(1)
        if "points.weight" in self.weights:
            seen = self._f.linear(moved, self.weights["points.weight"], self.weights["points.bias"])
            flat = self.torch.cat([flat, self._f.leaky_relu(seen, SLOPE) * known], dim=1)
        hidden = self._f.leaky_relu(
            self._f.linear(flat, self.weights["dense1.weight"], self.weights["dense1.bias"]), SLOPE
        )
        hidden = hidden if kept is None else hidden * kept[1]
        return self._f.linear(hidden, self.weights["dense2.weight"], self.weights["dense2.bias"])

    def landmarks(self, a: Any, b: Any, c: Any) -> tuple[Any, Any]:
        """Means (B, P, 2) and covariances (B, P, 3) of heat maps: of x, x and y, y, in shares of the crop."""
        heat = self._conv("heat", self._upsampled("up2", self._upsampled("up1", c) + b) + a)
        side = heat.shape[-1]
        share = self.torch.softmax(heat.flatten(2), dim=2)
        axis = (self.torch.arange(side) + 0.5) / side
        x, y = axis.repeat(side), axis.repeat_interleave(side)
        mean = self.torch.stack([share @ x, share @ y], dim=2)
        square = self.torch.stack([share @ (x * x), share @ (x * y), share @ (y * y)], dim=2)
        middle = self.torch.stack([mean[..., 0] ** 2, mean[..., 0] * mean[..., 1], mean[..., 1] ** 2], dim=2)
        scale, least = self.weights["heat.spread"].exp().unbind(dim=1)
        diagonal = self.torch.tensor([1.0, 0.0, 1.0])
        return mean, (square - middle) * scale[:, None] + least[:, None] * diagonal


def normalized(torch: Any, frame: Any, neutral: Any) -> tuple[Any, Any]:
    """Pictures (B, S, S, 3) over the neutral's mean, as (B, 3, S, S)."""
    level = neutral.mean(dim=(1, 2, 3), keepdim=True).clamp(min=1.0)
    return tuple((x / level - 1.0).permute(0, 3, 1, 2) for x in (frame, neutral))


class CaptureDescent(Descent):
    """Weights by what they move on the character, landmarks by their likelihood.

    Attributes
    ----------
    movement : (K, V, 3) float64
        Millimeters that shapes move vertices by.
    error, pixels : float
        On held-out actors at the last evaluation: mean distance in millimeters on the character, and of landmarks in
        shares of the crop.
    """

    largest_side = 512

    def __init__(
        self,
        rows: CaptureExamples,
        deltas: Float64,
        mirrored: Mirrored,
        settings: CaptureNetworkSettings,
        budget: Budget,
    ) -> None:
        super().__init__(settings, budget)
        self.mirrored = mirrored
        self.rows, self.settings, self.error, self.pixels = rows, settings, np.nan, np.nan
        self.movement = deltas
        self._deltas = self._tensor(deltas.reshape(len(deltas), -1).astype(np.float32))
        gram = deltas.reshape(len(deltas), -1) @ deltas.reshape(len(deltas), -1).T / deltas.shape[1]
        self._gram = self._tensor((gram + settings.ridge * np.eye(len(gram))).astype(np.float32))

    def start(self) -> TrainingState:
        """See :class:`Descent`."""
        shapes, points = self.rows.weights.shape[1], self.rows.points.shape[1]
        parameters = initial_weights(self.settings, shapes, points, self.rows.moved.shape[1] // 2, self.budget.seed)
        return TrainingState(parameters=parameters, best=parameters)

    def _loss(self, step: int) -> Any:
        rng = np.random.default_rng([self.budget.seed, 5, step])
        chosen = rng.choice(self.rows.training, self.settings.batch)
        flipped = rng.random(len(chosen)) < MIRRORED
        frame, neutral = self._pictures(chosen, rng, flipped)
        net = CaptureNet(self.torch, self._weights)
        a, b, c = net.maps(frame, neutral)
        found = net.shape_weights(c, *self._points_seen(chosen, rng, flipped), self._dropout(len(chosen), rng))
        weights, points = self._labels(chosen, flipped)
        away = found - self._tensor(weights)
        loss = ((away @ self._gram) * away).sum(dim=1).mean()
        if self.settings.landmarks > 0.0:
            some = max(1, self.settings.batch // MAPPED)
            likely = self._unlikely(net.landmarks(a[:some], b[:some], c[:some]), self._tensor(points[:some]))
            loss = loss + self.settings.landmarks * likely
        return loss

    def _dropout(self, count: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Factors of channels and hidden units: 0 for some, larger than 1 for the others."""
        shapes = (count, 4 * self.settings.width, 1, 1), (count, self.settings.hidden)
        first, second = ((rng.random(shape) >= DROPPED).astype(np.float32) / (1.0 - DROPPED) for shape in shapes)
        return self._tensor(first), self._tensor(second)

    def _labels(
        self, chosen: NDArray[np.int64], flipped: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights and landmarks of pictures, some of them mirrored; landmarks without another side lie outside."""
        weights, points = self.rows.weights[chosen], self.rows.points[chosen]
        weights[flipped] = weights[flipped][:, self.mirrored.shapes]
        other = self.mirrored.landmarks
        turned = points[flipped][:, other] * np.array([-1.0, 1.0], np.float32) + np.array([1.0, 0.0], np.float32)
        turned[:, other < 0] = -1.0
        points[flipped] = turned
        return weights, points

    def _unlikely(self, found: tuple[Any, Any], wanted: Any) -> Any:
        """Negative logarithm of the likelihood of landmarks, and their squared error; of those inside of the crop."""
        mean, covariance = found
        inside = ((wanted > 0.0) & (wanted < 1.0)).all(dim=2)
        x, y = (wanted - mean).unbind(dim=2)
        xx, xy, yy = covariance.unbind(dim=2)
        determinant = xx * yy - xy * xy
        mahalanobis = (yy * x * x - 2.0 * xy * x * y + xx * y * y) / determinant
        terms = 0.5 * (mahalanobis + determinant.log()) + SQUARED * (x * x + y * y)
        return (terms * inside).sum() / inside.sum()

    def _pictures(
        self, chosen: NDArray[np.int64], rng: np.random.Generator | None, flipped: NDArray[np.bool_] | None = None
    ) -> tuple[Any, Any]:
        """Frames and neutrals; with a generator, their light and colors are changed, and some are mirrored."""
        count = len(chosen)
        gain, power, flicker = np.ones((count, 3)), np.ones((count, 1)), np.ones((count, 1))
        if rng is not None:
            gain, power = rng.uniform(0.8, 1.25, (count, 3)), np.exp(rng.uniform(-0.15, 0.15, (count, 1)))
            flicker = rng.uniform(0.93, 1.07, (count, 1))
        crops = [self.rows.crops[rows] for rows in (chosen, self.rows.neutral[chosen])]
        for pictures in crops if flipped is not None else []:
            pictures[flipped] = pictures[flipped][:, :, ::-1]
        frame, neutral = self._shades(crops[0], gain * flicker, power), self._shades(crops[1], gain, power)
        if rng is not None:
            size = GRAIN * rng.random((count, 1, 1, 1), dtype=np.float32)
            frame = frame + self._tensor(size * rng.standard_normal(crops[0].shape, dtype=np.float32))
        return normalized(self.torch, frame, neutral)

    def _shades(self, pictures: NDArray[np.uint8], gain: Float64, power: Float64) -> Any:
        """Pictures (B, S, S, 3) from 0 to 255, with the power (B, 1) and gain (B, 3) of a camera."""
        levels = np.arange(256) / 255.0
        table = (255.0 * np.minimum(gain[:, :, None] * levels ** power[:, :, None], 1.2)).astype(np.float32)
        rows = np.arange(len(pictures))[:, None, None]
        return self._tensor(np.stack([table[:, c][rows, pictures[..., c]] for c in range(3)], axis=-1))

    def _points_seen(
        self, chosen: NDArray[np.int64], rng: np.random.Generator | None, flipped: NDArray[np.bool_] | None = None
    ) -> tuple[Any, Any]:
        """A detector's points, and where they are shown: not in mirrored pictures, whose sides it would name anew."""
        moved = self.rows.moved[chosen]
        known = np.isfinite(moved).all(axis=1) & (moved.shape[1] > 0)
        if rng is not None:
            known &= rng.random(len(known)) >= WITHOUT_POINTS
        if flipped is not None:
            known &= ~flipped
        flags = known[:, None].astype(np.float32)
        return self._tensor(np.where(flags > 0.0, np.nan_to_num(moved), 0.0).astype(np.float32)), self._tensor(flags)

    def read(self, weights: Arrays, rows: NDArray[np.int64]) -> Any:
        """(n, K) weights in [0, 1] that a network reads in pictures as they were filmed."""
        net = CaptureNet(self.torch, {name: self._tensor(value) for name, value in weights.items()})
        found = []
        with self.torch.no_grad():
            for begin in range(0, len(rows), LARGEST_EVALUATION):
                chosen = rows[begin : begin + LARGEST_EVALUATION]
                _, _, c = net.maps(*self._pictures(chosen, None))
                found.append(self._array(net.shape_weights(c, *self._points_seen(chosen, None)).clamp(0.0, 1.0)))
        return np.concatenate(found)

    def _held_out_loss(self) -> float:
        net = CaptureNet(self.torch, self._weights)
        total, away, pixels, rows = 0.0, [], [], self.rows.held_out
        for begin in range(0, len(rows), LARGEST_EVALUATION):
            chosen = rows[begin : begin + LARGEST_EVALUATION]
            a, b, c = net.maps(*self._pictures(chosen, None))
            wrong = net.shape_weights(c, *self._points_seen(chosen, None)).clamp(0.0, 1.0) - self._tensor(
                self.rows.weights[chosen]
            )
            away.append((wrong @ self._deltas).reshape(len(chosen), -1, 3).norm(dim=2).mean(dim=1))
            total += float(((wrong @ self._gram) * wrong).sum())
            if self.settings.landmarks > 0.0:
                found = net.landmarks(a, b, c)
                wanted = self._tensor(self.rows.points[chosen])
                total += self.settings.landmarks * float(self._unlikely(found, wanted)) * len(chosen)
                pixels.append((found[0] - wanted).norm(dim=2).mean(dim=1))
        self.error = float(self.torch.cat(away).mean())
        self.pixels = float(self.torch.cat(pixels).mean()) if pixels else np.nan
        return total / len(rows) + 100.0  # the likelihood may be below 0, which nothing here minds
