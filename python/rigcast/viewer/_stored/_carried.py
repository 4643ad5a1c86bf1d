"""A page that carries its model, and the engine in WebAssembly: it poses, drags and plays without a server."""

from __future__ import annotations

import tempfile
import zlib
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._validate import bad_argument, shown
from rigcast.errors import ArgumentError
from rigcast.viewer._acting._take import Take, columns_of
from rigcast.viewer._drawing._scene import scene_message
from rigcast.viewer._figures._figure import State, mirror_signs
from rigcast.viewer._figures._model import ModelFigure, RecordedFigure
from rigcast.viewer._playing._timeline import Timeline
from rigcast.viewer._stage import Stage
from rigcast.viewer._stored._numbers import CodedFile, as_it_is, coded
from rigcast.viewer._stored._view_page import LARGEST, ViewPage, base64_of, whole_page
from rigcast.viewer._wire import packed

ROUNDING = 0.001  # millimeters below which the storage's error is not told in figures
STORAGES = ("16-bit", "int8", "float32")
JUDGED, MOST_SHARE = 64, 0.7  # poses that judge a storage, and the share of the channels' ranges that they take
ENGINE = ("drag.js", "engine.js", "host.js", "player.js", "rigcast.js", "surface.js")
SMALL, WHOLE = "page.wasm", "rigcast.wasm"
WEB = resources.files("rigcast") / "web"


def carried(stage: Stage, storage: str = "16-bit") -> ViewPage:
    """The page of a stage, as :func:`rigcast.viewer.embed` describes it.

    Raises
    ------
    ValueError
        If the storage is unknown, a rig has no model, or the page would have more than 256 MB.
    FileNotFoundError
        If this installation has no WebAssembly module.
    """
    if storage not in STORAGES:
        raise bad_argument("embed", "storage", shown(storage), ", ".join(STORAGES))
    timeline = stage.timeline
    acting = timeline if isinstance(timeline, Take) else None
    wasm = _module(SMALL if acting is None else WHOLE)  # before the work: it may not be there
    rows = None if acting is not None or timeline.rows is None else np.asarray(timeline.rows, np.float32)
    page = _Carried(storage)
    figures = [page.figure(stage.figure, rows, None if rows is None else timeline.poses)]
    if stage.beside is not None and not isinstance(stage.beside, RecordedFigure):
        figures.append(page.figure(stage.beside, None, None))
    page.notes += _left_out(stage)
    header: dict[str, Any] = {
        "mirror": mirror_signs(figures[0]),
        "samePoses": len(figures) == 2 and figures[1].model.control_names == figures[0].model.control_names,
        "clip": None if rows is None else page.clip(timeline, rows, len(figures[0].sliders)),
        "synthesizer": None if acting is None else page.synthesizer(acting, figures[0]),
    }
    more: dict[str, Any] = {**stage.scene_facts(), "exports": [], "movie": False, "clips": [], "bones": False}
    scene = np.frombuffer(scene_message(figures, False, more), np.uint8)
    return page.page(header, scene, np.frombuffer(wasm, np.uint8))


def _left_out(stage: Stage) -> list[str]:
    """Lines about all that a stage shows and a page does not."""
    timeline = stage.timeline
    found = {
        "recorded vertices do not stand beside it": isinstance(stage.beside, RecordedFigure),
        "the head of the motion stays still": timeline.head is not None,
        "pictures of the motion are not shown": timeline.pictures is not None,
        "keys are not kept": bool(timeline.keys),
        "other clips of the file are not": len(stage.transport.clips) > (not timeline.is_empty),
    }
    return [f"{what} in a page" for what, is_there in found.items() if is_there]


