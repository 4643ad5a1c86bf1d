"""Small synthesizers that players are tried with."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast import _core
from tests.support.made.synthesis import arm, face
from tests.support.trained import kept

SPEEDS = {"calm": (0.05, 0.09, 0.04), "lively": (0.16, 0.11, 0.21), "far": (0.08, 0.13, 0.06)}


def swings(label: str, frames: int, columns: int, phase: float) -> np.ndarray:
    """Curves (T, columns) from -1 to 1 in three dimensions, that differ by label."""
    t = np.arange(frames)[:, None]
    curves = np.sin(phase + t * np.array(SPEEDS[label]) + np.arange(3))
    spread = np.random.default_rng(5).normal(size=(3, columns))
    return curves @ spread / np.abs(spread).sum(axis=0)


@functools.cache
def face_synth() -> rc.synthesis.Synthesizer:
    """Weights of six shapes, three labels of two clips each: "calm" and "lively" meet, "far" lies apart."""
    return rc.synthesis.load(kept("face-synth", fit_face_synth) / "synth.safetensors", rig=face())


def fit_face_synth(folder: Path) -> None:
    center = {"calm": 0.45, "lively": 0.5, "far": 0.62}
    size = {"calm": 0.25, "lively": 0.4, "far": 0.3}
    clips = {
        label: [
            rc.synthesis.Clip(center[label] + size[label] * swings(label, 96, 6, phase), name=f"{label}-{n}")
            for n, phase in enumerate((0.3, 2.0))
        ]
        for label in SPEEDS
    }
    settings = {"fps": 24.0, "dimensions": 3, "components": 4, "iterations": 60, "held_out": False, "threads": 1}
    rc.synthesis.fit(clips, rig=face(), **settings).save(folder / "synth.safetensors")


@functools.cache
def arm_synth() -> rc.synthesis.Synthesizer:
    """Channels of two joints and a dial; a joint passes 90 degrees of its middle angle."""
    return rc.synthesis.load(kept("arm-synth", fit_arm_synth) / "synth.safetensors", rig=arm())


def fit_arm_synth(folder: Path) -> None:
    clips = {
        label: [
            rc.synthesis.Clip(
                np.concatenate([100.0 * swings(label, 96, 6, phase), np.zeros((96, 1))], axis=1), name=f"{label}-{n}"
            )
            for n, phase in enumerate((0.3, 2.0))
        ]
        for label in ("calm", "lively")
    }
    settings = {"fps": 24.0, "dimensions": 3, "components": 4, "iterations": 60, "held_out": False, "threads": 1}
    rc.synthesis.fit(clips, rig=arm(), **settings).save(folder / "synth.safetensors")


def accelerations(synth: rc.synthesis.Synthesizer, controls: np.ndarray) -> np.ndarray:
    """(T - 2,) mesh acceleration of frames, in units per frame squared."""
    features = synth.mesh_features(controls)
    return np.linalg.norm(np.diff(features, 2, axis=0), axis=1)


def ground_of(space: rc.synthesis.Space, settings: _core.PlaySettings, **options: int) -> _core.Ground:
    """The ground of a label's space."""
    return _core.Ground(space.latent, [(s.begin, s.end) for s in space.segments], settings, **options)
