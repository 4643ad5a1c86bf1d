"""Opening a synthesizer's file."""

from __future__ import annotations

import json
import os

from rigcast import _core
from rigcast._core import Deformer
from rigcast._safe_reading import errors_naming
from rigcast._validate import bad_argument, missing_file
from rigcast.sources import Rig
from rigcast.synthesis._file import from_tensors
from rigcast.synthesis._mesh import ControlledMesh
from rigcast.synthesis._synthesizer import Synthesizer


def load(path: str | os.PathLike[str], rig: Rig | Deformer | None = None) -> Synthesizer:
    """Open a synthesizer, as :meth:`Synthesizer.save` writes it.

    Parameters
    ----------
    path : path-like
    rig : Rig, Deformer or BlendshapeRig, optional
        To make pose rows (:meth:`Synthesizer.poses`): one with the same controls, as the one it was fitted with.

    Returns
    -------
    Synthesizer

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If it is a model of another kind, or no such file, or the rig has other controls.
    NumericalError
        If the covariance of a latent space in the file cannot be factorized.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument("load", "path", f"a {type(path).__name__}", "a path")
    if not os.path.exists(path):
        raise missing_file("load", "path", path, "a synthesizer")
    with errors_naming(path):
        file = _core.TensorFile.read(path)
        try:
            metadata = json.loads(file.metadata or "{}")
        except RecursionError:
            raise bad_argument("load", "metadata", "nested too deep", "that of a synthesizer") from None
        synth = Synthesizer(from_tensors(file.arrays(), metadata), rig)
    if rig is not None and (names := ControlledMesh(rig, "load").control_names) != synth.control_names:
        other = next((name for name in names if name not in synth.control_names), "others in another order")
        expected = f"one with the {len(synth.control_names)} controls of the file"
        raise bad_argument("load", "rig", f"a rig with {len(names)} controls ({other})", expected)
    return synth
