"""Base colors of a file's materials (glTF 2.0, section 3.9.2), and the images that they show (section 3.8)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigcast._formats.gltf.coverage import material_names
from rigcast._formats.gltf.document import Document, integer, numbers, optional, records

STARTS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}


@dataclass(frozen=True)
class SurfaceMaterial:
    """The base color of a material, as its file states it.

    Attributes
    ----------
    color : tuple of 4 floats
        Red, green, blue in linear light, and opacity, 0 to 1; multiplied with the image.
    image : bytes
        A PNG, JPEG or WebP file; empty without one.
    image_type : str
        Its media type.
    """

    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    image: bytes = b""
    image_type: str = ""


def read_materials(path: Path) -> tuple[dict[str, SurfaceMaterial], list[str]]:
    """Materials by the names that :attr:`Surface.materials` has, and lines on what of them is left out.

    Raises
    ------
    ValueError
        If the file is malformed.
    OSError
        If it cannot be read.
    """
    document = Document(path)
    found: dict[str, SurfaceMaterial] = {}
    notes = []
    for name, record in zip(material_names(document), records(document.gltf.materials, "materials"), strict=True):
        try:
            found.setdefault(name, _material(document, record, f"material {name!r}"))
        except ValueError as error:
            notes.append(f"{path.name}: {error}; it is shown without its texture")
    return found, notes


def _material(document: Document, record: Any, what: str) -> SurfaceMaterial:
    metal = record.pbrMetallicRoughness
    if metal is None:
        return SurfaceMaterial()
    factor = getattr(metal, "baseColorFactor", None)
    color = [1.0] * 4 if factor is None else numbers(factor, 4, f"{what}: baseColorFactor").clip(0, 1).tolist()
    shown = getattr(metal, "baseColorTexture", None)
    if shown is None:
        return SurfaceMaterial(tuple(color))
    if optional(getattr(shown, "texCoord", None), 0, 0, 16, f"{what}: texCoord") != 0:
        return SurfaceMaterial(tuple(color))  # coordinates that no reader here keeps
    textures = records(document.gltf.textures, "textures")
    texture = textures[integer(getattr(shown, "index", None), 0, len(textures), f"{what}: index")]
    if texture.source is None:  # of an extension alone, as KTX2
        return SurfaceMaterial(tuple(color))
    images = records(document.gltf.images, "images")
    content = _image(document, images[integer(texture.source, 0, len(images), f"{what}: source")], what)
    kind = next((kind for start, kind in STARTS.items() if content.startswith(start)), "")
    return SurfaceMaterial(tuple(color), content, kind) if kind else SurfaceMaterial(tuple(color))


def _image(document: Document, image: Any, what: str) -> bytes:
    """The bytes of an image: in a buffer, in the JSON, or in a file beside it."""
    if image.bufferView is None:
        return document.content(image.uri, f"{what}: image")
    views = records(document.gltf.bufferViews, "bufferViews")
    view = views[integer(image.bufferView, 0, len(views), f"{what}: bufferView")]
    buffer = document.buffers[integer(view.buffer, 0, len(document.buffers), f"{what}: buffer")]
    start = optional(view.byteOffset, 0, 0, len(buffer) + 1, f"{what}: byteOffset")
    length = integer(view.byteLength, 0, len(buffer) - start + 1, f"{what}: byteLength")
    return buffer[start : start + length]
