"""The rig that a synthesizer's controls move."""

from __future__ import annotations

import argparse
import contextlib
from typing import Any

from rigcast._load_model import load
from rigcast.cli._inputs.rigs import opened_rig


@contextlib.contextmanager
def rig_of(args: argparse.Namespace) -> Any:
    """The rig of ``--rig``: a model, a face or a rig; None without one."""
    if args.rig is None:
        yield None
    elif args.rig.suffix.lower() == ".safetensors":
        yield load(args.rig)
    else:
        with opened_rig(args, args.rig) as rig:
            yield rig
