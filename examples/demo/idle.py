"""The demo's endless face: latent spaces of two kinds of clips, and ten seconds of idling that nobody animated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from examples.characters.face import build_face, expression_curves
from examples.demo.stored import edition, read_json, write_json
from rigcast import exports, synthesis
from rigcast._resume.fingerprints import fingerprint
from rigcast.progress import ProgressCallback

FPS = 30.0
CLIP, SECONDS = 240, 10  # frames of a clip, length of what is played
# Shapes by the beginnings of their names, and the size of their gestures.
MOODS = {
    "cheerful": {"mouthSmile": 0.8, "cheekSquint": 0.6, "browInnerUp": 0.6, "browOuterUp": 0.5, "jawOpen": 0.25},
    "doubtful": {"browDown": 0.8, "mouthFrown": 0.6, "noseSneer": 0.4, "mouthPucker": 0.4, "eyeSquint": 0.6},
}
LEAST = 0.4  # of the size, between gestures
TOGETHER = 4  # constructed clips that are laid over each other: the face never rests for long
LIDS = ("eyeBlinkLeft", "eyeBlinkRight")
SHOWN = 4  # seconds of the page, which holds all vertices


def idle_face(
    folder: Path, announce: Callable[[str], None], progress: ProgressCallback, seed: int = 0
) -> dict[str, Any]:
    """Learn how the face moves from two constructed clips, and let it idle; what is done already is re-used.

    Parameters
    ----------
    folder : Path
        Takes ``face-synthesis.safetensors``, ``face-idle.npz`` and ``face-idle.html``.
    announce : callable
        Receives one line per stage.
    progress : callable
    seed : int
        Decides the clips and the idling.

    Returns
    -------
    dict
        ``frames`` learned from, ``seconds`` played, ``labels``, ``changed`` (the second at which one mood has given way
        to the other), ``step`` and ``clip_step`` (millimeters that the mesh
        moves per frame, median, played and in the clips), ``model``, ``page``.
    """
    rig = build_face()
    clips = mood_clips(list(rig.shape_names), seed)
    key = fingerprint(edition(), SECONDS, SHOWN, rig.rest_vertices, rig.columns(), *(clip for clip in clips.values()))
    page, numbers_file, model = (
        folder / "face-idle.html",
        folder / "face-idle.json",
        folder / "face-synthesis.safetensors",
    )
    known = read_json(numbers_file)
    if known.get("key") == key and page.exists() and model.exists():
        announce("re-using the idling face")
        return dict(known["numbers"])
    announce(f"learning how the face idles: {len(clips)} clips")
    synth = synthesis.fit(
        {label: [synthesis.Clip(clip, FPS, label, "constructed")] for label, clip in clips.items()},
        fps=FPS,
        rig=rig,
        dimensions=3,
        components=12,
        held_out=False,
        seed=seed,
        progress=progress,
    )
    synth.save(model)
    played, changed = _played(synth, seed)
    exports.write_blendshape_weights(folder / "face-idle.npz", rig, played, fps=FPS)
    begin = min(round((changed - 0.5 * SHOWN) * FPS), len(played) - round(SHOWN * FPS))
    shown = played[max(begin, 0) :][: round(SHOWN * FPS)]  # one mood gives way to the other
    rc.viewer.record(rig, poses=shown, fps=FPS).save(page)
    numbers = {
        "frames": sum(map(len, clips.values())),
        "seconds": SECONDS,
        "labels": list(clips),
        "changed": changed,
        "step": _median_step(synth, played),
        "clip_step": float(np.mean([_median_step(synth, clip) for clip in clips.values()])),
        "model": str(model),
        "page": str(page),
    }
    write_json(numbers_file, {"key": key, "numbers": numbers})
    return numbers


def mood_clips(names: list[str], seed: int) -> dict[str, NDArray[np.float32]]:
    """Weights (CLIP, K) of each mood: gestures that overlap, from rest and back. Blinks are a layer."""
    place = np.linspace(0.0, np.pi, CLIP)[:, None]
    rise = np.sqrt(np.sin(place).clip(0.0))  # from rest and back to it: moods meet there
    found = {}
    for number, (mood, amounts) in enumerate(MOODS.items()):
        size = [next((amounts[part] for part in amounts if name.startswith(part)), 0.0) for name in names]
        rest = np.ones((CLIP, len(names)))
        for part in range(TOGETHER):
            rest *= 1.0 - expression_curves(names, CLIP, (seed * len(MOODS) + number) * TOGETHER + part, FPS)
        found[mood] = (rise * (1.0 - (1.0 - LEAST) * rest) * np.array(size)).astype(np.float32)
    return found


def _played(synth: synthesis.Synthesizer, seed: int) -> tuple[NDArray[np.float32], float]:
    """One mood, then the other, with blinks; and the second from which on the face is in the other.

    The way to a place where the moods meet takes a second or several.
    """
    blinks = synthesis.Blinks(controls=dict.fromkeys(LIDS, 1.0), per_minute=20)
    frames = [round(0.4 * SECONDS * FPS)]
    frames.append(round(SECONDS * FPS) - frames[0])
    player = synth.player(seed=seed, settings=rc.synthesis.PlaySettings(layers=[blinks]))
    parts = []
    for label, count in zip(synth.labels, frames, strict=True):
        player.idle(label, hold=0.2)
        parts.append(player.step(count))
    seconds = (event for event in player.events if event.kind == "second")
    changed = next((event.seconds for event in seconds if event.label == synth.labels[-1]), float(SECONDS))
    return np.concatenate(parts), changed


def _median_step(synth: synthesis.Synthesizer, weights: NDArray[np.float32]) -> float:
    """Millimeters that the mesh moves per frame."""
    steps = np.linalg.norm(np.diff(synth.mesh_features(weights), axis=0), axis=1)
    return float(1e3 * synth.meters_per_unit * np.median(steps))
