"""A page that carries its model, and the engine in WebAssembly: it poses, drags and plays without a server."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument, shown
from rigcast.errors import ArgumentError
from rigcast.sampling import Dataset
from rigcast.synthesis import Synthesizer
from rigcast.viewer._figures._figure import mirror_signs
from rigcast.viewer._figures._model import ModelFigure, Placed
from rigcast.viewer._figures._opening import figure_of
from rigcast.viewer._figures._posing import ByChannels
from rigcast.viewer._scene import scene_message
from rigcast.viewer._stored._view_page import LARGEST, ViewPage, base64_of, whole_page
from rigcast.viewer._view import acting_stage_of, stage_of
from rigcast.viewer._wire import packed

STORAGES = ("16-bit", "int8", "float32")
JUDGED, MOST_SHARE = 64, 0.7  # poses that judge a storage, and the share of the channels' ranges that they take
MODULES = (
    "boot.js", "clock.js", "drag.js", "engine.js", "host.js", "pins.js", "player.js", "posing.js", "rigcast.js",
    "stage.js", "surface.js",
)  # fmt: skip
SMALL, WHOLE = "page.wasm", "rigcast.wasm"


def embed(
    model: _core.Deformer | Rig | Dataset | Synthesizer,
    beside: _core.Deformer | Rig | None = None,
    *,
    poses: ArrayLike | None = None,
    channels: ArrayLike | None = None,
    fps: float = 24.0,
    storage: str = "16-bit",
    seed: int = 0,
    moods: Mapping[str, str] | None = None,
) -> ViewPage:
    """Make a page that carries a model: drags, sliders, timeline and colors work offline, wherever HTML is shown.

    The page is the view's, with the engine as WebAssembly in place of the server. Beside the model it has some 600
    kilobytes. What needs the program is not there: handles, exports to other programs, movies.

    Parameters
    ----------
    model : Deformer, Rig, Dataset or Synthesizer
        A rig and a data set are shown as the skinning that the view drags them by; a synthesizer, with its rig, plays
        without end.
    beside : Deformer or Rig, optional
        A figure that follows, by the same poses if its controls are the same, else by channels of the same names.
    poses, channels, fps
        A clip, as for :func:`rigcast.view`.
    storage : {"16-bit", "int8", "float32"}
        Of the numbers of learned models. The notes of the page state the error that this adds, over the clip, or over
        poses drawn at random from the channels' ranges.
    seed, moods
        Of a synthesizer, as for :func:`rigcast.view`.

    Returns
    -------
    ViewPage

    Raises
    ------
    ValueError
        As :func:`rigcast.view`, or if the page would have more than 256 MB.
    FileNotFoundError
        If this installation has no WebAssembly module.

    Examples
    --------
    >>> page = rc.viewer.embed(rc.faces.example())
    >>> page.save("face.html")
    """
    if storage not in STORAGES:
        raise bad_argument("embed", "storage", shown(storage), ", ".join(STORAGES))
    acting = model if isinstance(model, Synthesizer) else None
    carried = _Carried(storage)
    if acting is not None:
        stage: Any = acting_stage_of(acting, None, seed=seed, moods=moods)
        subject: Any = acting.rig
    else:
        stage = stage_of(model, None, poses=poses, channels=channels, fps=fps)  # type: ignore[arg-type]
        subject = model
    rows = None if acting is not None or stage.timeline.rows is None else np.asarray(stage.timeline.rows, np.float32)
    clip_poses = None if rows is None else stage.timeline.poses
    figures = [carried.figure(subject, rows, clip_poses)]
    if beside is not None:
        figures.append(carried.figure(beside, rows, None))
    header: dict[str, Any] = {
        "mirror": mirror_signs(figures[0]),
        "samePoses": len(figures) == 2 and figures[1].model.control_names == figures[0].model.control_names,
        "clip": None,
        "synthesizer": None,
    }
    if rows is not None:
        shape = None if clip_poses is None else list(clip_poses.shape)
        header["clip"] = {"rows": list(rows.shape), "poses": shape, "fps": stage.timeline.fps}
        carried.arrays += [rows, *([] if clip_poses is None else [np.asarray(clip_poses, np.float32)])]
    more: dict[str, Any] = {"labels": [], "moods": {}, "exports": [], "movie": False}
    if acting is not None:
        names = [slider.name for slider in figures[0].sliders]
        columns = [names.index(name) for name in acting.control_names]
        content = _file_of(acting)
        header["synthesizer"] = {"bytes": len(content), "columns": columns, "seed": seed}
        carried.arrays.append(content)
        more |= {"labels": stage.labels, "moods": stage.moods}
    scene = np.frombuffer(scene_message(figures, False, more), np.uint8)
    return carried.page(header, scene, WHOLE if acting is not None else SMALL)


@dataclass(eq=False)
class _Carried:
    """Models, rows and notes of a page, as they are gathered."""

    storage: str
    facts: list[dict[str, Any]] = field(default_factory=list)
    models: list[NDArray[np.uint8]] = field(default_factory=list)
    arrays: list[NDArray[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def figure(self, subject: Any, rows: NDArray[np.float32] | None, poses: Any) -> ModelFigure:
        """The figure of a subject, whose model the page carries."""
        opened: Any = figure_of(subject)
        if not isinstance(opened, ModelFigure):
            model, note = opened.drag_model()
            if len(figure_of(model).sliders) != len(opened.sliders):
                raise bad_argument("embed", "model", "a rig whose controls no model has", "a learned model of it")
            self.notes.append(note or f"{opened.name} is shown as the skinning that drags are solved on")
            opened = ModelFigure(model, opened.name)
        stored, note = self._stored(opened, rows, poses)
        self.notes += [note] if note else []
        figure = ModelFigure(stored, opened.name)
        content = _file_of(stored)
        posing: Any = figure._posing
        inner = posing._inner if isinstance(posing, Placed) else posing
        self.facts.append(
            {
                "name": figure.name,
                "bytes": len(content),
                "sliders": [vars(slider) for slider in figure.sliders],
                "posing": {
                    "kind": "channels" if isinstance(inner, ByChannels) else "joints",
                    "roots": posing._roots if isinstance(posing, Placed) else [],
                },
            }
        )
        self.models.append(content)
        return figure

    def _stored(self, figure: ModelFigure, rows: NDArray[np.float32] | None, poses: Any) -> tuple[_core.Deformer, str]:
        """The model in the page's storage, and a line about its error; as it is where it has no other storage."""
        model: Any = figure.model
        if self.storage == "float32" or not hasattr(model, "stored"):
            return model, ""
        judged = _judging(figure, rows, poses)
        try:
            stored = model.stored(self.storage, judged) if self.storage == "int8" else model.stored(self.storage)
        except (TypeError, ArgumentError):  # a kind without int8, a model that does not state its error
            stored = model.stored("16-bit")
        apart = np.linalg.norm(stored.evaluate(judged).astype(np.float64) - model.evaluate(judged), axis=2)
        unit = 1e3 * figure.meters_per_unit
        what = f"{figure.name} has its numbers in {'int8' if 'int8' in stored.storage else '16 bits'}"
        return stored, (
            f"{what}: {unit * apart.mean():.2g} mm from the model on average, {unit * apart.max():.2g} mm at most, "
            f"over {len(judged)} poses"
        )

    def page(self, header: dict[str, Any], scene: NDArray[np.uint8], module: str) -> ViewPage:
        """The page, if it is not too large."""
        wasm = np.frombuffer(_module(module), np.uint8)
        header |= {"figures": self.facts, "scene": len(scene), "wasm": len(wasm), "notice": "; ".join(self.notes)}
        content = base64_of(zlib.compress(packed(header, [scene, wasm, *self.models, *self.arrays]), 9))
        if len(content) > LARGEST:
            got = f"a model for a page of {len(content) / 2**20:.0f} MB"
            raise bad_argument("embed", "model", got, f"one for at most {LARGEST // 2**20} MB")
        data = f'<script type="text/plain" id="carried">{content}</script>'
        return ViewPage(whole_page("boot.js", data, MODULES), self.notes)


