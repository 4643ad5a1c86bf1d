"""Two animations of one mesh, frame by frame, against a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments
from rigcast.perception._differences.budget import VisualBudget
from rigcast.perception._differences.pictures import jod_loss
from rigcast.perception._differences.screen import screen_motion
from rigcast.perception._differences.viewing import Viewing
from rigcast.render import Camera, render

Float64 = NDArray[np.float64]
HEIGHT = 512  # pixels of the longer side of pictures to look at
AMPLIFIED = 4  # times, so that faint differences show


@one_line
@dataclass(frozen=True)
class SeenDifference:
    """The difference of two animations as a viewer may see it.

    Attributes
    ----------
    amount : float
        In the budget's unit, of the whole animation: the largest distance on the screen, or the JOD of the film.
    within : bool
        True if it is at most the budget's.
    per_frame : (T,) float64
        Pixels: the largest distance on the screen.
    worst : int
        The frame with the most pixels.
    budget : VisualBudget
    """

    amount: float
    within: bool
    per_frame: Float64
    worst: int
    budget: VisualBudget

    def __repr__(self) -> str:
        words = "within" if self.within else "beyond"
        return (
            f"<SeenDifference: {self.amount:.3g} {self.budget.unit}, {words} {self.budget}; worst frame {self.worst}>"
        )


def seen_difference(
    truth: ArrayLike,
    approximation: ArrayLike,
    faces: ArrayLike,
    *,
    budget: VisualBudget,
    meters_per_unit: float = 1.0,
    up_axis: str = "Y",
    fps: float = FPS,
    threads: int = 0,
) -> SeenDifference:
    """Compare two animations of one mesh with a budget of what people may see.

    Parameters
    ----------
    truth, approximation : (T, V, 3) array
    faces : (F, 3) or (F, 4) integers
    budget : VisualBudget
        In pixels no picture is drawn; in JOD the frames are drawn by :func:`rigcast.render.render`, as gray skin.
    meters_per_unit : float
    up_axis : str
    fps : float
        Frames per second; 30 unless stated.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    SeenDifference

    Raises
    ------
    ValueError
        If shapes do not fit or an argument is out of range.
    MissingExtra
        For JOD, without cvvdp and PyTorch.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> old = face.evaluate(np.eye(face.num_shapes)[:3])
    >>> budget = rc.perception.VisualBudget.of("1px at 2m")
    >>> rc.perception.seen_difference(old, old, face.faces, budget=budget, meters_per_unit=face.meters_per_unit).within
    True
    """
    check = Arguments("seen_difference")
    check.threads(threads)
    rate = check.rate("fps", fps)
    if not isinstance(budget, VisualBudget):
        raise check.wrong("budget", f"a {type(budget).__name__}", "a rigcast.perception.VisualBudget")
    first = check.numbers("truth", truth, "T+ V+ 3")
    second = check.numbers("approximation", approximation, "T V 3")
    camera = budget.viewing.camera(first[0], meters_per_unit, up_axis)
    motion = screen_motion(first, second, faces, camera=camera)
    amount = motion.max
    if budget.unit == "jod":
        films = [film(mesh, faces, camera, threads=threads) for mesh in (first, second)]
        amount = jod_loss(*films, fps=rate, pixels_per_degree=budget.viewing.pixels_per_degree)
    worst = int(motion.per_frame.argmax())
    return SeenDifference(amount, bool(amount <= budget.amount), motion.per_frame, worst, budget)


def film(vertices: ArrayLike, faces: ArrayLike, camera: Camera, *, threads: int = 0) -> NDArray[np.uint8]:
    """(T, h, w, 3) pictures of an animation before one camera."""
    frames = np.asarray(vertices, np.float32)
    moving = Camera(
        camera.width,
        camera.height,
        np.broadcast_to(np.asarray(camera.focal), (len(frames),)),
        camera.rotation,
        camera.translation,
        camera.center,
        camera.near,
    )
    return render(frames, faces, moving, threads=threads).color


def pictures_of(
    truth: ArrayLike,
    approximation: ArrayLike,
    faces: ArrayLike,
    viewing: Viewing,
    *,
    meters_per_unit: float = 1.0,
    up_axis: str = "Y",
    rest: ArrayLike,
    threads: int = 0,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Draw one frame (V, 3) of both, larger than the viewer sees it, and ``AMPLIFIED`` times the difference."""
    camera = viewing.camera(rest, meters_per_unit, up_axis)
    closer = replace(viewing, image_height=viewing.image_height * HEIGHT / max(camera.height, camera.width))
    camera = closer.camera(rest, meters_per_unit, up_axis)
    old, new = (film(np.asarray(mesh)[None], faces, camera, threads=threads)[0] for mesh in (truth, approximation))
    difference = np.abs(old.astype(np.int16) - new)
    return old, new, np.minimum(AMPLIFIED * difference, 255).astype(np.uint8)
