"""Models read from files and from bytes."""

from __future__ import annotations

import errno
import os

from ._arrays import encoded_path
from ._library import Handle, bad_argument
from ._models import Deformer, model_of
from ._synthesizer import Synthesizer, synthesizer_of


def load(path: str | os.PathLike[str]) -> Deformer | Synthesizer:
    """Open a model file: a learned body, skinning, a blendshape rig or a synthesizer, whatever its metadata say.

    Parameters
    ----------
    path : path-like
        ``.safetensors``, as ``save`` of a model of the package rigcast writes it.

    Returns
    -------
    Deformer or Synthesizer
        A :class:`BlendshapeRig` of a blendshape rig, a :class:`Synthesizer` of a file of kind ``synthesis``.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If it is no such file, or was cut off.
    """
    name = encoded_path("load", path)
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(path))
    return _opened(Handle("model_free", "open", name))


def parse(data: bytes | bytearray | memoryview, name: str = "model") -> Deformer | Synthesizer:
    """The same as :func:`load` from the bytes of a file.

    Parameters
    ----------
    data : bytes-like
        They are copied.
    name : str
        Stands in errors.
    """
    if not isinstance(name, str):
        raise bad_argument("parse", "name", f"a {type(name).__name__}", "a text")
    try:
        content = data if isinstance(data, bytes) else bytes(memoryview(data))
    except TypeError:
        raise bad_argument("parse", "data", f"a {type(data).__name__}", "the bytes of a model file") from None
    return _opened(Handle("model_free", "parse", content, len(content), name.encode("utf-8", "replace")))


def _opened(handle: Handle) -> Deformer | Synthesizer:
    return synthesizer_of(handle) or model_of(handle)
