"""Style transfer of faces as a model: pictures of an actor in the style of a character."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._safe_reading import errors_naming
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, missing_file
from rigcast.training._budget import required_torch, torch_settings
from rigcast.training._style.descent import as_channels
from rigcast.training._style.networks import KeyPoints, MotionModel, NetworkLayout, check_weights, inverse
from rigcast.training._style.recordings import StyleRecording
from rigcast.training._style.settings import REGIONS, SIZES

AT_ONCE = 16  # frames
OFFSET = 0.8  # times what varies: motion common to all frames, beyond which the neutral is doubted
LARGEST = 4096  # key points or channels that a file may ask for


@one_line
@dataclass(frozen=True, eq=False)
class StyledPictures:
    """Pictures of a character in the expressions of an actor.

    Attributes
    ----------
    pictures : (T, H, H, 3) uint8 array
    offset : float
        Motion from the actor's neutral that all frames have in common (the median over the frames), as a share of the
        motion that varies; of the key points of the face.
    notes : list of str
        If the offset is so large that the actor's neutral shows another expression.
    """

    pictures: NDArray[np.uint8]
    offset: float
    notes: list[str]


@one_line
class StyleTransfer:
    """Networks that carry the motion of an actor's face to the picture of a character (Bailey 2020, section 6.4).

    Made by :func:`rigcast.training.style_transfer`; immutable. Super-resolution of the pictures, which the paper has
    after it, is left out. Needs PyTorch.

    Attributes
    ----------
    size : int
        Width and height of pictures.
    key_points : dict
        Number of key points of each network, by its region.
    metadata : dict
        Seed, settings with the weights of all terms, what of the paper is replaced.
    """

    def __init__(self, tensors: Mapping[str, NDArray[np.generic]], metadata: Mapping[str, object]) -> None:
        self.metadata: dict[str, Any] = dict(metadata)
        self.size = _whole(metadata, "size")
        points = metadata.get("key_points")
        if self.size not in SIZES:
            raise bad_argument("StyleTransfer", "metadata.size", repr(self.size), " or ".join(map(str, SIZES)))
        if not isinstance(points, dict) or list(points) not in (["face"], list(REGIONS)):
            expected = f'numbers of "face", or of {", ".join(REGIONS)}'
            raise bad_argument("StyleTransfer", "metadata.key_points", repr(points), expected)
        self.key_points = {name: _whole(points, name) for name in points}
        width = _whole(metadata, "width")
        self._layouts = {name: NetworkLayout(self.size, count, width) for name, count in self.key_points.items()}
        self._tensors = dict(tensors)
        self._check()

    def transfer(
        self,
        neutral: NDArray[np.uint8],
        driving: StyleRecording,
        driving_neutral: NDArray[np.uint8],
        *,
        threads: int = 1,
    ) -> StyledPictures:
        """Pictures that look like ``neutral`` and have the expressions of ``driving``.

        Key points and Jacobians move as the actor's do from ``driving_neutral`` (6.13, 6.14). Mouth and eyes are pasted
        onto the picture of the face by the masks of the driving frames.

        Parameters
        ----------
        neutral : (H, H, 3) uint8 array
            The character; with the same expression as ``driving_neutral``.
        driving : StyleRecording
            The actor.
        driving_neutral : (H, H, 3) uint8 array
            The actor's neutral. With ``neutral`` the same picture, the actor's own frames are reconstructed.
        threads : int
            Number of threads; 0 means all processors that this process may use. Two can be slower than one on a
            machine with other work.

        Returns
        -------
        StyledPictures
            Its ``notes`` doubt a neutral from which all frames differ alike.

        Raises
        ------
        ValueError
            If pictures are not of the model's size.
        MissingExtra
            Without PyTorch.
        """
        check = Arguments("StyleTransfer.transfer")
        check.threads(threads)
        if not isinstance(driving, StyleRecording) or driving.pictures.shape[1] != self.size:
            got = f"a {type(driving).__name__}"
            if isinstance(driving, StyleRecording):
                got = f"of {driving.pictures.shape[1]} pixels"
            raise check.wrong("driving", got, f"a rigcast.training.StyleRecording of {self.size} pixels")
        for name, picture in (("neutral", neutral), ("driving_neutral", driving_neutral)):
            if getattr(picture, "dtype", None) != np.uint8 or picture.shape != (self.size, self.size, 3):
                raise check.wrong(name, _described(picture), f"uint8 ({self.size}, {self.size}, 3)")
        torch = required_torch()
        layers, moved = {}, None
        with torch_settings(torch, threads, "cpu"), torch.no_grad():
            for region in self.key_points:
                layers[region], motion = self._of_region(torch, region, neutral, driving.pictures, driving_neutral)
                moved = motion if moved is None else moved
        assert moved is not None
        offset = common_offset(moved)
        notes = []
        if offset > OFFSET:
            notes.append(
                f"all frames differ from driving_neutral alike, {offset:.1f} times as much as among each other: "
                "it may not be neutral"
            )
        return StyledPictures(composed(layers, driving.masks), offset, notes)

    def points(self, pictures: NDArray[np.uint8], region: str = "face") -> NDArray[np.float32]:
        """Key points (T, k, 2) of pictures (T, H, H, 3), in pixels, by the network of a region."""
        check = Arguments("StyleTransfer.points")
        if getattr(pictures, "dtype", None) != np.uint8 or pictures.shape[1:] != (self.size, self.size, 3):
            raise check.wrong("pictures", _described(pictures), f"uint8 (T, {self.size}, {self.size}, 3)")
        if region not in self.key_points:
            raise check.wrong("region", repr(region), " or ".join(map(repr, self.key_points)))
        torch = required_torch()
        with torch_settings(torch, 1, "cpu"), torch.no_grad():
            model = self._model(torch, region)
            found = [model.key_points(some).places.numpy() for some in _batches(torch, pictures)]
        return np.asarray(0.5 * self.size * (np.concatenate(found) + 1.0), np.float32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file (kind ``style_transfer``), atomically."""
        _core.TensorFile.write(path, self._tensors, json.dumps(self.metadata))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> StyleTransfer:
        """Open a model as :meth:`save` writes it; names and sizes of all weights are checked.

        Raises
        ------
        FileNotFoundError
            If the file does not exist.
        ValueError
            If it is a model of another kind, or damaged.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise bad_argument("StyleTransfer.load", "path", f"a {type(path).__name__}", "a path")
        if not os.path.exists(path):
            raise missing_file("StyleTransfer.load", "path", path, "style transfer")
        file = _core.TensorFile.read(path)
        metadata = json.loads(file.metadata or "{}")
        kind = metadata.get("kind") if isinstance(metadata, dict) else None
        if kind != "style_transfer":
            got = f"{os.fspath(path)!r}, of kind {kind!r}"
            raise bad_argument("StyleTransfer.load", "path", got, "style transfer", path)
        with errors_naming(path):
            return cls(file.arrays(), metadata)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in self.key_points.items())
        return f"<rigcast.training.StyleTransfer: {self.size} px, key points: {counts}>"

    def _check(self) -> None:
        left = set(self._tensors)
        for region, layout in self._layouts.items():
            own = self._own(region)
            if problem := check_weights(own, layout):
                raise bad_argument("StyleTransfer", f"the network of {region}", problem, "as its metadata say")
            left -= {f"{region}.{name}" for name in own}
        if left:
            raise bad_argument("StyleTransfer", "tensors", f"with {min(left)!r}", "those of its networks alone")

    def _own(self, region: str) -> dict[str, NDArray[Any]]:
        start = f"{region}."
        return {name[len(start) :]: value for name, value in self._tensors.items() if name.startswith(start)}

    def _model(self, torch: Any, region: str) -> MotionModel:
        weights = {name: torch.from_numpy(np.array(value)) for name, value in self._own(region).items()}
        return MotionModel(torch, weights, self._layouts[region])

    def _of_region(
        self, torch: Any, region: str, neutral: Any, driving: Any, driving_neutral: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Pictures (T, H, H, 3) from 0 to 1, and motion (T, k, 2) of key points, by the network of a region."""
        model = self._model(torch, region)
        source = next(_batches(torch, neutral[None]))
        start, rest = model.key_points(source), model.key_points(next(_batches(torch, driving_neutral[None])))
        pictures, motion = [], []
        for some in _batches(torch, driving):
            now = model.key_points(some)
            wanted = relative_motion(torch, start, now, rest)
            made = model.reconstruct(source.expand(len(some), -1, -1, -1), _repeated(start, len(some)), wanted)
            pictures.append(made.permute(0, 2, 3, 1).numpy())
            motion.append((now.places - rest.places).numpy())
        return np.concatenate(pictures), np.concatenate(motion)

    def __reduce__(self) -> tuple[type[StyleTransfer], tuple[dict[str, NDArray[np.generic]], dict[str, Any]]]:
        """For pickle and copy: the tensors and metadata of the model's file."""
        return StyleTransfer, (self._tensors, self.metadata)


