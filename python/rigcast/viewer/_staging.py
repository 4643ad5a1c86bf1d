"""Stages of views: figures, clips, handles and looks of what a caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._formats.gltf.materials import SurfaceMaterial
from rigcast._rigs.rig import Rig
from rigcast._validate import FPS, Arguments, bad_argument
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import Tracks, checked_tracks
from rigcast.ik import FaceIk
from rigcast.sampling import Dataset
from rigcast.synthesis import Synthesizer
from rigcast.viewer._acting._stage import ActingStage
from rigcast.viewer._correcting import CorrectingStage, KeyedShot
from rigcast.viewer._drawing._looks import look_of
from rigcast.viewer._figures._head import PlayedHead
from rigcast.viewer._figures._model import ModelFigure, RecordedFigure
from rigcast.viewer._figures._opening import figure_of
from rigcast.viewer._figures._rig import RigFigure
from rigcast.viewer._handles import HandleSet
from rigcast.viewer._handles._control_points import ControlPoints
from rigcast.viewer._handles._limbs import limb_handles
from rigcast.viewer._playing._clips import NO_CLIP, Clip, ClipList, ReadClip, clips_of
from rigcast.viewer._playing._timeline import Timeline
from rigcast.viewer._stage import Stage


def acting_stage_of(
    synth: Synthesizer,
    beside: _core.Deformer | Rig | Dataset | None = None,
    *,
    seed: int = 0,
    moods: Mapping[str, str] | None = None,
) -> ActingStage:
    """The stage of a view of a synthesizer, as :func:`view` describes it."""
    if isinstance(beside, Dataset):
        raise bad_argument("view", "beside", "a data set", "a model or a rig, which can follow a synthesizer")
    return ActingStage(synth, None if beside is None else figure_of(beside), seed=seed, moods=moods)


def stage_of(
    model: _core.Deformer | Rig | Dataset,
    beside: _core.Deformer | Rig | Dataset | None = None,
    *,
    poses: ArrayLike | None = None,
    channels: ArrayLike | None = None,
    fps: float | None = None,
    through: _core.Deformer | None = None,
    face_ik: FaceIk | None = None,
    pictures: Sequence[NDArray[np.uint8]] | None = None,
    head: ArrayLike | None = None,
    capture: Capture | None = None,
    points: Tracks | ArrayLike | None = None,
    clips: Mapping[str, ReadClip] | None = None,
    clip: str = "motion",
    materials: Mapping[str, SurfaceMaterial] | None = None,
) -> Stage:
    """The stage of a view, as :func:`view` describes it.

    ``clips`` are what its page can choose from, those of a rig's file by default; ``clip`` is the name of what was
    given as poses or channels. ``materials`` are those of the file of a model that does not know it.
    """
    shot = _shot(model, capture, points, poses, channels, pictures)
    if shot is not None:
        poses, fps = shot.found.weights, shot.found.fps
    rate = Arguments("view").rate("fps", _rate_of(model, beside) if fps is None else fps)
    figure = figure_of(model, through=through)
    if isinstance(model, Dataset):
        beside = model if beside is None else beside
        poses = model.poses if poses is None else poses
    other: ModelFigure | RigFigure | RecordedFigure | None = None
    if isinstance(beside, Dataset):
        other = RecordedFigure(beside)
        poses = beside.poses if poses is None else poses
    elif beside is not None:
        other = figure_of(beside)
    notes = _dress([(figure, model, materials), (other, beside, None)])
    handles: list[HandleSet] = [limbs] if (limbs := limb_handles(figure)) is not None else []
    if face_ik is not None:
        handles.append(ControlPoints(figure, face_ik))
    timeline = _timeline(figure, poses, channels, rate)
    for name, value in (("pictures", pictures), ("head", head)):
        if value is not None and timeline.rows is None:
            raise bad_argument("view", name, "given without a clip", "beside poses or channels")
    timeline.head = None if head is None else PlayedHead(head, timeline.frames)
    if pictures is not None:
        if len(pictures) != timeline.frames:
            raise bad_argument("view", "pictures", f"{len(pictures)} of them", f"{timeline.frames}, one per frame")
        timeline.pictures = pictures
    if shot is not None and isinstance(figure, ModelFigure):
        return CorrectingStage(figure, other, timeline, handles, shot)
    known = clips_of(model) if clips is None else clips
    stage = Stage(figure, other, timeline, handles, _clips(figure, timeline, known, clip, rate))
    stage.notice = "; ".join(notes)
    return stage


def _dress(figures: Sequence[tuple[Any, Any, Mapping[str, SurfaceMaterial] | None]]) -> list[str]:
    """Give figures the look of the materials of what they show; lines on what of it is left out."""
    notes = []
    for figure, subject, materials in figures:
        if figure is not None:
            figure.look, left_out = look_of(subject, figure, materials)
            notes += left_out
    return notes


def _clips(
    figure: ModelFigure | RigFigure, timeline: Timeline, known: Mapping[str, ReadClip], name: str, fps: float
) -> ClipList:
    """The clips that a page can choose from, beside what plays."""

    def made(clip: Clip) -> Timeline:
        timeline = _timeline(figure, clip.poses, clip.channels, clip.fps)
        timeline.head = None if clip.head is None else PlayedHead(clip.head, timeline.frames)
        return timeline

    if timeline.rows is None:
        return ClipList(made, known, {NO_CLIP: timeline})
    return ClipList(made, known, {name: timeline, NO_CLIP: _timeline(figure, None, None, fps)})


def _rate_of(*shown: object) -> float:
    """Frames per second of the data set that plays, if all of its clips state one rate; else the default."""
    recorded = [one for one in shown if isinstance(one, Dataset)][:1]
    rates = {clip.fps for one in recorded for clip in one.clips if clip.fps is not None}
    return rates.pop() if len(rates) == 1 else FPS


def _shot(
    model: Any,
    capture: Capture | None,
    points: Tracks | ArrayLike | None,
    poses: ArrayLike | None,
    channels: ArrayLike | None,
    pictures: Sequence[NDArray[np.uint8]] | None,
) -> KeyedShot | None:
    """The captured shot of a view; None if it has none."""
    if capture is None and points is None:
        return None
    if capture is None or points is None:
        missing, other = ("capture", "points") if capture is None else ("points", "capture")
        raise bad_argument("view", missing, f"None beside {other}", "given")
    if not isinstance(model, _core.BlendshapeRig) or model.num_shapes != capture.weights.shape[1]:
        raise bad_argument("view", "capture", "of another rig than the model", "solved on the model, a blendshape rig")
    if poses is not None or channels is not None:
        raise bad_argument("view", "capture", "given beside a clip", "given alone: it plays")
    tracks = points if isinstance(points, Tracks) else checked_tracks("view", points, None, capture.fps, None)
    return KeyedShot(model, capture, tracks, pictures)


def _timeline(
    figure: ModelFigure | RigFigure, poses: ArrayLike | None, channels: ArrayLike | None, fps: float
) -> Timeline:
    rest = np.array([slider.rest for slider in figure.sliders], np.float32)
    if poses is None and channels is None:
        return Timeline(rest, fps=fps)
    if channels is not None:
        if poses is not None:
            raise bad_argument("view", "channels", "given beside poses", "None, or poses be None")
        width = len(rest)
        if figure.moves_whole and np.shape(channels)[-1:] == (width - 3,):
            width -= 3  # the model's own channels, without where it stands
        rows = Arguments("view", N=width).numbers("channels", channels, "T+ N", dtype=np.float32)
        return Timeline(rest, np.pad(rows, ((0, 0), (0, len(rest) - width))), None, fps)
    if not isinstance(figure, ModelFigure):
        raise bad_argument("view", "poses", "given for a rig", "None: a rig plays channels")
    check = Arguments("view", C=len(figure.model.control_names))
    clip: NDArray[np.float32] = check.numbers("poses", poses, "T+ C", dtype=np.float32)  # type: ignore[arg-type]
    return Timeline(rest, figure.rows(clip), clip, fps)
