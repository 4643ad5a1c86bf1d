"""``rigcast.view``: a model in a browser window."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._rigs.rig import Rig
from rigcast._validate import Arguments, bad_argument
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import Tracks
from rigcast.ik import FaceIk
from rigcast.sampling import Dataset
from rigcast.synthesis import Synthesizer
from rigcast.viewer._live import LiveView
from rigcast.viewer._stage import Stage
from rigcast.viewer._staging import acting_stage_of, stage_of
from rigcast.viewer._stored._carried import carried
from rigcast.viewer._stored._recording import recorded
from rigcast.viewer._stored._view_page import ViewPage


def view(
    model: _core.Deformer | Rig | Dataset | Synthesizer,
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
    seed: int = 0,
    moods: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    token_file: str | os.PathLike[str] | None = None,
) -> LiveView:
    """Show a model in a browser, where any point of its skin can be dragged and the rig follows.

    Parameters
    ----------
    model : Deformer, Rig, Dataset or Synthesizer
        A data set is shown as skinning that is fitted to it, next to its recorded vertices, and its poses play. A
        synthesizer that has its rig plays without end: the page has a button for each label, and a game. The actions
        of a rig's own file can be chosen beside *Play*.
    beside : Deformer, Rig or Dataset, optional
        A figure to show next to it, which follows it: by the same poses if the controls are the same, else by channels
        of the same names; a data set shows its recorded vertices.
    poses : array_like, shape (T, C), optional
        A clip of a model; default that of a data set.
    channels : array_like, shape (T, N), optional
        A clip of a rig, or of a model, as channels in place of poses.
    fps : float, optional
        Frames per second of the clip. Default: the rate that the clips of a data set state, if they state one; else 30.
    through : Deformer, optional
        A learned model of a rig, on which drags are solved. Without it, skinning is fitted to rigs that are more than
        linear skinning.
    face_ik : FaceIk, optional
        Learned inverse kinematics of the model: its control points are shown as handles.
    pictures : sequence of (H, W, 3) uint8 arrays, optional
        What the clip was captured from, one per frame, such as :class:`rigcast.capture.Pictures`: shown in a corner.
    head : array_like, shape (T, 3, 4), optional
        Where the head is in each frame of the clip, such as ``Capture.motion``: all that is shown moves with it.
    capture : Capture, optional
        Of a blendshape rig: plays in place of ``poses``, at its rate. Frames with a key are corrections; "Fit actor"
        fits the actor's shapes to them (:func:`rigcast.capture.personalize`), and solves the shot again around them.
    points : Tracks or (T, P, D) array, optional
        What it was solved from; needed beside ``capture``.
    seed : int
        Of a synthesizer.
    moods : mapping from mood to label, optional
        Labels of a synthesizer for what its face does in the game: "waiting", "thinking", "pleased", "surprised",
        "annoyed" and "bored". Default by their names.
    host : str
        Where the server listens. Other machines reach it only if this is one of this machine's other addresses; the
        connection is not encrypted.
    port : int
        0 takes a free one.
    token_file : path-like, optional
        Keeps the token of the address, so that a view that is started again with this file and a port of its own is
        found by pages that are open. It is made, for this user alone, if there is none. Default: another token each
        time.

    Returns
    -------
    LiveView
        Its ``url`` is to be opened; a notebook on the same machine shows it as an iframe.

    Raises
    ------
    ValueError
        If something is no model, rig, data set or synthesizer with a rig, or poses, ``through``, ``face_ik`` or
        ``moods`` do not fit, the port is taken, the host is none of this machine, or others may read the token's file.
    MissingExtra
        Without ``websockets`` (extra ``viewer``).

    Examples
    --------
    >>> with rc.view(rc.faces.example()) as live:
    ...     live.url.startswith("http://127.0.0.1:")
    True
    """
    shown: dict[str, Any] = {"poses": poses, "channels": channels, "through": through, "face_ik": face_ik}
    shown |= {"pictures": pictures, "head": head, "capture": capture, "points": points}
    return LiveView(_stage_for("view", model, beside, shown, fps, seed, moods), host, port, token_file=token_file)


def record(
    model: _core.Deformer | Rig | Dataset,
    beside: _core.Deformer | Rig | Dataset | None = None,
    *,
    poses: ArrayLike | None = None,
    channels: ArrayLike | None = None,
    fps: float | None = None,
    pictures: Sequence[NDArray[np.uint8]] | None = None,
    head: ArrayLike | None = None,
    vertices: int | None = None,
) -> ViewPage:
    """Record a motion as a page that plays offline: without a server, in a notebook that is read elsewhere.

    Parameters
    ----------
    model, beside, poses, channels, fps, pictures, head
        As in :func:`view`. Without a motion the page shows the rest pose.
    vertices : int, optional
        Makes a page of some hundred kilobytes, as a notebook can store it: at most so many vertices per figure, at
        least 100 (seconds per ten thousand that go). Frames are sums of as many principal components as show each
        coordinate to a thousandth of the figure's size.

    Returns
    -------
    ViewPage
        A notebook shows it; ``save`` writes the page.

    Raises
    ------
    ValueError
        As :func:`view`, or if the page would have more than 256 MB.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> smile = np.linspace(0, 1, 12)[:, None] * [name.startswith("mouthSmile") for name in face.shape_names]
    >>> rc.viewer.record(face, poses=smile, fps=24).save("smile.html")
    """
    most = None if vertices is None else Arguments("record").whole("vertices", vertices, least=100)
    clip: dict[str, Any] = {"poses": poses, "channels": channels, "fps": fps, "pictures": pictures, "head": head}
    return recorded(stage_of(model, beside, **clip), most)


def embed(
    model: _core.Deformer | Rig | Dataset | Synthesizer,
    beside: _core.Deformer | Rig | None = None,
    *,
    poses: ArrayLike | None = None,
    channels: ArrayLike | None = None,
    fps: float | None = None,
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
    if isinstance(beside, Dataset):
        raise bad_argument("embed", "beside", "a data set", "a model or a rig")
    return carried(
        _stage_for("embed", model, beside, {"poses": poses, "channels": channels}, fps, seed, moods), storage
    )


def _stage_for(
    function: str,
    model: _core.Deformer | Rig | Dataset | Synthesizer,
    beside: _core.Deformer | Rig | Dataset | None,
    shown: Mapping[str, Any],
    fps: float | None,
    seed: int,
    moods: Mapping[str, str] | None,
) -> Stage:
    """The stage of a function's arguments, of which some are for synthesizers and others for all else."""
    if isinstance(model, Synthesizer):
        for name, value in shown.items():
            if value is not None:
                raise bad_argument(function, name, "given for a synthesizer", "None: it makes its own motion")
        return acting_stage_of(model, beside, seed=seed, moods=moods)
    for name, value in (("seed", seed or None), ("moods", moods)):
        if value is not None:
            raise bad_argument(function, name, "given for what is no synthesizer", "left out")
    return stage_of(model, beside, fps=fps, **shown)
