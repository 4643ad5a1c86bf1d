"""Arguments of ``solve``, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments
from rigcast.capture._detectors import DETECTORS, Detector, of_count
from rigcast.capture._places import Places, places_of_vertices
from rigcast.capture._still import at_rest, still_shapes
from rigcast.capture._tracks import CaptureSettings, Tracks, checked_tracks

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class CaptureRequest:
    """Arguments of ``solve``, checked."""

    rig: BlendshapeRig
    tracks: Tracks
    layout: Detector | None
    places: Places | None
    neutral: int | Float64 | None
    focal: float | None
    strength: Float64
    fixed: Float64
    prior_target: Float64
    prior_strength: Float64
    settings: CaptureSettings
    still: NDArray[np.int64]  # columns of shapes


def given_tracks(points: Any, certainty: Any, size: Any, fps: float) -> Tracks:
    """The tracks of a call."""
    if not isinstance(points, Tracks):
        return checked_tracks("solve", points, certainty, fps, size)
    certain = points.certainty if certainty is None else certainty
    return checked_tracks("solve", points.points, certain, points.fps, size or points.size, points.notes)


def checked_request(
    rig: BlendshapeRig,
    tracks: Tracks,
    landmarks: Any,
    detector: str | None,
    neutral: Any,
    focal: float | None,
    strength: Any,
    fixed: Any,
    priors: Any,
    settings: CaptureSettings,
) -> CaptureRequest:
    """Check all other arguments against the tracks.

    Raises
    ------
    ValueError
    """
    frames, count, axes = tracks.points.shape
    check = Arguments("solve", T=frames, P=count, K=rig.num_shapes)
    if detector is not None and detector not in DETECTORS:
        raise check.wrong("detector", repr(detector), f"one of {', '.join(DETECTORS)}")
    layout = of_count(count) if detector is None else DETECTORS[detector]
    if detector is not None and layout is not None and count not in layout.counts:
        raise check.wrong("points", f"{count} points", f"{' or '.join(map(str, layout.counts))} points of {detector}")
    places = landmarks if isinstance(landmarks, Places) or landmarks is None else None
    if landmarks is not None and places is None:
        places = places_of_vertices("solve", landmarks, rig)
    if places is not None and len(places.vertices) != count:
        raise check.wrong("landmarks", f"of {len(places.vertices)} points", f"of the {count} that the shot has")
    if places is None and layout is None:
        known = ", ".join(f"{d.name} ({' or '.join(map(str, d.counts))})" for d in DETECTORS.values())
        raise check.wrong("points", f"{count} points", f"those of {known}, or go with `landmarks`")
    rest: int | Float64 | None = None
    if isinstance(neutral, int | np.integer):
        rest = check.whole("neutral", neutral, most=frames - 1)
    elif neutral is not None:
        rest = check.numbers("neutral", neutral, f"P {axes}", finite=False)
    target, pull = (0.0, 0.0) if priors is None else priors
    shape = (frames, rig.num_shapes)
    strengths = np.ones(rig.num_shapes) if strength is None else check.numbers("strength", strength, "K")
    if strengths.min(initial=1.0) <= 0.0:
        raise check.wrong("strength", f"{strengths.min():g} for one shape", "above 0")
    pins = np.full(shape, np.nan) if fixed is None else check.numbers("fixed", fixed, "K", "T K", missing=True)
    pins = np.broadcast_to(pins, shape)
    still = still_shapes(rig, settings.still)
    if ((pins < rig.bounds[:, 0]) | (pins > rig.bounds[:, 1])).any():
        raise check.wrong("fixed", "outside the bounds of the rig somewhere", "inside them")
    both = [np.broadcast_to(check.numbers("priors", value, "", "K", "T K"), shape).copy() for value in (target, pull)]
    focal = None if focal is None else check.number("focal", focal, above=0.0)
    return CaptureRequest(
        rig,
        tracks,
        layout,
        places,
        rest,
        focal,
        strengths,
        at_rest(rig, pins, still),
        both[0],
        both[1],
        settings,
        still,
    )
