"""Pictures as the content of a page: JPEG files and ``data:`` addresses."""

from __future__ import annotations

import base64
import io

from rigcast._extras import require
from rigcast.plot._image import Pixels


def jpeg(pixels: Pixels) -> bytes:
    """A picture as the content of a JPEG file."""
    pillow = require("PIL.Image", extra="report", purpose="writing pictures")
    buffer = io.BytesIO()
    pillow.fromarray(pixels).save(buffer, format="JPEG", quality=90, subsampling=0, optimize=True)
    return buffer.getvalue()


def data_uri(picture: Pixels | bytes) -> str:
    """A picture, or the content of its JPEG file, as a ``data:`` address."""
    content = picture if isinstance(picture, bytes) else jpeg(picture)
    return "data:image/jpeg;base64," + base64.b64encode(content).decode("ascii")
