"""Objects as they show themselves: in one line, as a table in notebooks, as a small picture."""

import os

from rigcast._shown import engine as _engine
from rigcast._shown.engine import read_only
from rigcast._shown.lines import Described, counted
from rigcast._shown.pickles import no_pickle
from rigcast._shown.records import one_line

if "RIGCAST_PLAIN_ENGINE" not in os.environ:  # for the stubs, which say what the extension itself has
    _engine.dress()

__all__ = ["Described", "counted", "no_pickle", "one_line", "read_only"]
