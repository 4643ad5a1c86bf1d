"""Accessors (glTF 2.0, section 3.6.2): typed views into buffers, strided, sparse and normalized.

Offsets, strides and counts are checked against the buffer before an array is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.document import Document, GltfObject, integer, optional, records, refuse

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Accessors:
    """Decoded accessors of a document, each decoded once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.accessors = records(document.gltf.accessors, "accessors")
        self.views = records(document.gltf.bufferViews, "bufferViews")
        self._decoded: dict[int, NDArray[Any]] = {}

    def floats(self, index: object, kind: str, what: str) -> NDArray[np.float64]:
        """An accessor of type ``kind`` ("VEC3") as (count, width) float64; normalized integers become fractions."""
        number, record, values = self._values(index, kind, what)
        if values.dtype.kind == "f":
            if not np.isfinite(values).all():
                raise refuse(f"accessors[{number}] ({what})", "not finite everywhere", "finite")
            return values.astype(np.float64)
        if getattr(record, "normalized", False) is True:
            largest = np.iinfo(values.dtype).max
            return np.maximum(values.astype(np.float64) / largest, -1.0)  # section 3.11
        return values.astype(np.float64)

    def integers(self, index: object, kind: str, what: str) -> NDArray[np.int64]:
        """An accessor of unsigned integers as (count, width) int64."""
        number, _, values = self._values(index, kind, what)
        if values.dtype.kind != "u":
            raise refuse(f"accessors[{number}] ({what})", f"of {values.dtype}", "of unsigned integers")
        return values.astype(np.int64)

    def _values(self, index: object, kind: str, what: str) -> tuple[int, Any, NDArray[Any]]:
        number = integer(index, 0, len(self.accessors), what)
        record = self.accessors[number]
        if record.type != kind:
            raise refuse(f"accessors[{number}] ({what})", f"of type {record.type!r}"[:60], f"of type {kind}")
        if number not in self._decoded:
            self._decoded[number] = self._decode(record, WIDTHS[kind], f"accessors[{number}]")
        return number, record, self._decoded[number]

    def _decode(self, record: Any, width: int, what: str) -> NDArray[Any]:
        component = self._component(record.componentType, f"{what}.componentType")
        # An accessor without a view is all zeros; sparse ones of that kind stand next to a full one of the same count.
        count = integer(record.count, 1, self.document.stored + 1, f"{what}.count")
        self.document.spend(count * width * 8, what)
        if record.bufferView is None:
            values = np.zeros((count, width), component)
        else:
            values = self._view(record.bufferView, record.byteOffset, component, count, width, what).copy()
        if record.sparse is not None:
            self._patch(values, record.sparse, component, what)
        return values

    def _component(self, value: object, what: str) -> np.dtype[Any]:
        code = integer(value, 0, 1 << 16, what)
        if code not in COMPONENTS:
            raise refuse(what, str(code), f"one of {', '.join(map(str, COMPONENTS))}")
        return np.dtype(COMPONENTS[code])

    def _view(
        self, index: object, offset: object, component: np.dtype[Any], count: int, width: int, what: str
    ) -> NDArray[Any]:
        """``count`` rows of ``width`` components, not copied."""
        number = integer(index, 0, len(self.views), f"{what}.bufferView")
        view = self.views[number]
        name = f"bufferViews[{number}]"
        buffer = self.document.buffers[integer(view.buffer, 0, len(self.document.buffers), f"{name}.buffer")]
        start = optional(view.byteOffset, 0, 0, len(buffer) + 1, f"{name}.byteOffset")
        length = integer(view.byteLength, 0, len(buffer) - start + 1, f"{name}.byteLength")
        row = component.itemsize * width
        stride = optional(view.byteStride, row, row, 253, f"{name}.byteStride") if row <= 252 else row
        inside = optional(offset, 0, 0, length + 1, f"{what}.byteOffset")
        if inside + stride * (count - 1) + row > length:
            got = f"{count} elements of {row} bytes from byte {inside}"
            raise refuse(what, got, f"inside the {length} bytes of {name}")
        strides = (stride, component.itemsize)
        table: NDArray[Any] = np.ndarray((count, width), component, buffer, start + inside, strides)
        return table

    def _patch(self, values: NDArray[Any], sparse: Any, component: np.dtype[Any], what: str) -> None:
        """Replace some rows (section 3.6.2.3)."""
        count = integer(getattr(sparse, "count", None), 1, len(values) + 1, f"{what}.sparse.count")
        where, new = getattr(sparse, "indices", None), getattr(sparse, "values", None)
        if not isinstance(where, GltfObject) or not isinstance(new, GltfObject):
            raise refuse(f"{what}.sparse", "without indices or values", "complete")
        kind = self._component(where.componentType, f"{what}.sparse.indices.componentType")
        rows = self._view(where.bufferView, where.byteOffset, kind, count, 1, f"{what}.sparse.indices")[:, 0]
        if kind.kind != "u" or rows.max() >= len(values) or (np.diff(rows.astype(np.int64)) <= 0).any():
            raise refuse(
                f"{what}.sparse.indices", "not ascending, or beyond the end", f"ascending, below {len(values)}"
            )
        values[rows] = self._view(
            new.bufferView, new.byteOffset, component, count, values.shape[1], f"{what}.sparse.values"
        )
