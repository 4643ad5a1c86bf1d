"""Differences of pictures and films by other people's programs: FLIP, ColorVideoVDP, LPIPS."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._extras import require
from rigcast._validate import FPS, Arguments, missing_file

BEST_JOD = 10.0  # of ColorVideoVDP, for equal films
PIXELS_PER_DEGREE = 67.0  # 0.7 m from a monitor with 3,840 pixels on 0.7 m
SMALLEST = 16  # pixels of a side, for the pyramids of both
DISPLAY = "standard_4k"  # ColorVideoVDP's name for a monitor of 200 cd / m^2

UInt8 = NDArray[np.uint8]
Float32 = NDArray[np.float32]


def flip(truth: ArrayLike, approximation: ArrayLike, *, pixels_per_degree: float = PIXELS_PER_DEGREE) -> float:
    """Mean FLIP of two pictures: the difference that people notice when they flip between both.

    Andersson et al. 2020, computed by their ``flip-evaluator``.

    Parameters
    ----------
    truth, approximation : (h, w, 3) array
        sRGB from 0 to 255.
    pixels_per_degree : float
        Of the viewer's sight.

    Returns
    -------
    float
        From 0, equal, to 1.

    Raises
    ------
    ValueError
        If the pictures differ in size or are no pictures.
    MissingExtra
        Without flip-evaluator.
    """
    check = Arguments("flip")
    density = check.number("pixels_per_degree", pixels_per_degree, above=0.0)
    pair = [_pixels(check, name, image, "h w 3") for name, image in _named(truth, approximation)]
    package = require("flip_evaluator", extra="perception", purpose="FLIP")
    shares = [np.ascontiguousarray(image / np.float32(255.0), np.float32) for image in pair]
    return float(package.evaluate(*shares, "LDR", True, False, True, {"ppd": density})[1])


def jod_loss(
    truth: ArrayLike,
    approximation: ArrayLike,
    *,
    fps: float = FPS,
    pixels_per_degree: float = PIXELS_PER_DEGREE,
) -> float:
    """Quality that a film loses against another, in just-objectionable differences (JOD).

    If one film is 1 JOD below another, 75 % of people prefer the other. ColorVideoVDP (Mantiuk et al. 2024), on a
    monitor of 200 cd / m^2; 10 less what it says, on the processor.

    Parameters
    ----------
    truth, approximation : (h, w, 3) or (T, h, w, 3) array
        sRGB from 0 to 255.
    fps : float
        Frames per second of films; 30 unless stated.
    pixels_per_degree : float
        Of the viewer's sight.

    Returns
    -------
    float
        0 for equal films.

    Raises
    ------
    ValueError
        If the films differ in size or are no films.
    MissingExtra
        Without cvvdp and PyTorch.
    """
    check = Arguments("jod_loss")
    rate, density = check.rate("fps", fps), check.number("pixels_per_degree", pixels_per_degree, above=0.0)
    pair = [_pixels(check, name, image, "h w 3", "T+ h w 3") for name, image in _named(truth, approximation)]
    if pair[0].ndim != pair[1].ndim:
        raise check.wrong("approximation", f"of shape {pair[1].shape}", f"of shape {pair[0].shape}, as truth is")
    package = require("pycvvdp", extra="jod", purpose="JOD")
    torch: Any = require("torch", extra="jod", purpose="JOD")
    height, width = pair[0].shape[-3:-1]
    geometry = package.vvdp_display_geometry([width, height], ppd=density)
    metric = package.cvvdp(DISPLAY, display_geometry=geometry, quiet=True, device=torch.device("cpu"))
    films = [np.round(image).astype(np.uint8) for image in pair]
    with torch.no_grad():
        if films[0].ndim == 3:
            quality, _ = metric.predict(films[1], films[0], dim_order="HWC")
        else:
            quality, _ = metric.predict(films[1], films[0], dim_order="FHWC", frames_per_second=rate)
    return BEST_JOD - float(quality)


def lpips(truth: ArrayLike, approximation: ArrayLike, *, network: str | os.PathLike[str]) -> float:
    """Distance of two pictures in the features of a network (Zhang et al. 2018).

    No weights come with this package: state the path of a network that you may use.

    Parameters
    ----------
    truth, approximation : (h, w, 3) array
        sRGB from 0 to 255.
    network : path-like
        A program of ``torch.export.save`` that takes two pictures (1, 3, h, w) from -1 to 1:
        ``torch.export.export(lpips.LPIPS(net="alex").eval(), (a, b))``. Use files that you trust.

    Returns
    -------
    float
        0 for equal pictures.

    Raises
    ------
    ValueError
        If the pictures differ in size or are no pictures.
    FileNotFoundError
        If there is no such file.
    MissingExtra
        Without PyTorch.
    """
    check = Arguments("lpips")
    pair = [_pixels(check, name, image, "h w 3") for name, image in _named(truth, approximation)]
    path = Path(network)
    if not path.is_file():
        raise missing_file("lpips", "network", path, "a file of torch.export.save")
    torch: Any = require("torch", extra="training", purpose="LPIPS")
    module = torch.export.load(os.fspath(path)).module()
    first, second = (torch.from_numpy(image / np.float32(127.5) - 1.0).permute(2, 0, 1)[None] for image in pair)
    with torch.no_grad():
        return float(module(first.float(), second.float()))


def _named(truth: ArrayLike, approximation: ArrayLike) -> list[tuple[str, ArrayLike]]:
    return [("truth", truth), ("approximation", approximation)]


def _pixels(check: Arguments, argument: str, image: ArrayLike, *shapes: str) -> Float32:
    """Pixels from 0 to 255; ``h``, ``w`` and ``T`` are those of both pictures."""
    pixels: Float32 = check.numbers(argument, image, *shapes, dtype=np.float32)
    if min(pixels.shape[-3:-1]) < SMALLEST:
        raise check.wrong(argument, f"{pixels.shape[-3:-1]} pixels", f"at least {SMALLEST} x {SMALLEST}")
    low, high = float(pixels.min()), float(pixels.max())
    if low < 0.0 or high > 255.0:
        raise check.wrong(argument, f"from {low:g} to {high:g}", "from 0 to 255")
    return pixels
