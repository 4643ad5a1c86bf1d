"""Framed messages between rigcast and its host: a JSON header, then the raw bytes of the arrays it declares."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

import numpy as np

MAGIC = b"RWH1"
PREFIX = struct.Struct("<4sI")
DTYPES: dict[str, np.dtype[Any]] = {"float32": np.dtype("<f4"), "float64": np.dtype("<f8"), "int32": np.dtype("<i4")}
MAX_HEADER = 1 << 26
MAX_ARRAYS = 1 << 33

Header = dict[str, Any]
Arrays = dict[str, "np.ndarray[Any, Any]"]


class WireError(ConnectionError):
    """The other side closed the connection or sent something that is not a message."""


def send(connection: socket.socket, header: Header, arrays: Arrays | None = None) -> None:
    """Send one message; arrays are float32, float64 or int32."""
    arrays = {name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()}
    declared = [[name, array.dtype.name, list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": declared}).encode()
    connection.sendall(PREFIX.pack(MAGIC, len(text)) + text)
    for array in arrays.values():
        if array.size:
            connection.sendall(array.astype(DTYPES[array.dtype.name], copy=False).data.cast("B"))


def receive(connection: socket.socket) -> tuple[Header, Arrays]:
    """Receive one message.

    Raises
    ------
    WireError
        If the other side hung up, or if the bytes are not a message of this protocol.
    """
    magic, length = PREFIX.unpack(_read(connection, PREFIX.size))
    if magic != MAGIC or length > MAX_HEADER:
        raise WireError("the bytes received are not a message")
    header = json.loads(_read(connection, length))
    arrays: Arrays = {}
    for name, dtype, shape in header.pop("arrays"):
        array_type = DTYPES[dtype]
        if any(size < 0 for size in shape) or array_type.itemsize * _product(shape) > MAX_ARRAYS:
            raise WireError(f"array {name} is declared as {dtype} {shape}")
        data = _read(connection, array_type.itemsize * _product(shape))
        arrays[name] = np.frombuffer(data, array_type).reshape(shape)
    return header, arrays


def _product(shape: list[int]) -> int:
    result = 1
    for size in shape:
        result *= int(size)
    return result


def _read(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = connection.recv_into(view)
        if count == 0:
            raise WireError("the other side hung up")
        view = view[count:]
    return data
