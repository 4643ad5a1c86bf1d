"""Texture coordinates and materials of a file's mesh, lost if only its vertices are carried on."""

from __future__ import annotations

from pathlib import Path

from rigcast._formats.gltf.document import Document, records, text
from rigcast._formats.obj.mesh import read_text

GLTF, OBJ = (".glb", ".gltf", ".vrm"), (".obj", ".obj.gz")
MOST = 8  # names in a sentence


def texture_names(path: Path) -> list[str]:
    """Images by name that the materials of a glTF file show; of an OBJ file its material libraries."""
    if path.suffix.lower() in GLTF:
        images = records(Document(path).gltf.images, "images")
        return [text(image.name) or text(image.uri)[:80] or f"image {n}" for n, image in enumerate(images)]
    if path.name.lower().endswith(OBJ):
        lines = read_text(path, "texture_names").splitlines()
        return [line.split(None, 1)[1].decode(errors="replace") for line in lines if line.startswith(b"mtllib ")]
    return []


def has_coordinates(path: Path) -> bool:
    """True if a glTF or OBJ file states texture coordinates."""
    if path.suffix.lower() in GLTF:
        meshes = records(Document(path).gltf.meshes, "meshes")
        parts = [part for n, mesh in enumerate(meshes) for part in records(mesh.primitives, f"meshes[{n}].primitives")]
        return any(getattr(part.attributes, "TEXCOORD_0", None) is not None for part in parts)
    if path.name.lower().endswith(OBJ):
        return any(line.startswith((b"vt ", b"vt\t")) for line in read_text(path, "has_coordinates").splitlines())
    return False


def lost_textures(path: Path, output: Path, keeps_coordinates: bool) -> list[str]:
    """Notes on what of a file's surface a result does not have, and what to do."""
    names = texture_names(path)
    lost = []
    if names:
        listed = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
        kind = "textures" if path.suffix.lower() in GLTF else "material libraries"
        lost.append(f"{kind} of {path.name} that {output.name} does not have: {listed}; assign them again")
    if not keeps_coordinates and has_coordinates(path):
        cure = "copy them from that mesh, whose vertices have the same order"
        lost.append(f"texture coordinates of {path.name} are not in {output.name}: {cure}")
    return lost
