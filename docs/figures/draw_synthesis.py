"""Draws a latent space, a particle's way through it, and a transition: ``python docs/figures/draw_synthesis.py``."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

import rigcast as rc
from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES

FOLDER = Path(__file__).resolve().parent
DPI, COLORS = 110, 255
FPS = 24
STEP, MOVING_WIDTH = 2, 210  # of the moving picture: every second frame, in pixels
MOODS = {
    "happy": ("mouthSmile", "cheekPuff", "browOuterUp", "mouthUpperUp"),
    "cross": ("browDown", "mouthFrown", "noseSneer", "mouthPucker"),
}


def clips(face: rc.BlendshapeRig) -> dict[str, list[NDArray[np.float64]]]:
    """Two clips per mood, which begin and end at rest."""
    rng = np.random.default_rng(1)
    frames = np.arange(120)[:, None]
    rise = np.sqrt(np.sin(np.pi * frames / 119).clip(0.0))
    found: dict[str, list[NDArray[np.float64]]] = {}
    for mood, shapes in MOODS.items():
        used = np.array([name.startswith(shapes) for name in face.shape_names])
        speed, phase = rng.uniform(0.2, 0.5, (2, len(used))), rng.uniform(0.0, 6.0, (2, len(used)))
        swing = [0.5 + 0.5 * np.sin(2 * np.pi * frames / FPS * s + p) for s, p in zip(speed, phase, strict=True)]
        found[mood] = [used * rise * own for own in swing]
    return found


def latent_space(axis: Axes, synth: rc.synthesis.Synthesizer, label: str) -> None:
    """Predictive variance in the plane of the widest directions, the clips, and twelve seconds of idling."""
    space = synth.space(label)
    center = space.points.mean(axis=0)
    rows = np.linalg.svd(space.points - center, full_matrices=False)[2][:2]
    flat = (space.points - center) @ rows.T
    reach = 1.25 * np.abs(flat).max(axis=0)
    across, up = (np.linspace(-r, r, 120) for r in reach)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    variance = space.latent.predictive_variance(center + grid @ rows).reshape(120, 120) / space.latent.variance
    extent = (-reach[0], reach[0], -reach[1], reach[1])
    picture = axis.imshow(variance, extent=extent, origin="lower", cmap="Greys", vmin=0.0, vmax=1.5)
    for segment, color in zip(space.segments, (SERIES[1], SERIES[5]), strict=False):
        axis.plot(*flat[segment.begin : segment.end].T, color=color, linewidth=1.6)
    player = synth.player(seed=5, label=label)
    player.idle(label, hold=0.3)
    trace, _ = space.closest(player.step(6 * FPS))
    axis.plot(*((trace - center) @ rows.T).T, color=ACCENT, linewidth=1.1)
    axis.set(xticks=[], yticks=[], title=f"{label}: two clips, and six seconds of idling", aspect="auto")
    axis.figure.colorbar(picture, ax=axis, label="predictive variance, share of the prior's", extend="max")


def transition(axis: Axes, synth: rc.synthesis.Synthesizer) -> None:
    """Motion of the mesh around a change of labels, joined in both ways, and without any."""
    millimeters = 1e3 * synth.meters_per_unit
    first, second = synth.labels
    for way, color in (("blend", SERIES[1]), ("inertialize", ACCENT)):
        player = synth.player(seed=2, label=first, settings=rc.synthesis.PlaySettings(transitions=way))
        player.idle(first, hold=0.3)
        before = player.step(3 * FPS)
        player.idle(second, hold=0.3)
        features = synth.mesh_features(np.concatenate([before, player.step(4 * FPS)]))
        speed = millimeters * np.linalg.norm(np.diff(features, axis=0), axis=1)
        axis.plot(np.arange(len(speed)) / FPS - 3.0, speed, color=color, label=way)
    steps = [
        np.linalg.norm(np.diff(synth.mesh_features(space.frames[s.begin : s.end]), axis=0), axis=1)
        for space in synth.spaces.values()
        for s in space.segments
    ]
    axis.axhline(
        millimeters * np.percentile(np.concatenate(steps), 99),
        color=QUIET,
        linestyle="--",
        linewidth=0.8,
        label="99 % of the clips' steps",
    )
    axis.axvline(0.0, color=INK, linewidth=0.6)
    axis.set(xlabel=f"seconds after idle({second!r})", ylabel="mm per frame (RMS)", ylim=(0.0, None))
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, loc="upper right", bbox_to_anchor=(1.0, 0.93))


def save(name: str, content: bytes | NDArray[np.uint8]) -> None:
    """A small PNG."""
    image = Image.open(io.BytesIO(content)) if isinstance(content, bytes) else Image.fromarray(content)
    image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)


def main() -> None:
    """Write synthesis.png, synthesis_face.png and synthesis_moving.webp."""
    face = rc.faces.example()
    synth = rc.synthesis.fit(clips(face), rig=face, dimensions=3, components=6)
    figure = Figure(figsize=(9.6, 3.4), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.1])
    latent_space(left, synth, "happy")
    transition(right, synth)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=DPI)
    save("synthesis.png", buffer.getvalue())

    player = synth.player(seed=2)
    frames = []
    for label in ("happy", "cross", "happy"):
        player.idle(label, hold=0.3)
        frames.append(player.step(3 * FPS)[11::12])
    titles = [f"{0.5 * n:g} s" for n in range(1, 19)]
    sheet = rc.plot.contact_sheet(face, np.concatenate(frames), titles, columns=9, width=110)
    save("synthesis_face.png", np.asarray(sheet, np.uint8)[..., :3])
    moving(face, synth)


def moving(face: rc.BlendshapeRig, synth: rc.synthesis.Synthesizer) -> None:
    """Two moods as one WebP that repeats; titles say what the face was told."""
    player = synth.player(seed=2)
    titles, frames = [], []
    for label in ("happy", "cross"):
        player.idle(label, hold=0.3)
        frames.append(player.step(4 * FPS)[::STEP])
        titles += [f"told to be {label}"] * len(frames[-1])
    sheet = rc.plot.contact_sheet(face, np.concatenate(frames), titles, columns=1, width=MOVING_WIDTH).pixels
    height = len(sheet) // len(titles)
    first, *others = [Image.fromarray(np.asarray(sheet[t * height :][:height, :, :3])) for t in range(len(titles))]
    path = FOLDER / "synthesis_moving.webp"
    first.save(path, save_all=True, append_images=others, duration=1000 * STEP // FPS, loop=0, quality=55, method=4)


if __name__ == "__main__":
    main()
