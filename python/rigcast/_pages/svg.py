"""Charts as SVG text that stands inside the page and takes its typeface."""

from __future__ import annotations

import io
import re
from typing import Any

from rigcast.plot._drawing import STYLE


def svg(canvas: Any, name: str, fixed: bool = False) -> str:
    """A canvas as SVG text, to be scrolled where it is too wide; ``name`` keeps the ids of charts on one page apart.

    ``fixed`` is for shades that mean something: they keep their colors, and a white ground, on dark pages.
    """
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context(STYLE | {"svg.hashsalt": name}):
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text, look = buffer.getvalue(), "chart fixed" if fixed else "chart"
    text = text[text.index("<svg") :]
    text = re.sub(
        r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', rf'<svg class="{look}" viewBox="\1" role="img">', text, count=1
    )
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # the page's own style says it, for charts alone
    text = re.sub(r"font-family: [^;\"]*;?", "", text)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
    return f'<div class="wide" role="region">{text}</div>'
