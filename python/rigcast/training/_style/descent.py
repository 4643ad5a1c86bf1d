"""Steps on one network of style transfer: pairs of pictures of one recording, warped at random, reconstructed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._optimize import Descent
from rigcast.training._style.networks import KeyPoints, MotionModel, NetworkLayout, initial_weights, inverse
from rigcast.training._style.recordings import StyleRecording
from rigcast.training._style.settings import REGIONS, StyleSettings
from rigcast.training._style.splines import Splines, random_splines, sampled

KEPT_BACK, FIRST_KEPT_BACK = 20, 10  # every so many frames one is not trained on
MOST_JUDGED = 16  # pairs

Pairs = list[tuple[int, int, int]]  # recording, source, driving; the renders are the last recording

PYRAMID = 4  # levels


class StyleDescent(Descent):
    """The loss (6.9) of Bailey 2020 for the network of one region; pairs and warps follow from seed and step.

    Parameters
    ----------
    region : str
        The loss is of the pictures inside of its mask; that of the face is the whole picture, which is black outside.
    recordings : list of StyleRecording
        Of actors.
    renders : StyleRecording
        Of the character.
    settings : StyleSettings
    budget : Budget
    """

    largest_side = 256

    def __init__(
        self,
        region: str,
        recordings: Sequence[StyleRecording],
        renders: StyleRecording,
        settings: StyleSettings,
        budget: Budget,
    ) -> None:
        super().__init__(settings, budget)
        self.region, self.settings, self.error = region, settings, np.nan
        self.layout = NetworkLayout(settings.size, settings.key_points[region], settings.width)
        self.sets = [*recordings, renders]
        self._rows = [np.array([t for t in range(len(one.pictures)) if not _kept_back(t)]) for one in self.sets]
        self._judged = judged_pairs([len(one.pictures) for one in self.sets])

    def start(self) -> TrainingState:
        """See :class:`Descent`."""
        weights = initial_weights(self.layout, [self.budget.seed, 1, REGIONS.index(self.region)])
        return TrainingState(parameters=weights, best=weights)

    def pairs(self, step: int) -> Pairs:
        """The pairs of a step: of the renders with a given probability, else of a recording drawn evenly."""
        rng = self._rng(2, step)
        found = []
        for _ in range(self.settings.batch):
            rendered = rng.random() < self.settings.rendered
            place = len(self.sets) - 1 if rendered else int(rng.integers(len(self.sets) - 1))
            source, driving = rng.choice(self._rows[place], 2, replace=False)
            found.append((place, int(source), int(driving)))
        return found

    def _loss(self, step: int) -> Any:
        use, pairs = self.settings, self.pairs(step)
        drawn = random_splines(self._rng(3, step), len(pairs), use.rotation, use.translation, use.warp)
        source, driving, mask, background = self._warped(pairs, Splines(self.torch, self._tensor(drawn)))
        drawn = random_splines(self._rng(4, step), len(pairs), use.rotation, use.translation, use.warp)
        splines = Splines(self.torch, self._tensor(drawn))
        model = MotionModel(self.torch, self._weights, self.layout)
        together = self.torch.cat([source, driving, splines.pictures(driving)])
        first, second, third = _parts(model.key_points(together), len(pairs))
        made = model.reconstruct(source, first, second)
        moved, turned = equivariance(self.torch, second, third, splines)
        return (
            use.perceptual * pyramid_difference(self.torch, made, driving, mask)
            + use.equivariance * (moved + turned)
            + use.distance * crowding(self.torch, second.places, use.sharpness)
            + use.background * on_background(self.torch, second.confidence, background)
            + use.regularization * stretching(self.torch, second.jacobians)
        )

    def _held_out_loss(self) -> float:
        source, driving, mask, _ = self._pictures(self._judged)
        model = MotionModel(self.torch, self._weights, self.layout)
        first, second = _parts(model.key_points(self.torch.cat([source, driving])), len(self._judged))
        made = model.reconstruct(source, first, second)
        self.error = float(pyramid_difference(self.torch, made, driving, mask))
        return self.error

    def _rng(self, use: int, step: int) -> np.random.Generator:
        return np.random.default_rng([self.budget.seed, use, REGIONS.index(self.region), step])

    def _pictures(self, pairs: Pairs) -> tuple[Any, Any, Any, Any]:
        """Sources and driving pictures (B, 3, H, H), masks and backgrounds (B, 1, H, H) of the driving ones."""
        sources = np.stack([self.sets[place].pictures[source] for place, source, _ in pairs])
        driving = np.stack([self.sets[place].pictures[frame] for place, _, frame in pairs])
        masks = np.stack([self.sets[place].masks[frame] for place, _, frame in pairs])
        whole = np.ones_like(masks[:, 0]) if self.region == "face" else masks[:, REGIONS.index(self.region)]
        shown = [as_channels(self.torch, self._tensor(one)) for one in (sources, driving)]
        flat = [self._tensor(one.astype(np.float32))[:, None] for one in (whole, ~masks[:, 0])]
        return shown[0], shown[1], flat[0], flat[1]

    def _warped(self, pairs: Pairs, splines: Splines) -> tuple[Any, Any, Any, Any]:
        """The same of both pictures of a pair warped alike."""
        source, driving, mask, background = self._pictures(pairs)
        places = splines.pixels(self.settings.size)
        shown = sampled(self.torch, self.torch.cat([source, driving], dim=1), places)
        masks = sampled(self.torch, self.torch.cat([mask, 1.0 - background], dim=1), places, "nearest")
        mask = mask if self.region == "face" else masks[:, :1]
        return shown[:, :3], shown[:, 3:], mask, 1.0 - masks[:, 1:]


def as_channels(torch: Any, pictures: Any) -> Any:
    """Pictures (B, 3, H, H) from 0 to 1 of bytes (B, H, H, 3), whose channels stay neighbors in memory."""
    return (pictures.float() / 255.0).permute(0, 3, 1, 2)


def judged_pairs(lengths: Sequence[int]) -> Pairs:
    """Pairs that are not trained on: the first frame of a recording and one that is kept back, at most 16 in all."""
    found: Pairs = []
    for place, count in enumerate(lengths):
        frames = [t for t in range(count) if _kept_back(t)] or [count - 1]
        found += [(place, 0, t) for t in frames]
    chosen = np.unique(np.linspace(0, len(found) - 1, MOST_JUDGED).round().astype(int))
    return [found[i] for i in chosen]


def _kept_back(frame: int) -> bool:
    return frame % KEPT_BACK == FIRST_KEPT_BACK


def _parts(points: KeyPoints, count: int) -> list[KeyPoints]:
    """Key points of a batch of several sets of pictures, by set."""
    cut = [points.places.split(count), points.jacobians.split(count), points.confidence.split(count)]
    return [KeyPoints(*one) for one in zip(*cut, strict=True)]


def pyramid_difference(torch: Any, made: Any, wanted: Any, mask: Any) -> Any:
    """L_percep: absolute differences of pictures (B, 3, H, H) inside of masks (B, 1, H, H), in place of VGG's features.

    Both are masked, and averaged over 1, 2, 4 and 8 pixels; the mean over levels, per pixel of the mask.
    """
    made, wanted = made * mask, wanted * mask
    covered = mask.sum(dim=(1, 2, 3)).clamp_min(1.0) * made.shape[1]
    total, pixels = torch.zeros_like(covered), 1
    for level in range(PYRAMID):
        if level:
            made, wanted = (torch.nn.functional.avg_pool2d(one, 2) for one in (made, wanted))
            pixels *= 4
        total = total + pixels * (made - wanted).abs().sum(dim=(1, 2, 3)) / covered
    return total.mean() / PYRAMID


def equivariance(torch: Any, points: KeyPoints, warped: KeyPoints, splines: Splines) -> tuple[Any, Any]:
    """L_equi of points and of Jacobians: ``warped`` are those of the pictures that the splines warp.

    A spline T makes a picture that shows at z what was at T(z): ``mu = T(mu_warped)``, ``J = T' J_warped``
    (Siarohin et al. 2019, equations 9 to 11). Means of absolute differences.
    """
    moved = splines.points(warped.places)
    turned = inverse(torch, points.jacobians) @ splines.jacobians(warped.places) @ warped.jacobians
    unit = torch.eye(2, device=turned.device, dtype=turned.dtype)
    return (points.places - moved).abs().mean(), (turned - unit).abs().mean()


def crowding(torch: Any, places: Any, sharpness: float) -> Any:
    """L_dist (6.11): ``sum_{i<j} exp(-T |mu_i - mu_j|^2)`` of places (B, k, 2)."""
    first, second = torch.triu_indices(places.shape[1], places.shape[1], offset=1, device=places.device)
    squares = (places[:, first] - places[:, second]).square().sum(dim=2)
    return torch.exp(-sharpness * squares).sum(dim=1).mean()


def on_background(torch: Any, confidence: Any, background: Any) -> Any:
    """L_bg (6.10): what confidence maps (B, k, h, h) have where ``background`` (B, 1, H, H) is 1."""
    small = torch.nn.functional.avg_pool2d(background, background.shape[-1] // confidence.shape[-1])
    return (confidence * small).sum(dim=(1, 2, 3)).mean()


def stretching(torch: Any, jacobians: Any) -> Any:
    """L_reg (6.12): ``sum_i |J_i - I|_F^2`` of Jacobians (B, k, 2, 2)."""
    unit = torch.eye(2, device=jacobians.device, dtype=jacobians.dtype)
    return (jacobians - unit).square().sum(dim=(1, 2, 3)).mean()
