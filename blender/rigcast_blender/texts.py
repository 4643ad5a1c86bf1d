# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences in panels, broken where the panel ends."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

LETTER, ICON = 7.0, 58.0  # pixels of a letter, and of icon, margins and scroll bar, before the scale of the interface
LEAST, USUAL = 16, 40  # letters of a line at least, and where no region tells


def write_lines(layout: Any, context: Any, lines: Sequence[tuple[str, str]]) -> None:
    """Draw lines (icon, text); a longer one goes on below itself."""
    region, scale = context.region, context.preferences.system.ui_scale
    wide = USUAL if region is None else max(LEAST, int((region.width / scale - ICON) / LETTER))
    column = layout.column(align=True)
    for icon, text in lines:
        for number, part in enumerate(textwrap.wrap(text, wide) or [""]):
            column.label(text=part, icon=icon if number == 0 else "BLANK1")
