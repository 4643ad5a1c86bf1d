"""The model file that a character of a stage names (``rigcast:model``), found and checked.

An asset path is anchored to the layer that states it and resolved by OpenUSD ("Asset Paths" of the glossary; *Ar: Asset
Resolution*). Only the file that it resolves to is opened, and its bytes must be those that the stage was written for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rigcast._formats.registry import USD
from rigcast._formats.usd.names import ABOUT, MODEL
from rigcast._formats.usd.stage import foreign_errors, opened, prims_of
from rigcast._hashing import file_hash
from rigcast._rigs.matching import listed
from rigcast._validate import bad_argument

FUNCTION = "load"


@dataclass(frozen=True)
class ModelAsset:
    """Statements of a stage about a model file.

    Attributes
    ----------
    prim : str
        Path of the character's root.
    stated : str
        The asset path as it is written.
    resolved : str
        The file that OpenUSD finds for it; empty if there is none.
    sha256 : str
        Of the file, when the stage was written; empty if not stated.
    """

    prim: str
    stated: str
    resolved: str
    sha256: str


def model_assets(path: Path, function: str = FUNCTION) -> list[ModelAsset]:
    """All that a stage states, in its order; none for stages of other programs."""
    with foreign_errors(function, path):
        found = []
        stage = opened(path)  # its prims end with it
        for prim in prims_of(stage):
            attribute = prim.GetAttribute(MODEL)
            value = attribute.Get() if attribute else None
            if not prim.IsInstanceProxy() and value is not None and getattr(value, "path", None):
                about = prim.GetCustomDataByKey(ABOUT)
                sha256 = about.get("sha256", "") if isinstance(about, dict) else ""
                found.append(ModelAsset(str(prim.GetPath()), value.path, value.resolvedPath, str(sha256)))
        return found


def is_stage_of_model(path: Path, function: str = FUNCTION) -> bool:
    """True if a file is a stage that names a model."""
    return path.suffix.lower() in USD.endings and bool(model_assets(path, function))


def model_file(path: Path, function: str = FUNCTION) -> Path:
    """The file of the only model that a stage names.

    Raises
    ------
    ValueError
        If the stage names none or several different ones, or the file is not there, is no file of its own, or has
        changed since the stage was written.
    """
    found = model_assets(path, function)
    files = {(asset.stated, asset.resolved): asset for asset in found}
    if len(files) != 1:
        said = "no model (no rigcast:model)" if not found else f"several models: {listed([a.stated for a in found])}"
        expected = "a stage of one character that rigcast wrote" + (", or one of these files" if found else "")
        raise bad_argument(function, "path", f"{path}: a stage that names {said}", expected, path)
    asset = next(iter(files.values()))
    at = f"{path}: {asset.prim} names the model {asset.stated}"
    if not asset.resolved:
        expected = "a stage with its model file beside it as it states, or written again (rigcast export)"
        raise bad_argument(function, "path", f"{at}, which is not there", expected, path)
    file = Path(asset.resolved)
    if not file.is_file():
        got = f"{at}, which is no file of its own but {asset.resolved}"
        raise bad_argument(function, "path", got, "a stage outside of a package, with its model file", path)
    own = file_hash(file)
    if asset.sha256 and own != asset.sha256:
        got = f"{at}, which has changed since: SHA-256 {own[:12]}... in place of {asset.sha256[:12]}..."
        raise bad_argument(
            function, "path", got, f"a stage written for it (rigcast export {file.name}), or {file}", path
        )
    return file
