"""Pictures that stay in a folder until the page they are for is written, so that an interruption loses one at most."""

from __future__ import annotations

from collections.abc import Callable

from rigcast import __version__
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import Parts
from rigcast.plot._image import Pixels
from rigcast.report._kit.jpeg import jpeg


def kept_picture(kept: Parts | None, draw: Callable[[], Pixels], *shows: object) -> bytes:
    """The JPEG file of everything that decides ``draw()``'s picture: kept, or drawn now."""
    if kept is None:
        return jpeg(draw())
    decides = fingerprint(__version__, *shows)
    content = kept.get(decides, decides)
    if content is None:
        content = jpeg(draw())
        kept.put(decides, content, decides)
    return content