def relative_motion(torch: Any, start: KeyPoints, now: KeyPoints, rest: KeyPoints) -> KeyPoints:
    """``mu = mu(I_0) + mu(V_d) - mu(V_0)`` and ``J = J(V_d) J(V_0)^-1 J(I_0)`` (6.13, 6.14)."""
    places = start.places + now.places - rest.places
    return KeyPoints(places, now.jacobians @ inverse(torch, rest.jacobians) @ start.jacobians)


def composed(layers: Mapping[str, NDArray[np.float32]], masks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Bytes (T, H, H, 3) of pictures by region, from 0 to 1: the face, then each other region inside of its mask."""
    result = layers["face"]
    for region, pictures in layers.items():
        if region != "face":
            result = np.where(masks[:, REGIONS.index(region), :, :, None], pictures, result)
    return np.asarray(np.clip(255.0 * result + 0.5, 0.0, 255.0), np.uint8)


def common_offset(motion: NDArray[np.float32]) -> float:
    """The motion (T, k, 2) that all frames share, over what varies: root mean squares of the median and of the rest."""
    common = np.median(motion, axis=0)
    varies = np.sqrt(np.square(motion - common).sum(axis=2).mean())
    return float(np.sqrt(np.square(common).sum(axis=1).mean()) / max(float(varies), 1e-6))


def _batches(torch: Any, pictures: NDArray[np.uint8]) -> Any:
    for begin in range(0, len(pictures), AT_ONCE):
        yield as_channels(torch, torch.from_numpy(np.array(pictures[begin : begin + AT_ONCE])))


def _repeated(points: KeyPoints, count: int) -> KeyPoints:
    return KeyPoints(points.places.expand(count, -1, -1), points.jacobians.expand(count, -1, -1, -1))


def _whole(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise bad_argument("StyleTransfer", f"metadata.{name}", repr(value), f"a whole number from 1 to {LARGEST}")
    return value


def _described(picture: Any) -> str:
    return f"{getattr(picture, 'dtype', type(picture).__name__)} {np.shape(picture)}"