@dataclass(eq=False)
class _Carried:
    """Models, rows and notes of a page, as they are gathered."""

    storage: str
    facts: list[dict[str, Any]] = field(default_factory=list)
    models: list[NDArray[np.uint8]] = field(default_factory=list)
    arrays: list[NDArray[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def figure(self, shown_one: Any, rows: NDArray[np.float32] | None, poses: Any) -> ModelFigure:
        """The figure that the page shows for one of a stage."""
        opened: Any = shown_one
        if not isinstance(opened, ModelFigure):
            model, note = opened.drag_model()
            names = [slider.name for slider in opened.sliders]
            if [slider.name for slider in ModelFigure(model).sliders][: len(names)] != names:
                raise bad_argument("embed", "model", "a rig whose controls no model has", "a learned model of it")
            self.notes.append(note or f"{opened.name} is shown as the skinning that drags are solved on")
            opened = ModelFigure(model, opened.name)
        stored, file, note = self._stored(opened, rows, poses)
        self.notes += [note] if note else []
        figure = ModelFigure(stored, opened.name)
        facts: dict[str, Any] = {"name": figure.name, "bytes": len(file.packed), "matrices": file.matrices}
        self.facts.append(facts | {"sliders": [vars(slider) for slider in figure.sliders], "posing": figure.posing})
        self.models.append(file.packed)
        return figure

    def clip(self, timeline: Timeline, rows: NDArray[np.float32], width: int) -> dict[str, Any]:
        """The shape of a clip, whose rows are as wide as the figure has sliders: the last ones say where it stands."""
        rows = np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
        poses = None if timeline.poses is None else np.asarray(timeline.poses, np.float32)
        self.arrays += [rows, *([] if poses is None else [poses])]
        return {"rows": list(rows.shape), "poses": None if poses is None else list(poses.shape), "fps": timeline.fps}

    def synthesizer(self, take: Take, figure: ModelFigure) -> dict[str, Any]:
        """The facts of what plays: the slider of each control, and the seed."""
        content = _file_of(take.synth)
        self.arrays.append(content)
        columns = columns_of(take.synth.control_names, [slider.name for slider in figure.sliders])
        assert columns is not None  # the stage has refused all others
        return {"bytes": len(content), "columns": columns.tolist(), "seed": take.seed}

    def _stored(
        self, figure: ModelFigure, rows: NDArray[np.float32] | None, poses: Any
    ) -> tuple[_core.Deformer, CodedFile, str]:
        """The model in the page's storage, its file, and a line about its error; as it is where it has no matrices."""
        model: Any = figure.model
        if self.storage == "float32":
            return model, as_it_is(_file_of(model)), ""
        judged = _judging(figure, rows, poses)
        stored, why = _in_storage(model, self.storage, judged)
        about = stored.metadata
        file = coded(_file_of(stored), about.get("int8_tensors", ()), about.get("float32_tensors", ()))
        if not file.matrices:
            asked = f"{figure.name} has its numbers in float32, not in int8: it has no large matrices"
            return model, as_it_is(_file_of(model)), asked if self.storage == "int8" else ""
        stored = _opened(file.restored)
        apart = np.linalg.norm(stored.evaluate(judged).astype(np.float64) - model.evaluate(judged), axis=2)
        unit = 1e3 * figure.meters_per_unit
        has_int8 = any(bytes_each == 1 for *_, bytes_each, _ in file.matrices)
        what = f"{figure.name} has its numbers in {'int8' if has_int8 else '16 bits'}{why}"
        mean, most = unit * apart.mean(), unit * apart.max()
        found = f"{mean:.2g} mm from the model on average, {most:.2g} mm at most"
        if most < ROUNDING:
            found = f"less than {ROUNDING:g} mm from the model"
        return stored, file, f"{what}: {found}, over {len(judged)} poses"

    def page(self, header: dict[str, Any], scene: NDArray[np.uint8], wasm: NDArray[np.uint8]) -> ViewPage:
        """The page, if it is not too large."""
        header |= {"figures": self.facts, "scene": len(scene), "wasm": len(wasm), "notice": "; ".join(self.notes)}
        content = base64_of(zlib.compress(packed(header, [scene, wasm, *self.models, *self.arrays]), 9))
        if len(content) > LARGEST:
            got = f"a model for a page of {len(content) / 2**20:.0f} MB"
            raise bad_argument("embed", "model", got, f"one for at most {LARGEST // 2**20} MB")
        data = f'<script type="text/plain" id="carried">{content}</script>'
        own = [
            file for file in (resources.files("rigcast.viewer._stored") / "page").iterdir() if file.name.endswith(".js")
        ]
        modules = {file.name: file.read_text(encoding="utf-8") for file in (*own, *(WEB / name for name in ENGINE))}
        return ViewPage(whole_page("boot.js", data, dict(sorted(modules.items()))), self.notes)


def _in_storage(model: Any, storage: str, judged: NDArray[np.float32]) -> tuple[Any, str]:
    """The model as its kind stores it, and why that is not in int8, if it was asked for."""
    if not hasattr(model, "stored"):
        return model, ", not in int8, which its kind has not" if storage == "int8" else ""
    if storage == "int8":
        try:
            return model.stored(storage, judged), ""
        except TypeError:
            return model.stored("16-bit"), ", not in int8, which its kind has not"
        except ArgumentError as error:
            return model.stored("16-bit"), f", not in int8 ({error})"
    return model.stored(storage), ""


def _judging(figure: ModelFigure, rows: NDArray[np.float32] | None, poses: Any) -> NDArray[np.float32]:
    """At most 64 poses: of the clip, or at random."""
    if poses is not None:
        return np.asarray(poses[_spread(len(poses))], np.float32)
    if rows is None or rows.shape[1] != len(figure.sliders):
        random = np.random.default_rng(0)
        low, rest, high = (np.array([getattr(s, name) for s in figure.sliders]) for name in ("low", "rest", "high"))
        drawn = random.uniform(low, high, (JUDGED, len(low)))
        rows = (rest + MOST_SHARE * (drawn - rest)).astype(np.float32)
    return np.stack([figure.pose(State(row)) for row in rows[_spread(len(rows))]])


def _spread(count: int) -> NDArray[np.int64]:
    """At most 64 of so many, from the first to the last."""
    return np.linspace(0, count - 1, min(count, JUDGED)).astype(np.int64)


def _module(name: str) -> bytes:
    """The engine in WebAssembly."""
    file = WEB / name
    if not file.is_file():
        raise FileNotFoundError(
            f"this installation of rigcast has no {name}: a wheel has it; ./run web builds it in a checkout (Debian: "
            "emscripten)"
        )
    return file.read_bytes()


def _opened(file: NDArray[np.uint8]) -> Any:
    """The model of a file's bytes."""
    with tempfile.TemporaryDirectory(prefix="rigcast-embed-") as folder:
        (Path(folder) / "model.safetensors").write_bytes(file.tobytes())
        return _core.load(Path(folder) / "model.safetensors")


def _file_of(model: Any) -> NDArray[np.uint8]:
    """The bytes of a model's file."""
    with tempfile.TemporaryDirectory(prefix="rigcast-embed-") as folder:
        model.save(Path(folder) / "model.safetensors")
        return np.frombuffer((Path(folder) / "model.safetensors").read_bytes(), np.uint8)
