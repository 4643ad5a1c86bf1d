"""Networks that see pictures, small, by the public functions that train and run them with a number of threads."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import rigcast as rc
from tests.capture.network.networks import network
from tests.training.style.small_shots import SETTINGS, shot

STYLE = [shot([0.0, 0.5, 1.0])]
STYLE_SETTINGS = rc.training.StyleSettings(regions="whole", **SETTINGS)
FEW = rc.training.CaptureNetworkSettings(actors=4, poses=4, size=32, film_size=32, width=4, hidden=8)
READER = network()
SEEN = np.random.default_rng(0).uniform(1.0, 7.0, (1, 68, 2))


def style(threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    return rc.training.style_transfer(STYLE, STYLE[0], STYLE_SETTINGS, steps=1, threads=threads)


@functools.cache
def style_model():
    return style(1)


def capture_network(threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    return rc.training.capture_network(rc.capture.example_cast(), FEW, steps=1, threads=threads)


PICTURE_CALLS = {
    "capture_network": capture_network,
    "CaptureNetwork.read": lambda n: READER.read(np.zeros((1, 8, 8, 3), np.uint8), SEEN, threads=n),
    "style_transfer": style,
    "StyleTransfer.transfer": lambda n: style_model().transfer(
        STYLE[0].pictures[0], STYLE[0], STYLE[0].pictures[0], threads=n
    ),
}
