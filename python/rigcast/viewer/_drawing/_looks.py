"""Looks of figures by their materials: a color per vertex, and images by texture coordinates.

Colors come from the file of the character where it states any. Of meshes that name their parts, such as the ICT face,
eyes, teeth and lashes get colors by those names: eyeballs an iris and a pupil that look to the front.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.gltf.materials import SurfaceMaterial, read_materials
from rigcast._rigs.surface import Surface, surface_of

Indices = NDArray[np.uint32]
CLAY = (186, 178, 168)  # sRGB, as the page draws skin that nothing is known of
EYE = (238, 233, 227)
IRIS, IRIS_RIM, PUPIL = (92, 118, 138), (44, 58, 70), (16, 16, 18)
# Degrees from the front, seen from the middle of an eyeball: pupil, iris, and where the white begins.
PUPIL_ENDS, IRIS_ENDS, WHITE_BEGINS = 11.0, 25.0, 29.0
TWO_EYES = 1.6  # times as wide as high: both eyes are one part
SEE_THROUGH = 0.4  # opacity below which a material, such as a cornea, is not drawn
SMOOTH = "eye"  # the color that is no color: an eyeball
HIDDEN = "hidden"  # layers over the eye that are clear
# Words in names of parts or materials, the first that fits counts, and how they look.
NAMED: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("lacrimal", "occlusion", "eye_blend", "eyeblend", "tear", "cornea", "eyewet", "meniscus"), HIDDEN),
    (("lash", "eyebrow", "brows"), (88, 72, 64)),
    (("socket",), (132, 84, 78)),
    (("eyeball", "sclera"), SMOOTH),
    (("teeth", "tooth"), (229, 221, 206)),
    (("gum", "tongue"), (176, 98, 96)),
)
UNTEXTURED, NOT_DRAWN = -1, -2


@dataclass(frozen=True)
class FigureLook:
    """Colors and images of a figure of V vertices.

    Attributes
    ----------
    tints : (V, 4) uint8 array
        sRGB; the last column is 255.
    image : (V,) int array
        Of each vertex the image, :data:`UNTEXTURED`, or :data:`NOT_DRAWN`.
    uvs : (V, 2) float32 array or None
        v points down, as rows of images do.
    images : list of SurfaceMaterial
        Those that have one.
    """

    tints: NDArray[np.uint8]
    image: NDArray[np.int64]
    uvs: NDArray[np.float32] | None = None
    images: Sequence[SurfaceMaterial] = ()

    def grouped(self, triangles: Indices) -> tuple[Indices, list[list[int]]]:
        """Triangles (F, 3) by image, and of each group the image and the number of triangles."""
        image = self.image[triangles[:, 0]]
        order = np.argsort(image, kind="stable")
        kinds, counts = np.unique(image, return_counts=True)
        return triangles[order], [[int(kind), int(count)] for kind, count in zip(kinds, counts, strict=True)]


def look_of(
    subject: Any, figure: Any, materials: Mapping[str, SurfaceMaterial] | None = None
) -> tuple[FigureLook | None, list[str]]:
    """The look of a model, rig or data set; None if nothing is known but its shape.

    Parameters
    ----------
    subject : Deformer, Rig or Dataset
    figure : Figure
        Of it.
    materials : mapping from name to SurfaceMaterial, optional
        Default: those of the file of a glTF rig.
    """
    notes: list[str] = []
    surface = surface_of(subject)
    if materials is None:
        materials, notes = _materials_of(subject)
    count = len(figure.rest_vertices)
    names, kinds = _named_vertices(subject, surface, figure.faces, count)
    tints, image = np.empty((count, 4), np.uint8), np.full(count, UNTEXTURED)
    tints[:] = (*CLAY, 255)
    images: list[SurfaceMaterial] = []
    known = False
    uvs = _coordinates(surface, figure.faces, count)
    for kind, name in enumerate(names):
        own = np.flatnonzero(kinds == kind)
        material = materials.get(name)
        if material is not None and (material.color[:3] != (1.0, 1.0, 1.0) or material.image):
            known = True
            tints[own, :3] = _srgb(material.color[:3])
            if material.color[3] < SEE_THROUGH:
                image[own] = NOT_DRAWN
            elif material.image and uvs is not None:
                image[own] = len(images)
                images.append(material)
            continue
        known |= _color_by_name(name, own, figure, tints, image)
    return (FigureLook(tints, image, uvs if images else None, images) if known else None), notes


def _materials_of(subject: Any) -> tuple[Mapping[str, SurfaceMaterial], list[str]]:
    path = getattr(subject, "path", None)
    if path is None or path.suffix.lower() not in (".glb", ".gltf", ".vrm"):
        return {}, []
    try:
        return read_materials(path)
    except (OSError, ValueError) as error:
        return {}, [f"materials of {path.name} cannot be read: {error}"]


def _named_vertices(
    subject: Any, surface: Surface, faces: NDArray[np.int32], count: int
) -> tuple[list[str], NDArray[np.int64]]:
    """Names of materials or parts, and the one of each vertex, -1 for none."""
    kinds = np.full(count, -1)
    if surface.materials:
        corners = np.where(faces < 0, faces[:, :1], faces)
        kinds[corners.reshape(-1)] = np.repeat(surface.face_materials, faces.shape[1])
        return list(surface.materials), kinds
    if surface.parts:
        return list(surface.parts), surface.vertex_parts.astype(np.int64)
    segments = subject.metadata.get("segments") if isinstance(subject, BlendshapeRig) else None
    if not isinstance(segments, dict):
        return [], kinds
    for kind, (first, end) in enumerate(segments.values()):
        kinds[int(first) : int(end)] = kind
    return list(segments), kinds


def _coordinates(surface: Surface, faces: NDArray[np.int32], count: int) -> NDArray[np.float32] | None:
    """Texture coordinates (V, 2), if there is one of each vertex."""
    if not len(surface.uvs):
        return None
    filled = (faces >= 0) & (surface.uv_faces >= 0)
    result = np.zeros((count, 2), np.float32)
    result[faces[filled]] = surface.uvs[surface.uv_faces[filled]]
    if not np.array_equal(result[faces[filled]], surface.uvs[surface.uv_faces[filled]]):
        return None  # seams within the mesh
    result[:, 1] = 1.0 - result[:, 1]
    return result


def _color_by_name(
    name: str, own: NDArray[np.int64], figure: Any, tints: NDArray[np.uint8], image: NDArray[np.int64]
) -> bool:
    """Color a part as its name says; returns whether it says anything."""
    plain = name.lower()
    color = next((color for words, color in NAMED if any(word in plain for word in words)), None)
    if color is None or not len(own):
        return False
    if color == HIDDEN:
        image[own] = NOT_DRAWN
    elif color == SMOOTH:
        tints[own, :3] = _eye_colors(np.asarray(figure.rest_vertices, np.float64)[own], figure.up_axis)
    else:
        tints[own, :3] = color
    return True


def _eye_colors(vertices: NDArray[np.float64], up_axis: str) -> NDArray[np.uint8]:
    """sRGB (E, 3) of the vertices (E, 3) of one eyeball, or of both."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    upward = "XYZ".index(up_axis)
    if high[0] - low[0] > TWO_EYES * (high[upward] - low[upward]):
        result = np.empty((len(vertices), 3), np.uint8)
        left = vertices[:, 0] > (low[0] + high[0]) / 2
        for side in (left, ~left):
            result[side] = _eye_colors(vertices[side], up_axis)
        return result
    front = np.array([0.0, -1.0, 0.0]) if up_axis == "Z" else np.array([0.0, 0.0, 1.0])
    away = vertices - (low + high) / 2
    length = np.linalg.norm(away, axis=1)
    angle = np.degrees(np.arccos(np.clip(away @ front / np.where(length > 0, length, 1.0), -1, 1)))
    at = [0.0, PUPIL_ENDS, PUPIL_ENDS + 2, IRIS_ENDS, WHITE_BEGINS, 180.0]
    colors = np.array([PUPIL, PUPIL, IRIS, IRIS_RIM, EYE, EYE], np.float64)
    return np.asarray(np.stack([np.interp(angle, at, channel) for channel in colors.T], axis=1).round(), np.uint8)


def _srgb(linear: Sequence[float]) -> NDArray[np.uint8]:
    """Bytes of a color in linear light (IEC 61966-2-1)."""
    x = np.asarray(linear, np.float64)
    coded = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(255.0 * coded), np.uint8)
