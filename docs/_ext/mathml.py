"""Equations as MathML, made at build time: pages need neither a script nor the network."""

from __future__ import annotations

import html

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write an equation inside a sentence."""
    translator.body.append(converted(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation on a line of its own."""
    translator.body.append(f"{translator.starttag(node, 'div', CLASS='math')}{converted(node, as_block=True)}</div>\n")
    raise nodes.SkipNode


def converted(node: nodes.Element, as_block: bool) -> str:
    """MathML, or the text itself and a warning."""
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("%s", error, location=node)
        return html.escape(node.astext())
