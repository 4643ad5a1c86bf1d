"""Pictures of expressions: any rig, model or set of shapes, drawn in front of the ground of the study's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._hashing import padded_faces
from rigcast._rigs.rig import Rig
from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments, bad_argument, shown
from rigcast.render import Camera, Lights, Material, Sensor, render
from rigcast.sampling import Dataset
from rigcast.study._live_figures import faces_file

Float32 = NDArray[np.float32]
GROUND = 0.2195  # linear light of the pages' gray, 128 of 255
SENSOR = Sensor(background=(GROUND,) * 3, samples=3)
DISTANCE = 4.5  # from the camera to the face, in heights of it: hardly any perspective
#: The rotation to x to the right, y up, z toward the camera, of figures that face the viewer of their own program.
UPRIGHT = {
    "Y": np.eye(3),
    "Z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
}


@one_line
@dataclass(frozen=True)
class NamedExpression:
    """An expression: controls of a rig at activation 1.

    Parameters
    ----------
    name : str
        The unit, as results name it.
    controls : dict of str to float
        Values of controls, or of a set of shapes; none for the neutral face. At activation a, each is moved the share
        a of its way from rest.

    Examples
    --------
    >>> rc.study.NamedExpression.parse("Smile=mouthSmileLeft+0.8*mouthSmileRight").controls
    {'mouthSmileLeft': 1.0, 'mouthSmileRight': 0.8}
    """

    name: str
    controls: Mapping[str, float]

    @classmethod
    def parse(cls, text: str) -> NamedExpression:
        """Read ``NAME=CONTROL+0.8*CONTROL``; a control alone gives the unit its name, ``NAME=`` is the neutral face.

        Parameters
        ----------
        text : str

        Raises
        ------
        ValueError
        """
        name, equals, rest = text.partition("=")
        found: dict[str, float] = {}
        for word in filter(None, (rest if equals else name).split("+")):
            factor, times, control = word.partition("*")
            try:
                value = float(factor) if times else 1.0
            except ValueError:
                raise bad_argument(
                    "NamedExpression.parse", "text", shown(text), "NAME=CONTROL+0.8*CONTROL, numbers before *"
                ) from None
            found[(control if times else factor).strip()] = value
        if not name.strip() or "" in found or not np.isfinite(list(found.values())).all():
            raise bad_argument("NamedExpression.parse", "text", shown(text), "NAME=CONTROL+0.8*CONTROL")
        return cls(name.strip(), found)


@one_line
@dataclass(frozen=True, eq=False)
class SculptedShapes:
    """A face as finished meshes, such as frames that were solved.

    Parameters
    ----------
    rest_vertices : (V, 3) array
    faces : (F, 3) or (F, 4) ints
    shapes : dict of str to (V, 3) array
        By the names that expressions call controls.
    up_axis : {"Y", "Z"}
    """

    rest_vertices: ArrayLike
    faces: ArrayLike
    shapes: Mapping[str, ArrayLike]
    up_axis: str = "Y"


Subject = Deformer | Rig | Dataset | SculptedShapes


@one_line
@dataclass(frozen=True, eq=False, kw_only=True)
class PictureSettings:
    """Pictures of a study.

    Parameters
    ----------
    size : int
        Pixels along both edges.
    fill : float
        Share of the picture's height that a face at rest takes.
    seconds : float
        0: a picture; else a loop from rest to the expression and back.
    fps : float
    albedo : dict of str to (V, 3) array
        Linear colors of the vertices of a character; else gray.
    live : bool
        Figures that the participants' browsers draw, and that turn as they drag, in place of pictures.
    """

    size: int = 400
    fill: float = 0.86
    seconds: float = 0.0
    fps: float = FPS
    albedo: Mapping[str, ArrayLike] = field(default_factory=dict)
    live: bool = False

    def __post_init__(self) -> None:
        check = Arguments("PictureSettings")
        check.whole("size", self.size, least=16, most=2048)
        check.number("fill", self.fill, above=0.0, most=1.0)
        check.frames("seconds", self.seconds, check.rate("fps", self.fps))

    def activations(self, level: float) -> list[float]:
        """The activation of each frame."""
        frames = round(self.seconds * self.fps)
        return [level * 0.5 * (1.0 - np.cos(2.0 * np.pi * i / frames)) for i in range(frames)] or [level]


class Poser:
    """Vertices of a subject at an activation of an expression.

    Parameters
    ----------
    function, argument : str
        Named in errors.
    subject : Subject
    """

    def __init__(self, function: str, argument: str, subject: Any) -> None:
        self._wrong = function, argument
        self._shapes: dict[str, Float32] | None = None
        if isinstance(subject, SculptedShapes):
            check = Arguments(function)
            self.rest = check.numbers(f"{argument}.rest_vertices", subject.rest_vertices, "V 3", dtype=np.float32)
            self._shapes = {
                name: check.numbers(f"{argument}.shapes[{name!r}]", shape, "V 3", dtype=np.float32)
                for name, shape in subject.shapes.items()
            }
            self.faces, self.up_axis = padded_faces(subject.faces, function, len(self.rest)), subject.up_axis
        else:
            from rigcast.viewer._figures._opening import figure_of  # with all models: a server of pictures needs none

            self._figure = figure_of(subject)
            self.rest = np.asarray(self._figure.rest_vertices, np.float32)
            self.faces, self.up_axis = self._figure.faces, str(self._figure.up_axis)
            self._controls = {slider.name: i for i, slider in enumerate(self._figure.sliders)}
            self._at_rest = np.array([slider.rest for slider in self._figure.sliders], np.float64)
        if self.up_axis not in UPRIGHT:
            raise bad_argument(function, argument, f"a figure whose {self.up_axis} axis points up", "upright in Y or Z")

    def vertices(self, expression: NamedExpression, activation: float) -> Float32:
        """(V, 3) at an activation.

        Raises
        ------
        ValueError
            If a control is unknown.
        """
        known = self._controls if self._shapes is None else self._shapes
        for name in expression.controls:
            if name not in known:
                got = f"without {shown(name)}, which the expression {shown(expression.name)} moves"
                raise bad_argument(*self._wrong, got, f"of controls with that name ({', '.join(list(known)[:8])}, ...)")
        if self._shapes is not None:
            moved = self.rest.astype(np.float64)
            for name, value in expression.controls.items():
                moved += activation * value * (self._shapes[name] - self.rest)
            return moved.astype(np.float32)
        row = self._at_rest.copy()
        for name, value in expression.controls.items():
            column = self._controls[name]
            row[column] += activation * (value - row[column])
        from rigcast.viewer._figures._figure import State

        return np.asarray(self._figure.vertices(State(row.astype(np.float32))), np.float32)


@dataclass(frozen=True, eq=False)
class Framing:
    """Camera and colors of one character, the same for all that compare with it."""

    camera: Camera
    center: NDArray[np.float64]
    upright: NDArray[np.float64]
    material: Material
    settings: PictureSettings

    @classmethod
    def of(cls, poser: Poser, character: str, settings: PictureSettings) -> Framing:
        """Frame a character at rest."""
        upright = UPRIGHT[poser.up_axis]
        standing = poser.rest.astype(np.float64) @ upright.T
        low, high = standing.min(axis=0), standing.max(axis=0)
        height = float(max(high[1] - low[1], high[0] - low[0])) or 1.0
        away = DISTANCE * height + 0.5 * float(high[2] - low[2])
        camera = Camera(
            settings.size,
            settings.size,
            focal=settings.fill * settings.size * away / height,
            translation=[0.0, 0.0, away],
            near=1e-3 * height,
        )
        albedo = settings.albedo.get(character, (0.55, 0.55, 0.55))
        return cls(camera, 0.5 * (low + high), upright, Material(albedo=albedo, specular=0.03), settings)

    def standing(self, vertices: Float32, degrees: float = 0.0) -> NDArray[np.float64]:
        """Meshes (T, V, 3) as the camera sees them: y up, z toward it, turned around the vertical axis."""
        turn = np.radians(degrees)
        around = np.array([[np.cos(turn), 0.0, np.sin(turn)], [0.0, 1.0, 0.0], [-np.sin(turn), 0.0, np.cos(turn)]])
        return np.asarray((vertices.astype(np.float64) @ self.upright.T - self.center) @ around.T)

    def draw(self, vertices: Float32, faces: NDArray[np.int32], degrees: float, threads: int) -> NDArray[np.uint8]:
        """Pictures (T, H, W, 3) of meshes (T, V, 3)."""
        standing = self.standing(vertices, degrees)
        return render(
            standing, faces, self.camera, material=self.material, lights=Lights(), sensor=SENSOR, threads=threads
        ).color

    def faces_file(self, faces: NDArray[np.int32], num_vertices: int) -> bytes:
        """Triangles, colors, camera and light of a live figure."""
        return faces_file(faces, num_vertices, self.camera, self.material, Lights(), SENSOR)
