"""Terms of the loss (6.9) of Bailey 2020, without their weights; all are means over the batch."""

from __future__ import annotations

from typing import Any

from rigcast.training._style.networks import KeyPoints, inverse
from rigcast.training._style.splines import Splines

PYRAMID = 4  # levels


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
