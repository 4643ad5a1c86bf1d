"""Landmarks of pictures of the character: a small network with heat maps, trained on its renders alone.

In place of the published network of Feng et al.; whoever has a better detector replaces this module.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from benchmarks.papers.capture.helmet import HelmetShot

POINTS, MAP = 68, 32
WIDTH, BATCH, STEPS, RATE, SEED = 24, 16, 600, 3e-3, 11
TURN, SHIFT, SCALE = 0.05, 0.04, 0.03  # standard deviations: radians, half widths, share
BLUR = 0.5  # of the batches are blurred, as transferred pictures are


class LandmarkNet(nn.Module):
    """Heat maps (B, 68, 32, 32) of pictures (B, 3, 64, 64), and the expectations of their coordinates in pixels."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [(3, WIDTH), (WIDTH, 2 * WIDTH), (2 * WIDTH, 2 * WIDTH), (2 * WIDTH, 2 * WIDTH)]
        self.down = nn.ModuleList([nn.Conv2d(a, b, 3, 2, 1) for a, b in sizes])
        self.up = nn.ModuleList([nn.Conv2d(2 * WIDTH, b, 3, 1, 1) for b in (2 * WIDTH, 2 * WIDTH, WIDTH)])
        self.heat = nn.Conv2d(WIDTH, POINTS, 3, 1, 1)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Landmarks (B, 68, 2)."""
        features = [pictures]
        for layer in self.down:
            features.append(nn.functional.leaky_relu(layer(features[-1]), 0.1))
        found = features.pop()
        for layer in self.up:
            found = nn.functional.interpolate(found, scale_factor=2.0, mode="nearest")
            found = nn.functional.leaky_relu(layer(found), 0.1) + features.pop()
        share = torch.softmax(self.heat(found).flatten(2), dim=2).unflatten(2, (MAP, MAP))
        middles = 2.0 * torch.arange(MAP) + 1.0
        return torch.stack([share.sum(dim=2) @ middles, share.sum(dim=3) @ middles], dim=-1)


def landmark_net(renders: HelmetShot, file: Path) -> LandmarkNet:
    """The network of a file, or trained and written there."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    network = LandmarkNet()
    if file.exists():
        network.load_state_dict(torch.load(file, weights_only=True))
        return network.eval()
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for step in range(STEPS):
        pictures, points = _batch(renders, np.random.default_rng([SEED, step]))
        loss = (network(pictures) - points).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"landmarks: step {step}, {float(loss.detach()):.2f} px", flush=True)
    torch.save(network.state_dict(), file)
    return network.eval()


def landmarks_of(network: LandmarkNet, pictures: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Landmarks (T, 68, 2) in pixels."""
    with torch.no_grad():
        return network(_channels(pictures)).numpy().astype(np.float64)


def _batch(renders: HelmetShot, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Renders turned, moved, scaled and blurred by chance, and their landmarks."""
    pictures = renders.recording.pictures
    rows = rng.integers(len(pictures), size=BATCH)
    angle, scale = rng.normal(0.0, TURN, BATCH), np.exp(rng.normal(0.0, SCALE, BATCH))
    turn = scale[:, None, None] * np.stack([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).transpose(
        2, 0, 1
    )
    shift, half = rng.normal(0.0, SHIFT, (BATCH, 2)), pictures.shape[1] / 2
    affine = torch.from_numpy(np.concatenate([turn, shift[..., None]], axis=2).astype(np.float32))
    places = nn.functional.affine_grid(affine, [BATCH, 3, *pictures.shape[1:3]], align_corners=False)
    shown = nn.functional.grid_sample(_channels(pictures[rows]), places, align_corners=False)
    if rng.random() < BLUR:
        shown = nn.functional.avg_pool2d(shown, 3, 1, 1)
    seen = renders.exact[rows] / half - 1.0 - shift[:, None]
    points = half * (np.einsum("bij,bpj->bpi", np.linalg.inv(turn), seen) + 1.0)
    return shown, torch.from_numpy(points.astype(np.float32))


def _channels(pictures: NDArray[np.uint8]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(pictures)).permute(0, 3, 1, 2).float() / 255.0
