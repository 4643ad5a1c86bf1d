"""Surface, light and sensor of pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True, eq=False)
class Material:
    """The surface of a mesh; colors are linear light from 0 to 1.

    Parameters
    ----------
    albedo : (3,) or (V, 3) array
        Of the vertices, interpolated.
    specular, exponent : number or (V,) array
        Strength and exponent of the specular reflection.
    occlusion : number or (V,) array
        Share of the hemisphere light that arrives (:func:`ambient_occlusion`).
    texture : (h, w, 3) array, optional
        Multiplied with the albedo; its first row is its upper edge. Bilinear, repeated at the edges.
    uvs : (F, C, 2) array, optional
        Places of the faces' corners on the texture; (0, 0) is its lower left corner.
    """

    albedo: ArrayLike = (0.6, 0.6, 0.6)
    specular: ArrayLike = 0.05
    exponent: ArrayLike = 20.0
    occlusion: ArrayLike = 1.0
    texture: ArrayLike | None = None
    uvs: ArrayLike | None = None

    def arrays(self, num_vertices: int, num_faces: int) -> dict[str, Float32]:
        """The arguments of the engine."""
        check = Arguments("Material", V=num_vertices, F=num_faces)
        albedo = check.numbers("albedo", self.albedo, "3", "V 3", dtype=np.float32)
        values = {
            name: check.numbers(name, getattr(self, name), "", "V", dtype=np.float32)
            for name in ("specular", "exponent", "occlusion")
        }
        gloss = np.empty((num_vertices, 2), np.float32)
        gloss[:, 0], gloss[:, 1] = values["specular"], values["exponent"]
        if (self.texture is None) != (self.uvs is None):
            raise bad_argument("Material", "uvs", "given without texture, or missing", "given with a texture")
        texture, uvs = np.zeros((0, 0, 3), np.float32), np.zeros((0, 4, 2), np.float32)
        if self.texture is not None and self.uvs is not None:
            texture = check.numbers("texture", self.texture, "h+ w+ 3", dtype=np.float32)
            given = check.numbers("uvs", self.uvs, "F 3 2", "F 4 2", dtype=np.float32, finite=False)
            uvs = np.zeros((num_faces, 4, 2), np.float32)
            uvs[:, : given.shape[1]] = given
        return {
            "albedo": np.ascontiguousarray(np.broadcast_to(albedo, (num_vertices, 3))),
            "gloss": gloss,
            "occlusion": np.ascontiguousarray(np.broadcast_to(values["occlusion"], (num_vertices,))),
            "texture": texture,
            "uvs": uvs,
        }


@one_line
@dataclass(frozen=True, eq=False)
class Lights:
    """L lights from far away, and hemisphere light; one set for all pictures, or one for each of T.

    Parameters
    ----------
    directions, colors : (L, 3) or (T, L, 3) array
        Toward the lights, of any length above 0, and their colors in linear light.
    sky, ground : (3,) or (T, 3) array
        Hemisphere light from above and from below.
    up : (3,) array
    wrap : number
        How far diffuse light reaches around: 0 is Lambert's law.
    """

    directions: ArrayLike = ((-0.4, 0.5, 0.8),)
    colors: ArrayLike = ((0.7, 0.7, 0.7),)
    sky: ArrayLike = (0.35, 0.35, 0.38)
    ground: ArrayLike = (0.15, 0.14, 0.13)
    up: ArrayLike = (0.0, 1.0, 0.0)
    wrap: float = 0.2

    def arrays(self, count: int) -> tuple[Float64, Float64]:
        """Lights (T, L, 6) and hemispheres (T, 9) as the engine takes them."""
        check = Arguments("Lights", T=count)
        directions = check.numbers("directions", self.directions, "L 3", "T L 3")
        colors = check.numbers("colors", self.colors, "L 3", "T L 3")
        lights = np.empty((count, directions.shape[-2], 6))
        lights[..., :3], lights[..., 3:] = _units("directions", directions), colors
        around = np.empty((count, 9))
        around[:, :3] = check.numbers("sky", self.sky, "3", "T 3")
        around[:, 3:6] = check.numbers("ground", self.ground, "3", "T 3")
        around[:, 6:] = _units("up", check.numbers("up", self.up, "3"))
        return lights, around


def _units(argument: str, vectors: Float64) -> Float64:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not (lengths > 1e-12).all():
        raise bad_argument("Lights", argument, "a vector of length 0", "directions")
    return np.asarray(vectors / lengths)


@one_line
@dataclass(frozen=True, eq=False)
class Sensor:
    """Response to the light: exposure, Gaussian blur, the power 1 / gamma, noise, 8 bits, in this order.

    Parameters
    ----------
    exposure, blur, noise : number or (T,) array
        A factor; a standard deviation in pixels, at most 50; a standard deviation in parts of the 8-bit range.
    gamma : number
    background : (3,) or (T, 3) array
        Linear light where there is no mesh.
    seed : int or (T,) integers
        Of the noise; one number is that of the first picture, the next ones follow.
    samples : int
        Per pixel along each axis, 1 to 4.
    """

    exposure: ArrayLike = 1.0
    blur: ArrayLike = 0.0
    noise: ArrayLike = 0.0
    gamma: float = 2.2
    background: ArrayLike = (0.0, 0.0, 0.0)
    seed: ArrayLike = 0
    samples: int = 2

    def arrays(self, count: int) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
        """The arguments of the engine."""
        check = Arguments("Sensor", T=count)
        rows = np.empty((count, 4))
        for column, name in enumerate(("exposure", "blur", "noise")):
            rows[:, column] = check.numbers(name, getattr(self, name), "", "T")
        rows[:, 3] = check.number("gamma", self.gamma, least=0.1, most=10.0)
        seeds = check.integers("seed", self.seed, "", "T")
        background = np.empty((count, 3))
        background[:] = check.numbers("background", self.background, "3", "T 3")
        return {
            "sensors": rows,
            "seeds": seeds + np.arange(count) if seeds.ndim == 0 else seeds,
            "background": background,
        }
