"""Whole rigs: combination and in-between shapes too."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import ArrayLike

from rigcast._core import BlendshapeRig, DeformationTransfer
from rigcast._validate import check_blendshape_rig, check_threads
from rigcast.errors import UpAxisWarning
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.transfer._contacts import Contacts, contact_pairs
from rigcast.transfer._positions_from_rig import rig_from_positions
from rigcast.transfer._resting import Fixed, held_vertices, holds_each
from rigcast.transfer._targets import Landmarks, Target, matched, target_mesh


def transfer_rig(
    rig: BlendshapeRig,
    target: Target,
    faces: ArrayLike | None = None,
    *,
    landmarks: Landmarks = None,
    fixed: Fixed = "rest",
    contacts: Contacts = "auto",
    threads: int = 0,
    progress: ProgressOption = None,
) -> BlendshapeRig:
    """Give all shapes of a rig to another face: linear, combination and in-between shapes.

    A combination's offsets correct what its drivers' shapes give together, and have no meaning as a shape of their own.
    What is transferred is a full expression (:func:`positions_from_rig`). The target's combination is what its
    expression has beyond the same columns of the target (:func:`rig_from_positions`). With the source as target every
    column comes back as it is. A target of another topology is matched first (:func:`correspond`), and the source
    resampled in it.

    Parameters
    ----------
    rig : BlendshapeRig
        The source.
    target : (V, 3), Mesh, rig, model or path
        The other face at rest; a path is opened by :func:`rigcast.sources.load_mesh`. What it states of its unit and
        up axis holds for the result; its numbers are not converted.
    faces : array_like, shape (F, 3) or (F, 4), optional
        Of the target. Default: the rig's, or with ``landmarks`` the target's own.
    landmarks : (L, 2) integers or path, optional
        For a target of another topology: a source vertex and a target vertex each, three pairs or more, or a file that
        :func:`rigcast.sources.load_landmarks` reads.
    fixed, contacts
        As in :func:`deformation_transfer`; ``"rest"`` holds what no expression of the rig moves.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    BlendshapeRig
        Names, bounds, combinations and metadata are the source's. A warning :class:`rigcast.errors.UpAxisWarning` says
        if the target lies as if another axis pointed up than it states, compared with the source.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If ``rig`` is none, if the topologies differ and there are no landmarks, if there are no faces, and as
        :func:`deformation_transfer`.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> wider = rc.transfer.transfer_rig(rig, rig.rest_vertices * [1.2, 1.0, 1.0])
    >>> wider.num_shapes == rig.num_shapes
    True
    """
    check_threads("transfer_rig", threads)
    check_blendshape_rig("transfer_rig", rig)
    show = as_callback(progress)
    mesh = target_mesh("transfer_rig", target)
    placed = matched("transfer_rig", "target", rig, mesh, landmarks, faces, threads=threads, progress=show)
    if placed.lies is not None:
        text = (
            f"transfer_rig: target lies as a mesh with {placed.lies} up would, and so will the rig; a Mesh of up_axis "
        )
        warnings.warn(f"{text}{placed.lies!r} states it", UpAxisWarning, stacklevel=2)
    source, shapes, corners = placed.source, placed.shapes, placed.faces
    held = held_vertices("transfer_rig", fixed, source, shapes)
    show(Progress("finding contacts", 0, 0))
    pairs = contact_pairs("transfer_rig", contacts, source, shapes, corners, threads)
    show(Progress("transferring", 0, 1))
    solver = DeformationTransfer(source, placed.neutral, corners, held, contacts=pairs)
    transfer = solver.transfer_keep_rest if holds_each(fixed) else solver.transfer
    made = transfer(shapes, threads=threads)
    show(Progress("transferring", 1, 1))
    known: dict[str, Any] = {"meters_per_unit": mesh.meters_per_unit, "up_axis": mesh.up_axis}
    about = {key: value for key, value in known.items() if value is not None}
    return rig_from_positions(rig, placed.neutral, made, faces=corners, metadata=about)
