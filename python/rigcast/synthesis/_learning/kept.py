"""Finished pieces of a fit, kept in a folder, so that an interruption loses only the piece in work."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._atomic_files import npz_content
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder, opened
from rigcast.synthesis._clips.prepare import Prepared
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._parts import Bridge
from rigcast.synthesis._space import Space

Piece = TypeVar("Piece")

FORM = 1  # of the pieces; those of other forms are made again
EVERY = 16  # frames between those whose vertices tell one mesh from another


class Kept:
    """Pieces by what decides them; without a folder, all are made.

    Parameters
    ----------
    parts : Parts or None
        Of this fit alone: begun with its fingerprint.
    """

    def __init__(self, parts: PartsFolder | None) -> None:
        self._parts = parts
        self.count = 0  # pieces that the folder holds

    def latent(self, decides: object, make: Callable[[], _core.LatentSpace]) -> _core.LatentSpace:
        """A Gaussian process over points."""

        def write(space: _core.LatentSpace) -> memoryview:
            kernel = np.array([space.variance, space.length, space.noise])
            none = space.inducing is None
            inducing = np.zeros((0, space.points.shape[1])) if none else space.inducing
            return npz_content({"points": space.points, "values": space.values, "kernel": kernel, "inducing": inducing})

        def read(content: bytes) -> _core.LatentSpace:
            arrays = _arrays(content)
            variance, length, noise = map(float, arrays["kernel"])
            inducing = arrays["inducing"] if len(arrays["inducing"]) else None
            return _core.LatentSpace(arrays["points"], arrays["values"], variance, length, noise, inducing)

        return self._recall("latent", decides, make, write, read)

    def held_out(self, decides: object, make: Callable[[], HeldOut]) -> HeldOut:
        """Figures of a space that was fitted without some frames."""

        def write(figures: HeldOut) -> bytes:
            return json.dumps(figures.as_dict()).encode()

        def read(content: bytes) -> HeldOut:
            plain = json.loads(content)
            return HeldOut(**{**plain, "principal": {int(n): value for n, value in plain["principal"].items()}})

        return self._recall("held_out", decides, make, write, read)

    def bridge(self, first: Space, second: Space, matching: str, make: Callable[[], Bridge]) -> Bridge:
        """Pairs of points of two spaces, of any distance."""

        def write(bridge: Bridge) -> memoryview:
            return npz_content({"from": bridge.from_points, "to": bridge.to_points, "distances": bridge.distances})

        def read(content: bytes) -> Bridge:
            arrays = _arrays(content)
            return Bridge(arrays["from"], arrays["to"], arrays["distances"])

        decides = [matching, _decides_space(first), _decides_space(second)]
        return self._recall("bridge", decides, make, write, read)

    def _recall(
        self,
        kind: str,
        decides: object,
        make: Callable[[], Piece],
        write: Callable[[Piece], bytes | memoryview],
        read: Callable[[bytes], Piece],
    ) -> Piece:
        if self._parts is None:
            return make()
        name = f"{kind}_{fingerprint(decides)}"
        known = self._parts.get(name)
        if known is not None:
            self.count += 1
            return read(known)
        made = make()
        self._parts.put(name, write(made))
        self.count += 1
        return made


@contextlib.contextmanager
def kept_in(folder: str | os.PathLike[str] | PartsFolder | None, ready: Prepared) -> Iterator[Kept]:
    """Pieces of a fit to prepared clips, in a folder.

    Raises
    ------
    ValueError
        For a folder that another run writes or that holds other files.
    KeyboardInterrupt
        After Ctrl-C, with a message that says what is kept.
    """
    if folder is None:
        yield Kept(None)
        return
    with opened(folder, "fit") as parts:
        parts.begin(_decides_fit(ready))
        kept = Kept(parts)
        try:
            yield kept
        except KeyboardInterrupt:
            done = f"{kept.count:,} fitted spaces and bridges kept in {parts.folder}"
            raise KeyboardInterrupt(f"interrupted with {done}; run the same command again to continue") from None


def _decides_fit(ready: Prepared) -> str:
    """Hash of the data that every piece is made of."""
    around = ready.around
    segments = {label: [(s.begin, s.end) for s in own] for label, own in ready.segments.items()}
    mesh: list[Any] = [None]
    if ready.mesh is not None:
        mesh = [ready.mesh.vertices(frames[::EVERY]) for frames in ready.frames.values()]
    coordinates = [around.mean, around.mean_rotations, around.limits, around.rotations.columns, around.rotations.orders]
    scales = [ready.weights, *ready.scales.values()]
    return fingerprint(FORM, scales, ready.effects, ready.frames, segments, coordinates, ready.millimeters, mesh)


def _decides_space(space: Space) -> list[Any]:
    latent, embedding = space.latent, space.embedding
    kernel = [latent.variance, latent.length, latent.noise]
    inducing = None if latent.inducing is None else np.asarray(latent.inducing)
    return [space.label, space.points, np.asarray(latent.values), kernel, inducing, embedding.basis, embedding.center]


def _arrays(content: bytes) -> dict[str, NDArray[np.float64]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
