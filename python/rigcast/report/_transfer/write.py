"""Writing the report of a transfer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rigcast._atomic_files import atomic_write
from rigcast._pages.template import check_extra
from rigcast._validate import bad_argument
from rigcast.progress import ProgressOption, as_callback
from rigcast.report._transfer.measured import MeasuredTransfer


def write_transfer(
    path: str | os.PathLike[str],
    measured: MeasuredTransfer,
    *,
    name: str | None = None,
    shown: Sequence[str] | None = None,
    progress: ProgressOption = None,
) -> dict[str, object]:
    """Show a transferred rig in one HTML file that opens offline.

    Both faces in the same expressions, errors against true shapes where there are some, lips and lids with and without
    contacts, distortion, and the list of all expressions with the worst first.

    Parameters
    ----------
    path : path-like
        The HTML file, written in one step.
    measured : MeasuredTransfer
        Of :func:`rigcast.report.measure_transfer`.
    name : str, optional
        Heading; default the target's name.
    shown : sequence of str, optional
        Expressions in which both faces are shown side by side; default those that together move most.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    dict
        The report's numbers by name.

    Raises
    ------
    ValueError
        If the rig has no faces, or ``shown`` names what it does not have.
    MissingExtra
        Without the ``report`` extra.
    """
    check_extra()
    if not len(measured.target.faces):
        raise bad_argument("report", "target", "without faces", "a rig with faces, to be drawn")
    for entry in shown or ():
        if entry not in measured.names:
            raise bad_argument("report", "shown", repr(entry), "one of " + ", ".join(measured.names)[:300])
    from rigcast.report._transfer.gallery import transfer_gallery, vivid
    from rigcast.report._transfer.page import render_transfer

    chosen = vivid(measured) if shown is None else [measured.names.index(entry) for entry in shown]
    pictures = transfer_gallery(measured, chosen, as_callback(progress))
    title = name or measured.target.metadata.get("name") or Path(path).stem
    atomic_write(path, render_transfer(measured, pictures, title).encode("utf-8"))
    return measured.figures()