def _judging(figure: ModelFigure, rows: NDArray[np.float32] | None, poses: Any) -> NDArray[np.float32]:
    """At most 64 poses: of the clip, or at random."""
    if poses is not None:
        return np.asarray(poses[:: max(1, len(poses) // JUDGED)][:JUDGED], np.float32)
    if rows is None or rows.shape[1] != len(figure.sliders):
        random = np.random.default_rng(0)
        low, rest, high = (np.array([getattr(s, name) for s in figure.sliders]) for name in ("low", "rest", "high"))
        drawn = random.uniform(low, high, (JUDGED, len(low)))
        rows = (rest + MOST_SHARE * (drawn - rest)).astype(np.float32)
    chosen = rows[:: max(1, len(rows) // JUDGED)][:JUDGED]
    return np.stack([figure._posing.pose(row) for row in chosen])


def _module(name: str) -> bytes:
    """The engine in WebAssembly."""
    file = resources.files("rigcast") / "web" / name
    if not file.is_file():
        raise FileNotFoundError(
            f"this installation of rigcast has no {name}: a wheel has it; ./run web builds it in a checkout (Debian: "
            "emscripten)"
        )
    return file.read_bytes()


def _file_of(model: Any) -> NDArray[np.uint8]:
    """The bytes of a model's file."""
    with tempfile.TemporaryDirectory(prefix="rigcast-embed-") as folder:
        model.save(Path(folder) / "model.safetensors")
        return np.frombuffer((Path(folder) / "model.safetensors").read_bytes(), np.uint8)
