"""A face on deformation maps: coarse segments with mended texture coordinates, and rigid parts (Bailey 2020, ch. 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._rigs.surface import Surface, check_surface
from rigcast._validate import Arguments
from rigcast.progress import Progress, ProgressCallback, as_callback
from rigcast.training._face_maps._layout.charts import FRAMES, Laid, floors_of, lay
from rigcast.training._face_maps._layout.pieces import FaceMesh, MapPiece, connected, pieces
from rigcast.training._face_maps._layout.rigid import Component, MovingFace, named, nearest_part, part_of, rigid_groups
from rigcast.training._face_maps._layout.segments import COARSE, Layout, MapSegment, RigidPart
from rigcast.training._face_maps._layout.uvs import VertexUvs, spread_out, vertex_uvs
from rigcast.training._face_maps._rows import some

Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

MOVES = 1e-3  # mm: a vertex that no sample moves farther rests
LEAST_SAMPLES = 2
RIGID_SAMPLES = 256
FIELDS = 12


def lay_out(
    surface: Surface,
    rest_vertices: ArrayLike,
    faces: ArrayLike,
    offsets: ArrayLike,
    influence: ArrayLike,
    *,
    unit_to_mm: float,
    resolution: int = 32,
    fields: int = FIELDS,
    seed: int = 0,
    threads: int = 0,
    published: bool = False,
    progress: ProgressCallback | None = None,
) -> Layout:
    """Lay a face out on coarse deformation maps, and find its rigid parts.

    Method: the face is cut into its named parts, else materials, else components, and by texture tile. Components that
    move rigidly (RMS distance from the best rigid motion below 0.3 mm over samples and vertices) become rigid parts,
    those with one motion together; ten vertices show their motion (Bailey 2020, equation 3.4). The artist's texture
    coordinates are mended: moved by the motion that parts neighbors on one texel, and spaced by motion. Segments
    without usable ones get charts of least stretch. Vertices that never move are in no segment.
    Guarantee: texture coordinates have the same bytes with every instruction set and number of threads.

    Parameters
    ----------
    surface : Surface
        Named parts, materials and texture coordinates; any of them may be absent.
    rest_vertices : (V, 3) array
    faces : (F, 3) or (F, 4) array
    offsets : (T, V, 3) array
        Samples of the rig minus the rest, in the rig's unit; at least two.
    influence : (V, C) bool array
        Pose columns that move each vertex.
    unit_to_mm : float
        Millimeters in the rig's unit.
    resolution : int
        Texels along each axis of a coarse map.
    fields : int
        Samples that texture coordinates are moved by, at most. More take longer and leave less.
    seed : int
        Decides which samples are looked at where there are many.
    threads : int
        0 means all processors that this process may use.
    published : bool
        Whether the artist's coordinates are only stretched, and rigid parts follow the ten vertices that follow them
        best, wherever these lie.
    progress : callable, optional

    Returns
    -------
    Layout
        With coarse segments only.

    Raises
    ------
    ValueError
        If a shape is wrong, a number is not finite, there are fewer than two samples, or nothing moves.
    """
    check = Arguments("lay_out")
    scale = check.number("unit_to_mm", unit_to_mm, above=0.0)
    rest = check.numbers("rest_vertices", rest_vertices, "V+ 3", dtype=np.float32)
    masks = _as_masks(check, influence)
    corners = padded_faces(faces, "lay_out", len(rest))
    check_surface(surface, len(rest), corners, "lay_out")
    moved = check.numbers("offsets", offsets, "T V 3", dtype=np.float32)
    if len(moved) < LEAST_SAMPLES:
        raise check.wrong("offsets", f"of {len(moved)} samples", f"of at least {LEAST_SAMPLES} samples")
    check.whole("resolution", resolution, least=2, most=256)
    check.whole("fields", fields)
    check.threads(threads)
    mesh = FaceMesh((rest * np.float32(scale)).astype(np.float32), corners, surface)
    sampled = some(moved, max(RIGID_SAMPLES, FRAMES), seed) * np.float32(scale)
    reach = scale * np.sqrt(np.square(moved).sum(axis=2).max(axis=0))
    moving = reach > MOVES
    if not moving.any():
        raise check.wrong("offsets", "0 everywhere", "samples of a rig that moves")
    face = _Face(mesh, vertex_uvs(surface, corners, len(rest)), sampled, masks, moving, published)
    return face.laid_out(resolution, fields, seed, threads, as_callback(progress))


def _as_masks(check: Arguments, influence: ArrayLike) -> Bool:
    masks = np.asarray(influence)
    if masks.dtype != np.bool_ or masks.ndim != 2 or len(masks) != check.sizes["V"]:
        raise check.wrong("influence", f"{masks.dtype} {masks.shape}", f"truth values ({check.sizes['V']}, C)")
    return masks


@dataclass(frozen=True)
class _Face:
    """The mesh and samples of it, lengths in millimeters; columns that move each vertex (V, C); vertices that move.

    ``published``: see :func:`lay_out`.
    """

    mesh: FaceMesh
    uvs: VertexUvs
    offsets: Float32
    masks: Bool
    moving: Bool
    published: bool

    def laid_out(self, resolution: int, fields: int, seed: int, threads: int, report: ProgressCallback) -> Layout:
        found, notes = pieces(self.mesh, self.uvs)
        notes += self._resting(found)
        parts, own, words = self._rigid_parts(found)
        notes += words
        taken = np.zeros(len(self.moving), bool)
        for part in parts:
            taken[part.vertices] = True
        layout = Layout([], parts, notes)
        for number, piece in enumerate(found):
            report(Progress("laying out", number, len(found), piece.name))
            vertices = piece.vertices[self.moving[piece.vertices] & ~taken[piece.vertices]]
            if not len(vertices):
                continue
            columns = np.flatnonzero(self.masks[vertices].any(axis=0)).astype(np.int64)
            if not len(columns):
                notes.append(f"{piece.name} moves although no control moves it: it is left at rest.")
                continue
            kept = MapPiece(piece.name, vertices, piece.tile)
            laid = self._laid(kept, bool(own[vertices].all()), resolution, fields, seed, threads)
            ones = np.ones(len(vertices), np.float32)
            layout.segments.append(MapSegment(piece.name, COARSE, vertices, laid.after, ones, columns, resolution))
            layout.floors.append(laid.floors)
            layout.original_uvs.append(laid.before)
            layout.notes.extend([laid.note] * bool(laid.note))
        report(Progress("laying out", len(found), len(found)))
        return layout

    def _resting(self, found: list[MapPiece]) -> list[str]:
        """Sentences on what no map moves."""
        notes = []
        resting = [piece.name for piece in found if not self.moving[piece.vertices].any()]
        if resting:
            notes.append(f"Without motion in all samples, left at rest: {', '.join(resting)}.")
        still = int((~self.moving).sum())
        if still:
            notes.append(f"{still:,} of {len(self.moving):,} vertices never move: they are in no segment.")
        idle = int((~self.masks.any(axis=0)).sum())
        if idle:
            notes.append(f"{idle} of {self.masks.shape[1]} pose columns move no vertex and are no inputs.")
        return notes

    def _rigid_parts(self, found: list[MapPiece]) -> tuple[list[RigidPart], Bool, list[str]]:
        """Rigid parts, the vertices (V,) that are followers of their own part, and sentences."""
        moving = MovingFace(np.asarray(self.mesh.rest_vertices, np.float64), self.offsets)
        seen: list[Component] = []
        for piece in found:
            seen += [part for part in connected(self.mesh, piece) if self.moving[part.vertices].all()]
        own = np.zeros(len(self.moving), bool)
        parts: list[RigidPart] = []
        notes, alone = [], []
        tiny = sum(len(part.vertices) < 3 for part in seen)
        if tiny:
            notes.append(f"{tiny} components have fewer than three vertices: they are moved by maps.")
        groups, lines = rigid_groups(moving, seen)
        if lines:
            notes.append(f"Rigid, but on a line, which determines no rotation; moved by maps: {named(lines)}.")
        flexible = self.moving.copy()
        for group in groups:
            for member in group:
                flexible[member.vertices] = False
        for group in groups:
            others, is_own = np.flatnonzero(flexible), False
            part = nearest_part(moving, group, others) if self.published else None
            if part is None:
                part, is_own = part_of(moving, group, others, self.masks)
            if part is None:
                notes.append(f"Rigid, but too small to have followers, and none elsewhere; by maps: {named(group)}.")
                continue
            same = sum(other.name.split(", part ")[0] == part.name for other in parts)
            parts.append(replace(part, name=f"{part.name}, part {same + 1}") if same else part)
            loose = sum(len(member.vertices) for member in group) - len(part.vertices) - is_own * len(part.followers)
            if loose:
                notes.append(f"{parts[-1].name}: {loose} vertices leave its rigid motion and are moved by a map.")
            if is_own:
                own[part.followers] = True
                alone.append(parts[-1].name)
        if alone:
            words = "No vertices elsewhere follow these rigid parts; ten of each part's own are moved by a map"
            notes.append(f"{words}: {'; '.join(alone)}.")
        return parts, own, notes

    def _laid(self, piece: MapPiece, own: bool, resolution: int, fields: int, seed: int, threads: int) -> Laid:
        """A piece on a map; followers of rigid parts alone are spread over it, none shares a texel."""
        if not own or len(piece.vertices) > resolution**2 // 4:
            mended = not self.published
            return lay(self.mesh, piece, self.uvs, self.offsets, resolution, fields, seed, threads, mended=mended)
        places = spread_out(len(piece.vertices))
        own_offsets = np.ascontiguousarray(some(self.offsets, FRAMES, seed)[:, piece.vertices])
        floors = floors_of(piece.name, places, own_offsets, resolution, threads)
        return Laid(places, places, floors, f"{piece.name}: only followers of rigid parts, spread over the map.")
