"""The pages' common frame: one style, one set of macros, contents, terms, one footer."""

from __future__ import annotations

import datetime
import platform
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from rigcast._extras import require
from rigcast._pages import words
from rigcast._pages.finishing import finished, variables
from rigcast._pages.gallery import ticks
from rigcast._pages.glossary import linked
from rigcast._text import escaped
from rigcast._timing import machine
from rigcast._version import __version__
from rigcast.plot import _colors as colors


@dataclass(frozen=True)
class KeyFigure:
    """A number at the head of the page, with its title and a note that compares it."""

    value: str
    unit: str
    title: str
    comparison: str


def fill(name: str, context: dict[str, Any]) -> str:
    """The HTML text of a template, which extends ``layout.html``.

    Parameters
    ----------
    name : str
        File name of the template.
    context : dict
        Its values by name. Those of the frame are ``name``, ``answer`` (first of all: a sentence with the number that
        decides, in plain words, then what it is to be compared with), ``key_figures`` (three to six), ``verdicts``
        (one sentence each, with the terms), ``live`` with ``live_text`` (what moves), ``summary`` and, if there are
        any, ``warnings``; long ones are folded.
    """
    jinja = require("jinja2", extra="report", purpose="writing a report")
    environment = jinja.Environment(
        loader=jinja.FunctionLoader(_source),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja.StrictUndefined,
    )
    environment.filters |= {
        "figure": words.figure,
        "mm": words.length,
        "share": words.share,
        "size": words.size,
        "ticks": ticks,
        "summary": words.summary,
        "linked": linked,
    }
    frame: dict[str, Any] = {
        "answer": [],
        "warnings": [],
        "verdicts": [],
        "live": None,
        "live_text": "",
        "on_white": variables(0),
        "on_black": variables(1),
        "gradient": ", ".join(colors.HEAT_STOPS),
        "machine": machine(),
        "versions": f"rigcast {__version__}, Python {platform.python_version()}, NumPy {np.__version__}",
        "date": datetime.date.today().isoformat(),
    }
    page = finished(str(environment.get_template(name).render(frame | context)))
    return escaped(page, keep="\n\t")


def check_extra() -> None:
    """Refuse before any work what a page could not be made without.

    Raises
    ------
    MissingExtra
        Without the ``report`` extra.
    """
    for module in ("pyvista", "matplotlib", "jinja2"):
        require(module, extra="report", purpose="writing a report")


def _source(name: str) -> str:
    return resources.files("rigcast._pages").joinpath("_templates").joinpath(name).read_text(encoding="utf-8")
