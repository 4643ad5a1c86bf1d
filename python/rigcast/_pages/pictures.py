"""Pictures as the content of a page: files in its text, as ``data:`` addresses."""

from __future__ import annotations

import base64
import io

from rigcast._extras import require
from rigcast.plot._image import Pixels


def jpeg(pixels: Pixels) -> bytes:
    """A picture (H, W, 3) as the content of a JPEG file."""
    return _file(pixels, format="JPEG", quality=90, subsampling=0, optimize=True)


def data_uri(picture: Pixels | bytes) -> str:
    """A picture, or the content of its JPEG file, as a ``data:`` address.

    Pixels (H, W, 4) have a transparent ground and become WebP, which lets the page's color through.
    """
    if not isinstance(picture, bytes) and picture.shape[2] == 4:
        return _address("webp", _file(picture, format="WEBP", quality=88, method=2))
    return _address("jpeg", picture if isinstance(picture, bytes) else jpeg(picture))


def _file(pixels: Pixels, **how: object) -> bytes:
    pillow = require("PIL.Image", extra="report", purpose="writing pictures")
    buffer = io.BytesIO()
    pillow.fromarray(pixels).save(buffer, **how)
    return buffer.getvalue()


def _address(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64," + base64.b64encode(content).decode("ascii")
