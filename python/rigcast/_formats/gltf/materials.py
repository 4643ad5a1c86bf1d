"""Base colors of a file's materials (glTF 2.0, section 3.9.2), and the images that they show (section 3.8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rigcast._formats.gltf.coverage import material_names
from rigcast._formats.gltf.document import Document, integer, numbers, optional, records
from rigcast._rigs.material import Material

STARTS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}


def read_materials(path: Path) -> tuple[dict[str, Material], list[str]]:
    """Materials by the names that :attr:`Surface.materials` has, and lines on what of them is left out.

    Raises
    ------
    ValueError
        If the file is malformed.
    OSError
        If it cannot be read.
    """
    document = Document(path)
    found: dict[str, Material] = {}
    notes = []
    for name, record in zip(material_names(document), records(document.gltf.materials, "materials"), strict=True):
        try:
            found.setdefault(name, _material(document, record, f"material {name!r}"))
        except ValueError as error:
            notes.append(f"{path.name}: {error}; it is shown without its texture")
    return found, notes


def _material(document: Document, record: Any, what: str) -> Material:
    metal = record.pbrMetallicRoughness
    if metal is None:
        return Material()
    factor = getattr(metal, "baseColorFactor", None)
    color = [1.0] * 4 if factor is None else numbers(factor, 4, f"{what}: baseColorFactor").clip(0, 1).tolist()
    shown = getattr(metal, "baseColorTexture", None)
    if shown is None:
        return Material(tuple(color))
    if optional(getattr(shown, "texCoord", None), 0, 0, 16, f"{what}: texCoord") != 0:
        return Material(tuple(color))  # coordinates that no reader here keeps
    textures = records(document.gltf.textures, "textures")
    texture = textures[integer(getattr(shown, "index", None), 0, len(textures), f"{what}: index")]
    if texture.source is None:  # of an extension alone, as KTX2
        return Material(tuple(color))
    images = records(document.gltf.images, "images")
    content = _image(document, images[integer(texture.source, 0, len(images), f"{what}: source")], what)
    kind = next((kind for start, kind in STARTS.items() if content.startswith(start)), "")
    return Material(tuple(color), content, kind) if kind else Material(tuple(color))


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
