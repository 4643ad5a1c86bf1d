"""Vertices of a model over a motion, evaluated when they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument


@one_line
class Playback:
    """The vertices (T, V, 3) of a model over poses, evaluated as they are sliced.

    :func:`rigcast.exports.write_vertices` reads it a few frames at a time, so that no motion is too long for memory.

    Parameters
    ----------
    model : Deformer
    poses : array_like, shape (T, C)
        Pose rows, T at least 1; of a blendshape rig: weights (T, K).
    device : str
        As :meth:`rigcast.Deformer.evaluate` takes it.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Raises
    ------
    ValueError
        If the poses are no numbers (T, C).

    Examples
    --------
    >>> face = rc.faces.example()
    >>> motion = rc.exports.Playback(face, np.zeros((1000, face.num_shapes)))
    >>> motion.shape == (1000, *face.rest_vertices.shape)
    True
    >>> motion[5:8].shape[0]
    3
    """

    def __init__(self, model: _core.Deformer, poses: ArrayLike, *, device: str = "cpu", threads: int = 0) -> None:
        if not isinstance(model, _core.Deformer):
            raise bad_argument("Playback", "model", f"a {type(model).__name__}", "a model (rigcast.load opens one)")
        check = Arguments("Playback", C=len(model.control_names))
        self.poses = check.numbers("poses", poses, "T+ C", dtype=np.float32)
        self.threads = check.threads(threads)
        self.model = model
        self.device = device

    @property
    def shape(self) -> tuple[int, int, int]:
        """(T, V, 3)."""
        return len(self.poses), len(self.model.rest_vertices), 3

    def __len__(self) -> int:
        return len(self.poses)

    def __getitem__(self, frames: Any) -> NDArray[np.float32]:
        return self.model.evaluate(self.poses[frames], self.device, threads=self.threads)

    def __repr__(self) -> str:
        return f"<rigcast.exports.Playback of {self.model!r}, {len(self)} frames>"
