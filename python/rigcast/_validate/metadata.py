"""The metadata of a model, checked and as the text of its file."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rigcast._validate.arguments import Arguments
from rigcast._validate.words import bad_argument, is_text

AXES = ("X", "Y", "Z")


def metadata_text(function: str, metadata: Mapping[str, object]) -> str:
    """Metadata as JSON.

    Parameters
    ----------
    function : str
        Public name, for errors.
    metadata : mapping
        With ``up_axis`` and ``meters_per_unit``.

    Raises
    ------
    ValueError
        If axis or unit are none, or something in it cannot be written: NaN, an object, half a surrogate pair.
    """
    if metadata["up_axis"] not in AXES:
        raise bad_argument("metadata", "up_axis", repr(metadata["up_axis"]), '"X", "Y" or "Z"')
    Arguments("metadata").unit("meters_per_unit", metadata["meters_per_unit"])
    try:
        plain = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise bad_argument(function, "metadata", f"no JSON ({error})", "what JSON can hold") from None
    if not is_text(plain):
        lone = next(letter for letter in plain if not is_text(letter))
        raise bad_argument(function, "metadata", f"holding {lone!r}", "Unicode text, without lone surrogates")
    return json.dumps(metadata)
